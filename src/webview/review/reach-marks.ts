// Marks in the drawn plan which files and names are there: those are links; the others say that they were not found.
import type { NamedFile, ReachView } from '../review-messages.ts'
import { readingWords as words } from './reading-words.ts'

/** What is known of a workspace, by name. */
export interface Known {
  readonly files: ReadonlyMap<string, NamedFile>
  readonly symbols: ReadonlyMap<string, ReachView['symbols'][number]>
}

export function knownOf(reach: ReachView): Known {
  return {
    files: new Map(reach.files.map(file => [file.path, file])),
    symbols: new Map(reach.symbols.map(symbol => [symbol.name, symbol])),
  }
}

/** Marks the links and inline code of a drawn block; may be called again when more is known. */
export function markReach(root: Element, known: Known): void {
  for (const link of root.querySelectorAll<HTMLElement>('a[data-target]')) {
    const path = link.dataset.target ?? ''
    const file = link.dataset.open === 'link' || link.dataset.open === 'note' ? undefined : known.files.get(path)
    if (file) setFile(link, file)
  }
  for (const code of root.querySelectorAll<HTMLElement>('code')) {
    if (!code.closest('pre, a')) markCode(code, known)
  }
}

function markCode(code: HTMLElement, { files, symbols }: Known): void {
  const text = code.textContent.trim()
  const file = files.get(text.replace(/(?::\d+(?:-\d+)?){1,2}$/, '').replace(/^\.\//, ''))
  const symbol = symbols.get(
    text
      .replace(/\(\)$/, '')
      .split(/\.|::|#/)
      .at(-1) ?? '',
  )
  if (file) setFile(code, file)
  else if (symbol?.exists) link(code, 'symbol', symbol.name)
  else if (symbol) gone(code, words.missingSymbol(symbol.name))
}

function setFile(element: HTMLElement, file: NamedFile): void {
  if (file.exists) link(element, 'file', file.path)
  else gone(element, words.missingTitle(file.path))
}

/** Without a title: the preview says more. */
function link(element: HTMLElement, open: 'file' | 'symbol', target: string): void {
  element.classList.remove('missing')
  element.classList.add('there')
  element.dataset.open = open
  element.dataset.target = target
  element.setAttribute('role', 'link')
  element.tabIndex = 0
  element.removeAttribute('title')
}

/** No link that leads nowhere. The words "not found" are drawn by the style sheet. */
function gone(element: HTMLElement, title: string): void {
  element.classList.remove('there')
  element.classList.add('missing')
  element.removeAttribute('data-open')
  element.removeAttribute('role')
  element.removeAttribute('tabindex')
  element.title = title
}
