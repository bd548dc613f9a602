import { z } from 'zod'
import type { Tool } from '../agent/tool.ts'
import { carryOut, type EditContext } from './files/change.ts'
import { FileError, fileOutcome } from './files/file-error.ts'

const parameters = z.strictObject({
  path: z.string().describe('File, relative to the workspace.'),
  old_text: z
    .string()
    .min(1)
    .describe('The exact text to replace, without the line numbers that read_file shows. Must occur exactly once.'),
  new_text: z.string().describe('The text to put in its place.'),
  replace_all: z.boolean().optional().describe('Replace every occurrence instead. Default: false.'),
})

type EditArguments = z.infer<typeof parameters>

/** `edit_file`: an exact replacement in a file, after approval. */
export function editFileTool(context: EditContext): Tool<EditArguments> {
  return {
    name: 'edit_file',
    description:
      'Replaces an exact piece of text in a file. The user sees the difference and must allow it. Read the file first.',
    parameters,
    async run(args, call) {
      const { path } = args
      const compute = (before: string | undefined) => replace(before, args)
      return await fileOutcome(path, () => carryOut({ toolName: 'edit_file', path, compute }, context, call))
    },
  }
}

function replace(before: string | undefined, { path, old_text, new_text, replace_all }: EditArguments): string {
  if (before === undefined) {
    throw new FileError('FS_NOT_FOUND', `${path} does not exist; create it with write_file.`)
  }
  if (old_text === new_text) {
    throw new FileError('FS_TEXT_NOT_FOUND', 'old_text and new_text are the same; there is nothing to change.')
  }
  // The model never sees carriage returns (read_file drops them), so its text is put into the file's own line ends.
  const windows = before.includes('\r\n') && !old_text.includes('\r')
  const old = windows ? old_text.replaceAll('\n', '\r\n') : old_text
  const fresh = windows && !new_text.includes('\r') ? new_text.replaceAll('\n', '\r\n') : new_text
  const pieces = before.split(old)
  const count = pieces.length - 1
  if (count === 0) {
    throw new FileError(
      'FS_TEXT_NOT_FOUND',
      `old_text does not occur in ${path}. Read the file and copy the text exactly.`,
    )
  }
  if (count > 1 && replace_all !== true) {
    throw new FileError(
      'FS_TEXT_AMBIGUOUS',
      `old_text occurs ${count} times in ${path}. Give more text around it, or set replace_all.`,
    )
  }
  return pieces.join(fresh)
}
