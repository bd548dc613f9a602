// The glob language of .gitignore files and of the search tool's `glob`, as ripgrep reads both.

interface Rule {
  readonly matcher: RegExp
  readonly negated: boolean
  readonly foldersOnly: boolean
}

/** Rules of nested .gitignore files: the deepest file that says anything about a path decides, its last line first. */
export class IgnoreRules {
  static readonly none = new IgnoreRules([])
  readonly #files: readonly { readonly folder: string; readonly rules: readonly Rule[] }[]

  private constructor(files: readonly { readonly folder: string; readonly rules: readonly Rule[] }[]) {
    this.#files = files
  }

  /** Adds the .gitignore `text` of `folder` (workspace-relative, '.' for the root). Lines that are no pattern are skipped. */
  with(folder: string, text: string): IgnoreRules {
    const rules = text.split(/\r?\n/).flatMap(line => ruleOf(line) ?? [])
    return rules.length === 0 ? this : new IgnoreRules([{ folder, rules }, ...this.#files])
  }

  /** Whether an entry is left out; its folder must not be left out already. */
  ignores(path: string, isFolder: boolean): boolean {
    for (const { folder, rules } of this.#files) {
      const inner = folder === '.' ? path : path.slice(folder.length + 1)
      const rule = rules.findLast(rule => (isFolder || !rule.foldersOnly) && rule.matcher.test(inner))
      if (rule !== undefined) return !rule.negated
    }
    return false
  }
}

/**
 * Compiles one glob to a test of workspace-relative paths. Without a slash (but a last one) it matches at any depth;
 * a last slash limits it to folders.
 * @throws SyntaxError for an unclosed class or group.
 */
export function compileGlob(glob: string): { readonly matcher: RegExp; readonly foldersOnly: boolean } {
  const foldersOnly = glob.endsWith('/') && glob.length > 1
  const body = foldersOnly ? glob.slice(0, -1) : glob
  const anchored = body.includes('/')
  const pattern = body.startsWith('/') ? body.slice(1) : body
  return { matcher: new RegExp(`^${anchored ? '' : '(?:.*/)?'}${translate(pattern)}$`, 'su'), foldersOnly }
}

/** Escapes a path so that a glob matches exactly it. */
export function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{}!]/g, '\\$&')
}

function ruleOf(line: string): Rule | undefined {
  const trimmed = line.replace(/(?<!\\) +$/, '')
  if (trimmed === '' || trimmed.startsWith('#')) return undefined
  const negated = trimmed.startsWith('!')
  try {
    return { ...compileGlob(negated ? trimmed.slice(1) : trimmed), negated }
  } catch {
    // A malformed line of someone's .gitignore means nothing to git either.
    return undefined
  }
}

function translate(glob: string): string {
  let out = ''
  let groups = 0
  for (let at = 0; at < glob.length; at++) {
    const rest = glob.slice(at)
    const stars = /^(?:(?<![^/])\*\*\/)+/.exec(rest)?.[0]
    const starts = at === 0 || glob[at - 1] === '/'
    const char = rest.charAt(0)
    if (starts && stars !== undefined) {
      out += '(?:.*/)?'
      at += stars.length - 1
    } else if (starts && rest === '**') {
      out += at === 0 ? '.*' : '.+'
      at += 1
    } else if (char === '*') out += '[^/]*'
    else if (char === '?') out += '[^/]'
    else if (char === '[') {
      const length = classLength(rest)
      out += classOf(rest.slice(1, length - 1))
      at += length - 1
    } else if (char === '{') {
      groups += 1
      out += '(?:'
    } else if (char === '}' && groups > 0) {
      groups -= 1
      out += ')'
    } else if (char === ',' && groups > 0) out += '|'
    else if (char === '\\' && rest.length > 1) {
      out += literal(rest.charAt(1))
      at += 1
    } else out += literal(char)
  }
  if (groups > 0) throw new SyntaxError(`The glob ${glob} has an unclosed {.`)
  return out
}

function classLength(rest: string): number {
  const length = /^\[[!^]?\]?(?:\\.|[^\]])*\]/s.exec(rest)?.[0].length
  if (length === undefined) throw new SyntaxError(`The glob has an unclosed [ at ${rest}.`)
  return length
}

function classOf(inner: string): string {
  const negated = /^[!^]/.test(inner)
  const members = (negated ? inner.slice(1) : inner).replace(/\\(.)|[[\]^]/gs, (found, escaped: string | undefined) =>
    escaped === '-' ? '\\-' : literal(escaped ?? found),
  )
  return `(?!/)[${negated ? '^' : ''}${members}]`
}

function literal(char: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char
}
