// Searching without ripgrep: slower, same result.
import { open } from 'node:fs/promises'
import { createContext, Script } from 'node:vm'
import { z } from 'zod'
import { FileError } from '../files/file-error.ts'
import { type FolderEntry, readFolder, rulesInside, skippedNames } from '../files/folders.ts'
import { IgnoreRules } from '../files/ignore-rules.ts'
import type { Place, Workspace } from '../files/workspace.ts'
import { type FileFilter, fileFilter } from './file-filter.ts'
import { type Match, maxMatchesPerFile, maxSearchedBytes, type SearchQuery } from './match.ts'

const timedOut = z.object({ code: z.literal('ERR_SCRIPT_EXECUTION_TIMEOUT') })

/** Milliseconds one file may take before a pattern counts as runaway. */
const maxFileTime = 1000

/**
 * Streams matches in path order.
 * @throws FileError `SEARCH_BAD_PATTERN` or `SEARCH_TOO_SLOW`.
 */
export async function* searchWithNode(
  query: SearchQuery,
  workspace: Workspace,
  signal: AbortSignal,
): AsyncGenerator<Match, void> {
  const matcher = new LineMatcher(query)
  const wanted = fileFilter(query.glob)
  const root: Place = { real: await workspace.realRoot(), path: '.' }
  for await (const file of files(workspace, root, IgnoreRules.none, wanted)) {
    signal.throwIfAborted()
    const lines = await linesOf(file)
    if (lines !== undefined) yield* matcher.matches(file.path, lines)
  }
}

async function* files(
  workspace: Workspace,
  folder: Place,
  inherited: IgnoreRules,
  wanted: FileFilter,
): AsyncGenerator<FolderEntry, void> {
  const entries = await readFolder(workspace, folder).catch(() => [])
  const rules = await rulesInside(folder, entries, inherited)
  for (const entry of entries) {
    const isFolder = entry.kind === 'folder'
    const said = wanted(entry.path, isFolder)
    if (skippedNames.has(entry.name) || said === 'exclude') continue
    if (said === 'unsaid' && rules.ignores(entry.path, isFolder)) continue
    if (isFolder) yield* files(workspace, entry, rules, wanted)
    else if (entry.kind === 'file') yield entry
  }
}

/** The lines of a text file; undefined for one that is binary, too large or unreadable. */
async function linesOf(file: FolderEntry): Promise<readonly string[] | undefined> {
  try {
    await using handle = await open(file.real)
    if ((await handle.stat()).size > maxSearchedBytes) return undefined
    const bytes = await handle.readFile()
    const encoding = encodingOf(bytes)
    if (encoding === 'utf-8' && bytes.includes(0)) return undefined
    const text = new TextDecoder(encoding).decode(bytes)
    if (text === '') return []
    return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n').map(line => line.replace(/\r$/, ''))
  } catch {
    // Gone or not readable: a search passes over it, as ripgrep does.
    return undefined
  }
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
}

/** Matches a file's lines inside a context that can be interrupted, so that no pattern can freeze the host. */
class LineMatcher {
  readonly #script = new Script(`
    const found = []
    for (let line = 0; line < lines.length && found.length < most; line++) {
      const start = lines[line].search(expression)
      if (start >= 0) found.push([line, start])
    }
    found`)
  readonly #expression: RegExp

  constructor(query: SearchQuery) {
    this.#expression = expressionOf(query)
  }

  *matches(path: string, lines: readonly string[]): Generator<Match, void> {
    for (const [line, start] of this.#run(path, lines)) {
      yield { path, line: line + 1, text: lines[line] ?? '', start }
    }
  }

  #run(path: string, lines: readonly string[]): readonly [number, number][] {
    const context = createContext({ lines, expression: this.#expression, most: maxMatchesPerFile })
    try {
      return this.#script.runInContext(context, { timeout: maxFileTime })
    } catch (error) {
      // The error comes from the inner context, so it is no instance of this one's Error.
      if (!timedOut.safeParse(error).success) throw error
      throw new FileError('SEARCH_TOO_SLOW', `The pattern takes too long on ${path}. Use a simpler pattern.`)
    }
  }
}

function expressionOf({ pattern, literal, ignoreCase }: SearchQuery): RegExp {
  const source = literal ? pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') : pattern
  const flags = ignoreCase ? 'i' : ''
  try {
    return new RegExp(source, `${flags}u`)
  } catch {
    // The strict form refuses needless escapes such as \- or \_, which models like to write.
  }
  try {
    return new RegExp(source, flags)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new FileError('SEARCH_BAD_PATTERN', `The pattern is not a valid regular expression: ${reason}`)
  }
}
