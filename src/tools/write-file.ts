import { z } from 'zod'
import type { Tool } from '../agent/tool.ts'
import { carryOut, type EditContext } from './files/change.ts'
import { fileOutcome } from './files/file-error.ts'

const parameters = z.strictObject({
  path: z.string().describe('File, relative to the workspace. Missing folders are created.'),
  content: z.string().describe('The whole new content of the file.'),
})

/** `write_file`: creates a file or replaces it whole, after approval. A file with Windows line ends keeps them. */
export function writeFileTool(context: EditContext): Tool<z.infer<typeof parameters>> {
  return {
    name: 'write_file',
    description:
      'Creates a file or replaces its whole content. The user sees the difference and must allow it. To change part of a file use edit_file.',
    parameters,
    async run({ path, content }, call) {
      const compute = (before: string | undefined) => withLineEndsOf(before, content)
      return await fileOutcome(path, () => carryOut({ toolName: 'write_file', path, compute }, context, call))
    },
  }
}

function withLineEndsOf(before: string | undefined, content: string): string {
  const windows = before?.includes('\r\n') === true && !/(?<!\r)\n/.test(before)
  return windows && !content.includes('\r') ? content.replaceAll('\n', '\r\n') : content
}
