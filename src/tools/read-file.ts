import { z } from 'zod'
import type { Tool } from '../agent/tool.ts'
import { excerpt } from './files/excerpt.ts'
import { FileError, fileOutcome } from './files/file-error.ts'
import { readTextFile } from './files/text-file.ts'
import type { Workspace } from './files/workspace.ts'

const maxLines = 2000
const maxChars = 60_000
const maxLineChars = 2000

const parameters = z.strictObject({
  path: z.string().describe('File, relative to the workspace.'),
  start_line: z.int().positive().optional().describe('First line to read, counted from 1. Default: 1.'),
  end_line: z.int().positive().optional().describe('Last line to read, inclusive. Default: the last line.'),
})

/** `read_file`: a text file or a range of its lines, each with its number and a tab before it. */
export function readFileTool(workspace: Workspace): Tool<z.infer<typeof parameters>> {
  return {
    name: 'read_file',
    description: `Reads a text file of the workspace, or a range of its lines. Every line is shown as its number, a tab and its text; the number and tab are not part of the file. At most ${maxLines} lines a call.`,
    parameters,
    parallel: true,
    async run({ path, start_line: first = 1, end_line: last }, call) {
      return await fileOutcome(path, async () => {
        if (last !== undefined && last < first) {
          throw new FileError('FS_NO_SUCH_LINE', `end_line ${last} lies before start_line ${first}.`)
        }
        const place = await workspace.locate(path)
        const lines = linesOf((await readTextFile(place)).text)
        call.signal.throwIfAborted()
        if (lines.length === 0) {
          return { kind: 'success', text: '(the file is empty)', meta: { path: place.path, totalLines: 0 } }
        }
        if (first > lines.length) {
          throw new FileError('FS_NO_SUCH_LINE', `${place.path} has only ${lines.length} lines.`)
        }
        const shown = numbered(lines, first, Math.min(last ?? lines.length, lines.length))
        const end = first + shown.length - 1
        const range = `(lines ${first} to ${end} of ${lines.length})`
        const whole = shown.length === lines.length
        return {
          kind: 'success',
          text: whole ? shown.join('\n') : `${shown.join('\n')}\n${range}`,
          meta: { path: place.path, startLine: first, endLine: end, totalLines: lines.length },
        }
      })
    },
  }
}

function linesOf(text: string): readonly string[] {
  const plain = text.replace(/^\uFEFF/, '')
  if (plain === '') return []
  return (plain.endsWith('\n') ? plain.slice(0, -1) : plain).split('\n').map(line => line.replace(/\r$/, ''))
}

/** Numbered lines from `first` to `last`, as many as fit the bounds, at least one. */
function numbered(lines: readonly string[], first: number, last: number): readonly string[] {
  const shown: string[] = []
  let chars = 0
  for (const [offset, line] of lines.slice(first - 1, Math.min(last, first - 1 + maxLines)).entries()) {
    const cut = line.length > maxLineChars ? `${excerpt(line, 0, maxLineChars)} (line cut)` : line
    chars += cut.length + 1
    if (chars > maxChars && shown.length > 0) break
    shown.push(`${first + offset}\t${cut}`)
  }
  return shown
}
