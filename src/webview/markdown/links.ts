// Decides what a link of a text may do. Everything that isn't plainly the web, mail or a workspace file does nothing.

export type LinkTarget =
  | { readonly kind: 'web'; readonly href: string }
  /** `path` is relative to the workspace folder, without a line number or fragment. */
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'none' }

const scheme = /^[a-z][a-z0-9+.-]*:/i
const web = /^(?:https?:\/\/[^/\s]|mailto:[^\s])/i
const line = /(?::\d+){1,2}$/
/** Inline code that names a file for sure: a folder, a name and an extension. */
const pathInCode = /^(?:[\w@.-]+\/)+[\w@.-]*\w\.[A-Za-z]\w{0,7}(?::\d+){0,2}$/

/** Classifies an address as written in a Markdown link. */
export function linkTarget(address: string): LinkTarget {
  const href = address.trim()
  if (web.test(href)) return { kind: 'web', href }
  const path = decoded(href.replace(/[?#].*$/s, '')).replace(line, '')
  const refused =
    path === '' || scheme.test(path) || /^[/\\]|^~|\\|\p{Cc}/u.test(path) || path.split('/').includes('..')
  return refused ? { kind: 'none' } : { kind: 'file', path: path.replace(/^\.\//, '') }
}

/** The workspace path that a piece of inline code names, if it plainly does. */
export function pathOfCode(code: string): string | undefined {
  if (!pathInCode.test(code)) return undefined
  const target = linkTarget(code)
  return target.kind === 'file' ? target.path : undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A stray percent sign is part of the name.
    return text
  }
}
