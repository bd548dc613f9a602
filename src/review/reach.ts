import MarkdownIt, { type Env, type Token } from 'markdown-it'

/** What a plan names of a workspace, in the order of the text, each once. */
export interface Named {
  /** Paths relative to the workspace folder, without a line number; plainly meant as files. */
  readonly files: readonly string[]
  /** Inline code such as `limits.enforce`, which may be a file or a symbol. */
  readonly either: readonly string[]
  /** Names of functions, classes and members. */
  readonly symbols: readonly string[]
}

/** More than this of a kind is not looked up. */
export const MOST_NAMED = 300
/** Longer text cannot be a path or a name. */
const LONGEST = 200

const parser = MarkdownIt({ html: false })
parser.validateLink = () => true
parser.normalizeLink = address => address
// Lines are read one by one, and only as long as anything is still looked for.
parser.core.ruler.disable(['inline', 'text_join'])

const LINE = /(?::\d+(?:-\d+)?){1,2}$/
const PATH = /^(?:\.\/)?(?:[\w@.+()[\]-]+\/)+[\w@.+()[\]-]+$/
const FILE_NAME = /^[\w@.+-]*\w\.[A-Za-z]\w{0,9}$/
const SYMBOL = /^#?[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*(?:\(\))?$/
const TEST =
  /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/|(?:^|\/)test_[^/]*$|(?:^|\/)[^/]*[._-](?:tests?|specs?)\.[^/]+$|(?:^|\/)[^/]*(?:Tests?|Spec)\.[A-Za-z]+$/

/** Collects the paths and names of a plan: inline code, and links that are not addresses. Code blocks name nothing. */
export function namedIn(text: string): Named {
  const files = new Set<string>()
  const either = new Set<string>()
  const symbols = new Set<string>()
  const add = (set: Set<string>, name: string) => set.size < MOST_NAMED && set.add(name)
  for (const part of partsOf(text)) {
    if (part.type === 'link_open') {
      const path = pathOf(decoded(String(part.attrGet('href') ?? '').replace(/[?#].*$/s, '')))
      if (path !== undefined) add(files, path)
    } else if (part.type === 'code_inline') {
      const code = part.content.trim()
      const path = pathOf(code)
      if (path !== undefined) add(path.includes('/') ? files : either, path)
      else if (symbolOf(code) !== undefined) add(symbols, symbolOf(code) ?? '')
    }
    if ([files, either, symbols].every(({ size }) => size === MOST_NAMED)) break
  }
  return { files: [...files], either: [...either], symbols: [...symbols] }
}

/** What stands in the lines of a text, in order. */
function* partsOf(text: string): Generator<Token> {
  const env: Env = {}
  for (const { type, content } of parser.parse(text, env)) {
    if (type !== 'inline') continue
    const parts: Token[] = []
    parser.inline.parse(content, parser, env, parts)
    yield* parts
  }
}

/** Whether a path is that of a test, by the names that tests usually have. */
export function isTest(path: string): boolean {
  return TEST.test(path)
}

/**
 * The last part of a symbol's name, as a language server lists it; undefined for a word that no one would take for code:
 * it needs a capital inside, an underscore, a dot or a call.
 */
export function symbolOf(code: string): string | undefined {
  if (code.length > LONGEST || !SYMBOL.test(code)) return undefined
  if (!/[a-z\d][A-Z]|[A-Z][a-z]|_|\.|::|#|\(\)$/.test(code)) return undefined
  return code
    .replace(/\(\)$/, '')
    .split(/\.|::|#/)
    .at(-1)
}

/** The path without `./`, line and column; undefined for an address, a way out of the folder, or no path at all. */
function pathOf(written: string): string | undefined {
  const path = written.trim().replace(LINE, '').replace(/^\.\//, '')
  if (path.length > LONGEST || !(PATH.test(path) || FILE_NAME.test(path))) return undefined
  // A number such as 1/2.5 is none.
  if (!/[A-Za-z]/.test(path) || path.split('/').some(part => part === '..' || part === '.')) return undefined
  return path
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A stray percent sign is part of the name.
    return text
  }
}
