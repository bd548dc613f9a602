// Which paths the .gitignore files of a workspace leave out, as git reads them.
import ignore, { type Ignore } from 'ignore'

/** The rules of a folder's .gitignore and of those above it. */
export class IgnoreRules {
  static readonly none = new IgnoreRules([])
  readonly #rules: Ignore

  private constructor(rules: readonly (string | Ignore)[]) {
    this.#rules = ignore({ ignoreCase: false }).add(rules)
  }

  /** Adds the .gitignore `text` of `folder` (workspace-relative, '.' for the root). Lines that are no pattern are skipped. */
  with(folder: string, text: string): IgnoreRules {
    const lines = text.split(/\r?\n/)
    return new IgnoreRules([this.#rules, ...(folder === '.' ? lines : lines.flatMap(line => within(folder, line)))])
  }

  /** The rules for what is inside a folder that was asked for by name: taken back if they leave it out. */
  inside(folder: string): IgnoreRules {
    if (folder === '.' || !this.ignores(folder, true)) return this
    return new IgnoreRules([this.#rules, `!/${escapeGlob(folder)}/`])
  }

  /** Whether an entry, or a folder that it is in, is left out. */
  ignores(path: string, isFolder: boolean): boolean {
    return this.#rules.ignores(isFolder ? `${path}/` : path)
  }
}

/** Escapes a path so that a pattern of .gitignore, or a glob of ripgrep, matches exactly it. */
export function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{}!]/g, '\\$&')
}

/**
 * A line of a nested .gitignore as the root's would say it. All rules are kept in one list because a folder that a
 * deeper file takes back in must not be left out again through its parent's rules.
 */
function within(folder: string, line: string): readonly string[] {
  if (line.startsWith('#') || /^!?\/* *$/.test(line)) return []
  const negation = line.startsWith('!') ? '!' : ''
  const pattern = line.slice(negation.length)
  const anchored = /\/(?! *$)/.test(pattern)
  return [`${negation}/${escapeGlob(folder)}/${anchored ? '' : '**/'}${pattern.replace(/^\//, '')}`]
}
