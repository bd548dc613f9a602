import { basename } from 'node:path'
import { z } from 'zod'
import type { ImageStore } from '../agent/attachments.ts'
import type { Tool, ToolOutcome } from '../agent/tool.ts'
import { imageFacts } from '../session/image-facts.ts'
import { excerpt } from './files/excerpt.ts'
import { FileError, fileOutcome } from './files/file-error.ts'
import { decode, readBytes } from './files/text-file.ts'
import type { Place, Workspace } from './files/workspace.ts'

const maxLines = 2000
const maxChars = 60_000
const maxLineChars = 2000

const parameters = z.strictObject({
  path: z.string().describe('File, relative to the workspace.'),
  start_line: z.int().positive().optional().describe('First line to read, counted from 1. Default: 1.'),
  end_line: z.int().positive().optional().describe('Last line to read, inclusive. Default: the last line.'),
})

/**
 * `read_file`: a text file or a range of its lines, each with its number and a tab before it; an image as itself, kept
 * in `images`. Without those an image is a binary file like others.
 */
export function readFileTool(workspace: Workspace, images?: ImageStore): Tool<z.infer<typeof parameters>> {
  return {
    name: 'read_file',
    description: `Reads a text file of the workspace, or a range of its lines. Every line is shown as its number, a tab and its text; the number and tab are not part of the file. At most ${maxLines} lines a call. An image (PNG, JPEG, WebP or GIF) is shown as it is.`,
    parameters,
    parallel: true,
    async run({ path, start_line: first = 1, end_line: last }, call) {
      return await fileOutcome(path, async () => {
        if (last !== undefined && last < first) {
          throw new FileError('FS_NO_SUCH_LINE', `end_line ${last} lies before start_line ${first}.`)
        }
        const place = await workspace.locate(path)
        const { bytes } = await readBytes(place)
        call.signal.throwIfAborted()
        const facts = imageFacts(bytes)
        if (images !== undefined && facts !== undefined) return await shown(place, bytes, images)
        const lines = linesOf(decode(bytes, place.path))
        if (lines.length === 0) {
          return { kind: 'success', text: '(the file is empty)', meta: { path: place.path, totalLines: 0 } }
        }
        if (first > lines.length) {
          throw new FileError('FS_NO_SUCH_LINE', `${place.path} has only ${lines.length} lines.`)
        }
        const read = numbered(lines, first, Math.min(last ?? lines.length, lines.length))
        const end = first + read.length - 1
        const range = `(lines ${first} to ${end} of ${lines.length})`
        const whole = read.length === lines.length
        return {
          kind: 'success',
          text: whole ? read.join('\n') : `${read.join('\n')}\n${range}`,
          meta: { path: place.path, startLine: first, endLine: end, totalLines: lines.length },
        }
      })
    },
  }
}

async function shown({ path }: Place, bytes: Uint8Array, images: ImageStore): Promise<ToolOutcome> {
  const attachment = await images.put(bytes, basename(path))
  const { mediaType, width, height } = attachment
  return {
    kind: 'success',
    text: `${path} is an image: ${mediaType}, ${width} x ${height} pixels, ${bytes.length} bytes.`,
    images: [{ type: 'image', attachment }],
    meta: { path },
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
