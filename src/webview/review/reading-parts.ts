// What the panel draws around the plan that is read: the tools in its header, and a plan that is still being written.
import { html, nothing, type TemplateResult } from 'lit'
import type { OpenEvent } from '../markdown/markdown-view.ts'
import type { ChangesView, FromReview } from '../review-messages.ts'
import { banner, icon } from '../parts.ts'
import type { PlanReading } from './reading.ts'
import { readingWords as words } from './reading-words.ts'

/** The size of the change, search, and the outline where it is a menu. */
export function readingTools(changes: ChangesView | null, reading: () => PlanReading | null): TemplateResult {
  return html`${changes === null ? nothing : changeBadge(changes, () => reading()?.nextChange())}
    <button type="button" class="tool outline-menu" aria-label=${words.showOutline} title=${words.showOutline}
      @click=${() => reading()?.toggleOutline()}>${icon('list-tree')}</button>
    <button type="button" class="tool" aria-label=${words.search} title=${words.searchHint}
      @click=${() => reading()?.search.show()}>${icon('search')}</button>`
}

function changeBadge(changes: ChangesView, next: () => void): TemplateResult {
  const { added, removed } = changes
  const label = `${words.size(changes)} ${words.since(changes)}. ${words.nextChange}`
  return html`<button type="button" class="tool badge" title=${label} @click=${next}>
    <span class="plus">+${added}</span> <span class="minus">−${removed}</span>
    <span class="dim since">${words.sinceShort(changes)}</span>
  </button>`
}

/** A plan that the model is writing: to be read, not decided. `back` leads to the plan that is here. */
export function writingView(text: string, back?: () => void): TemplateResult {
  const action = back && { label: words.backToReview, act: back }
  return html`<header>
      <span class="title">${icon('edit')} ${words.writingTitle}</span>
    </header>
    <div class="banners">${banner({ level: 'info', text: words.writing, ...(action && { action }) })}</div>
    <plan-reading .text=${text}></plan-reading>`
}

/** What the host is asked for when a reader opens a link of the plan. */
export function openMessage({ what, address }: OpenEvent): FromReview {
  switch (what) {
    case 'file':
      return { kind: 'openFile', path: address }
    case 'symbol':
      return { kind: 'openSymbol', name: address }
    case 'link':
      return { kind: 'openLink', href: address }
  }
}
