// Searching with the ripgrep binary that VS Code ships, told to skip exactly what the plain search skips.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { relative } from 'node:path'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import { FileError } from '../files/file-error.ts'
import { skippedNames } from '../files/folders.ts'
import { escapeGlob } from '../files/ignore-rules.ts'
import { toPosix, type Workspace } from '../files/workspace.ts'
import { type Match, maxMatchesPerFile, maxSearchedBytes, type SearchQuery } from './match.ts'

const text = z.union([z.object({ text: z.string() }), z.object({ bytes: z.base64() })])
const message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('begin') }),
  z.object({
    type: z.literal('match'),
    data: z.object({
      path: text,
      lines: text,
      line_number: z.int(),
      submatches: z.array(z.object({ start: z.int() })),
    }),
  }),
  z.object({ type: z.literal('end'), data: z.object({ binary_offset: z.int().nullable() }) }),
  z.object({ type: z.literal('context') }),
  z.object({ type: z.literal('summary') }),
])
type RipgrepMatch = Extract<z.infer<typeof message>, { type: 'match' }>['data']

/**
 * Streams matches in path order. Stopping early (or an abort of `signal`) ends the process.
 * @throws FileError `SEARCH_BAD_PATTERN` or `SEARCH_FAILED`.
 */
export async function* searchWithRipgrep(
  binary: string,
  query: SearchQuery,
  workspace: Workspace,
  signal: AbortSignal,
): AsyncGenerator<Match, void> {
  const root = await workspace.realRoot()
  const forbidden = (await workspace.forbiddenFolders()).map(
    folder => `/${escapeGlob(toPosix(relative(root, folder)))}`,
  )
  const child = spawn(binary, argumentsFor(query, forbidden), {
    cwd: root,
    signal,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  })
  const ended = endOf(child)
  try {
    let finished = false
    let found: Match[] = []
    for await (const line of lines(child.stdout)) {
      const parsed = message.parse(JSON.parse(line))
      if (parsed.type === 'begin') found = []
      else if (parsed.type === 'match' && found.length < maxMatchesPerFile) found.push(matchOf(parsed.data))
      else if (parsed.type === 'end' && parsed.data.binary_offset === null) yield* found
      else if (parsed.type === 'summary') finished = true
    }
    const problem = await ended
    signal.throwIfAborted()
    // Exit code 2 with a summary only says that some file could not be read.
    if (!finished) throw failure(problem)
  } finally {
    child.kill()
    await ended
  }
}

function argumentsFor(query: SearchQuery, forbidden: readonly string[]): readonly string[] {
  const globs = [
    ...(query.glob === undefined ? [] : [query.glob]),
    ...[...skippedNames, ...forbidden].map(name => `!${name}`),
  ]
  const ignoring = [
    '--no-require-git',
    '--no-ignore-dot',
    '--no-ignore-exclude',
    '--no-ignore-global',
    '--no-ignore-parent',
  ]
  return [
    ...['--json', '--no-config', '--no-messages', '--hidden', ...ignoring],
    ...['--sort=path', '--no-mmap', '--crlf', '--engine=auto', `--max-filesize=${maxSearchedBytes}`],
    ...(query.literal ? ['--fixed-strings'] : []),
    query.ignoreCase ? '--ignore-case' : '--case-sensitive',
    ...globs.map(glob => `--glob=${glob}`),
    `--regexp=${query.pattern}`,
    '--',
    './',
  ]
}

/** Resolves when the process is gone, with what it said on its error output; never rejects. */
async function endOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<string> {
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    if (said.length < 2000) said += piece
  })
  child.on('error', error => {
    said += error.message
  })
  await once(child, 'close').catch(() => {})
  return said
}

/** Only line feeds end a line here: JSON leaves other separators inside strings as they are. */
async function* lines(stream: Readable): AsyncGenerator<string, void> {
  let rest = ''
  for await (const piece of stream.setEncoding('utf8')) {
    const parts = (rest + String(piece)).split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
}

function matchOf({ path, lines: matched, line_number: line, submatches }: RipgrepMatch): Match {
  const bytes = bytesOf(matched)
  return {
    path: bytesOf(path)
      .toString('utf8')
      .replace(/\\/g, toPosix('\\') === '\\' ? '\\' : '/')
      .replace(/^\.\//, ''),
    line,
    text: bytes.toString('utf8').replace(/\r?\n$/, ''),
    start: bytes.subarray(0, submatches[0]?.start ?? 0).toString('utf8').length,
  }
}

function bytesOf(value: z.infer<typeof text>): Buffer {
  return 'text' in value ? Buffer.from(value.text) : Buffer.from(value.bytes, 'base64')
}

function failure(said: string): FileError {
  const pattern = /regex parse error|error parsing|not allowed in a regex|PCRE2/i.test(said)
  const excerpt = said.replace(/^rg: /, '').replace(/\s+/g, ' ').trim().slice(0, 300)
  return pattern
    ? new FileError('SEARCH_BAD_PATTERN', `The pattern is not a valid regular expression: ${excerpt}`)
    : new FileError('SEARCH_FAILED', `The search could not be carried out: ${excerpt || 'ripgrep ended early'}`)
}
