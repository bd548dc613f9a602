import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Tool } from '../agent/tool.ts'
import { excerpt } from './files/excerpt.ts'
import { FileError, fileOutcome } from './files/file-error.ts'
import type { Workspace } from './files/workspace.ts'
import { fileFilter } from './search/file-filter.ts'
import type { Match, SearchQuery } from './search/match.ts'
import { searchWithNode } from './search/node-search.ts'
import { searchWithRipgrep } from './search/ripgrep.ts'

const maxMatches = 200
const maxPreview = 240
const maxTime = 30_000

const parameters = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .describe('What to look for in each line: a regular expression, or plain text with literal.'),
  literal: z.boolean().optional().describe('Take the pattern as plain text. Default: false.'),
  ignore_case: z.boolean().optional().describe('Ignore upper and lower case. Default: false.'),
  glob: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Only files that match this glob, such as "*.ts" or "src/**"; with a leading "!" only files that do not.',
    ),
})

/**
 * `search_text`: matching lines of the workspace's text files, by path and line. With the path of a ripgrep binary it
 * uses that, else plain Node; both give the same result.
 */
export function searchText(workspace: Workspace, ripgrep?: string): Tool<z.infer<typeof parameters>> {
  return {
    name: 'search_text',
    description: `Searches the text files of the workspace line by line and lists matching lines as path:line: text. Leaves out .git, node_modules, binary files, files over 2 MB and what .gitignore leaves out. At most ${maxMatches} matches.`,
    parameters,
    parallel: true,
    async run({ pattern, literal = false, ignore_case: ignoreCase = false, glob }, call) {
      return await fileOutcome('The workspace', async () => {
        const query = { pattern, literal, ignoreCase, ...(glob === undefined ? {} : { glob }) }
        assertSearchable(query)
        const timeout = AbortSignal.timeout(maxTime)
        try {
          const matches = await collect(query, workspace, ripgrep, AbortSignal.any([call.signal, timeout]))
          return { kind: 'success', text: inWords(matches), meta: { matches: Math.min(matches.length, maxMatches) } }
        } catch (error) {
          call.signal.throwIfAborted()
          if (!timeout.aborted || error instanceof FileError) throw error
          throw new FileError(
            'SEARCH_TOO_SLOW',
            'The search took more than 30 seconds. Narrow the pattern or the glob.',
          )
        }
      })
    },
  }
}

function assertSearchable({ pattern, literal, glob }: SearchQuery): void {
  if (/[\r\n]/.test(pattern) || (!literal && /(?<!\\)(?:\\\\)*\\n/.test(pattern))) {
    throw new FileError('SEARCH_BAD_PATTERN', 'The search goes line by line; a pattern cannot contain a line end.')
  }
  fileFilter(glob)
}

/** At most one match more than is shown, which tells that there are more. */
async function collect(
  query: SearchQuery,
  workspace: Workspace,
  ripgrep: string | undefined,
  signal: AbortSignal,
): Promise<readonly Match[]> {
  const usable = ripgrep !== undefined && (await runs(ripgrep))
  const found = usable ? searchWithRipgrep(ripgrep, query, workspace, signal) : searchWithNode(query, workspace, signal)
  const root = await workspace.realRoot()
  const matches: Match[] = []
  for await (const match of found) {
    if (await isForbidden(workspace, join(root, match.path))) continue
    matches.push(match)
    if (matches.length > maxMatches) break
  }
  return matches
}

/** The engines skip forbidden folders by themselves; nothing of one is shown even if an engine did not. */
async function isForbidden(workspace: Workspace, real: string): Promise<boolean> {
  try {
    await workspace.locate(real)
    return false
  } catch {
    return true
  }
}

async function runs(binary: string): Promise<boolean> {
  try {
    await access(binary, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function inWords(matches: readonly Match[]): string {
  if (matches.length === 0) return 'No matches.'
  const lines = matches.slice(0, maxMatches).map(match => `${match.path}:${match.line}: ${preview(match)}`)
  if (matches.length > maxMatches) lines.push(`(only the first ${maxMatches} matches; narrow the pattern or the glob)`)
  return lines.join('\n')
}

/** The line, or the part of a long one that holds the match. */
function preview({ text, start }: Match): string {
  if (text.length <= maxPreview) return text
  const from = Math.max(0, Math.min(start - 60, text.length - maxPreview))
  const cut = excerpt(text, from, maxPreview)
  return `${from > 0 ? '…' : ''}${cut}${from + maxPreview < text.length ? '…' : ''}`
}
