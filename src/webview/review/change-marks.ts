// Marks beside the drawn plan what changed since its base; removed text unfolds in place. The plan's own text stays.
import { css, html, LitElement, nothing, type TemplateResult } from 'lit'
import { visible } from '../markdown/visible.ts'
import type { ChangesView } from '../review-messages.ts'
import { readingWords as words } from './reading-words.ts'

type Hunk = ChangesView['hunks'][number]

/** `<change-mark>`: says for a screen reader what the bar beside the text shows, and holds the removed text. */
export class ChangeMark extends LitElement {
  static override properties = { base: { attribute: false }, hunk: { attribute: false }, shown: { state: true } }
  static override styles = css`
    :host { display: block; user-select: none; }
    .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    button {
      font: inherit; font-size: 11px; line-height: 16px; padding: 0 6px; cursor: pointer;
      color: var(--removed); background: none; border: 1px solid var(--line); border-radius: 8px;
    }
    button:focus-visible { outline: 1px solid var(--focus); outline-offset: 1px; }
    pre {
      margin: 4px 0; padding: 6px 10px; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 18lh; overflow: auto;
      font-size: 0.88em; line-height: 1.5; color: var(--fg); border-inline-start: 3px solid var(--removed);
      font-family: var(--vscode-editor-font-family, monospace); font-weight: normal;
      text-decoration: line-through; text-decoration-color: var(--removed);
    }
  `
  declare base: number
  declare hunk: Hunk
  declare shown: boolean

  constructor() {
    super()
    this.shown = false
  }

  protected override render(): TemplateResult {
    const { start, end, removed } = this.hunk
    const kind = start === end ? words.removedHere : removed === '' ? words.added : words.changed
    const count = removed === '' ? 0 : removed.split('\n').length
    return html`<span class="hidden">${kind(this.base)}</span>${
      count === 0
        ? nothing
        : html`<button type="button" aria-expanded=${this.shown} @click=${() => (this.shown = !this.shown)}>${
            this.shown ? words.hideRemoved : words.showRemoved(count)
          }</button>`
    }${this.shown ? html`<pre tabindex="0" role="group" aria-label=${words.removedLabel}>${visible(removed)}</pre>` : nothing}`
  }
}

/** Without text between the lines of two blocks, a removal is told at the one after it. */
export function markChanges(root: Element, changes: ChangesView, source: readonly string[]): void {
  const [from, to] = rangeOf(root)
  if (from === undefined || to === undefined) return
  for (const hunk of changes.hunks) {
    if (hunk.start >= to) return
    const removal = hunk.start === hunk.end
    if (removal ? hunk.start < from || hunk.start >= to : hunk.end <= from || hunk.start >= to) continue
    let isFirst = hunk.start >= from || beforeIsBlank(hunk, from, source)
    for (const element of ownersOf(root, removal ? { ...hunk, end: hunk.start + 1 } : hunk, source)) {
      if (!removal) element.classList.add(hunk.removed === '' ? 'is-added' : 'is-changed')
      if (isFirst) place(element, changes.base, hunk)
      isFirst = false
    }
  }
}

export function unmarkChanges(root: Element): void {
  for (const mark of root.querySelectorAll('change-mark')) mark.remove()
  for (const element of root.querySelectorAll('.is-added, .is-changed'))
    element.classList.remove('is-added', 'is-changed')
}

/** Whether a hunk that begins above a block has no words of the plan above it. */
function beforeIsBlank(hunk: Hunk, from: number, source: readonly string[]): boolean {
  return source.slice(hunk.start, from).every(line => line.trim() === '')
}

function rangeOf(element: Element): readonly (number | undefined)[] {
  return element.getAttribute('data-lines')?.split('-').map(Number) ?? []
}

/** The innermost elements whose own lines, not those of blocks within them, a hunk touches. */
function ownersOf(element: Element, hunk: Pick<Hunk, 'start' | 'end'>, source: readonly string[]): Element[] {
  const [from = 0, to = 0] = rangeOf(element)
  const inner = innerOf(element)
  const taken = inner.map(rangeOf)
  for (let line = Math.max(from, hunk.start); line < Math.min(to, hunk.end); line++) {
    const isInner = taken.some(([start = 0, end = 0]) => line >= start && line < end)
    if (!isInner && source[line]?.trim() !== '') return [element]
  }
  return inner
    .filter(each => {
      const [start = 0, end = 0] = rangeOf(each)
      return start < hunk.end && end > hunk.start
    })
    .flatMap(each => ownersOf(each, hunk, source))
}

function innerOf(element: Element): Element[] {
  return [...element.children].flatMap(child => (child.hasAttribute('data-lines') ? [child] : innerOf(child)))
}

function place(element: Element, base: number, hunk: Hunk): void {
  const mark = new ChangeMark()
  mark.base = base
  mark.hunk = hunk
  const row = element.closest('.table')
  if (row) row.before(mark)
  else if (element.matches('.diagram')) element.before(mark)
  else if (/^(?:LI|BLOCKQUOTE|DIV)$/.test(element.tagName)) element.prepend(mark)
  else element.before(mark)
}

customElements.define('change-mark', ChangeMark)
