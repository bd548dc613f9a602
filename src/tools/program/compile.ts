import { transform } from 'sucrase'

/** The name programs go by in their own stack traces. */
export const FILE = 'program.ts'

export type Compiled =
  | { readonly kind: 'script'; readonly script: string }
  | { readonly kind: 'invalid'; readonly problem: string; readonly line?: number }

/** Strips the types of a program's body and wraps it as an async function that runs at once. Lines keep their numbers. */
export function compile(code: string): Compiled {
  try {
    const { code: script } = transform(`(async () => {${code}\n})()`, {
      transforms: ['typescript'],
      disableESTransforms: true,
      keepUnusedImports: true,
    })
    return { kind: 'script', script }
  } catch (error) {
    return invalid(error)
  }
}

/** The parser's "Unexpected token (3:14)" in a sentence, its place apart. */
function invalid(error: unknown): Compiled {
  const said = error instanceof Error ? error.message : ''
  const [, what = 'it cannot be read', line] =
    /^(?:Error transforming \S+: )?(.*?)\s*(?:\((\d+):\d+\))?$/s.exec(said) ?? []
  const problem = `SyntaxError: ${what === '' ? 'it cannot be read' : what}`
  return { kind: 'invalid', problem, ...(line === undefined ? {} : { line: Number(line) }) }
}
