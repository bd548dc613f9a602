// The `glob` of a search: a pattern of .gitignore, and braces besides, as ripgrep reads it.
import ignore from 'ignore'
import { FileError } from '../files/file-error.ts'

/** What a glob says of an entry; where it says nothing, the .gitignore files decide. */
export type FileFilter = (path: string, isFolder: boolean) => 'include' | 'exclude' | 'unsaid'

const maxLength = 1000
const maxAlternatives = 1000

/** An escape, a class or a character. */
const token = /\\.|\[[!^]?\]?(?:\\.|[^\]\\])*\]|./gs

/**
 * A glob wins over .gitignore and leaves out every file that it does not match; with a leading `!` it leaves out what
 * it matches.
 * @throws FileError `SEARCH_BAD_GLOB` for an unclosed class or brace, and past the limits.
 */
export function fileFilter(glob: string | undefined): FileFilter {
  if (glob === undefined) return () => 'unsaid'
  const negated = glob.startsWith('!')
  // Rules that take back, for they alone match an entry without everything below it.
  const rules = ignore({ ignoreCase: false }).add(alternatives(glob.slice(negated ? 1 : 0)).map(one => `!${one}`))
  return (path, isFolder) => {
    if (rules.test(isFolder ? `${path}/` : path).unignored) return negated ? 'exclude' : 'include'
    return negated || isFolder ? 'unsaid' : 'exclude'
  }
}

/** The patterns without braces that a glob stands for. A slash anywhere ties all of them to the workspace folder. */
function alternatives(glob: string): string[] {
  if (glob.length > maxLength) throw badGlob(`${glob.slice(0, 100)}…`)
  const anchor = /\/(?!$)/.test(glob) ? '/' : ''
  const found: string[] = []
  for (const alternative of expand(glob)) {
    if (found.push(anchor + alternative.replace(/^\//, '')) > maxAlternatives) throw badGlob(glob)
  }
  return found
}

/** Writes out braces, innermost first. An empty alternative matches nothing. */
function* expand(glob: string): Generator<string, void> {
  const tokens: readonly string[] = glob.match(token) ?? []
  const close = tokens.indexOf('}')
  const open = tokens.lastIndexOf('{', close === -1 ? tokens.length : close)
  if (tokens.includes('[') || tokens.includes('\\') || (open === -1) !== (close === -1)) throw badGlob(glob)
  if (close === -1) return yield glob
  const choices = tokens.slice(open + 1, close).map(each => (each === ',' ? '\0' : each))
  for (const choice of choices.join('').split('\0')) {
    if (choice !== '') yield* expand(tokens.toSpliced(open, close - open + 1, choice).join(''))
  }
}

function badGlob(glob: string): FileError {
  return new FileError('SEARCH_BAD_GLOB', `${glob} is not a valid glob.`)
}
