// What the panel draws around the plan that is read: the tools in its header, and a plan that is still being written.
import { html, nothing, type TemplateResult } from 'lit'
import type { OpenEvent } from '../markdown/markdown-view.ts'
import { banner, icon } from '../parts.ts'
import type { ChangesView, FromReview, ReviewView } from '../review-messages.ts'
import type { PlanReading } from './reading.ts'
import { readingWords as words } from './reading-words.ts'
import { stateNames } from './words.ts'

/** What the tools in the header do. */
export interface ReadingActs {
  reading(): PlanReading | null
  /** Shows what changed since an older revision; null: since the last one that was decided. */
  compareWith(reviewId: string | null): void
}

/** The size of the change, search, and the outline where it is a menu. */
export function readingTools(changes: ChangesView | null, review: ReviewView, acts: ReadingActs): TemplateResult {
  const { reading } = acts
  return html`${changes === null ? nothing : changeBadge(changes, review, acts)}
    <button type="button" class="tool outline-menu" aria-label=${words.showOutline} title=${words.showOutline}
      @click=${() => reading()?.toggleOutline()}>${icon('list-tree')}</button>
    <button type="button" class="tool" aria-label=${words.search} title=${words.searchHint}
      @click=${() => reading()?.search.show()}>${icon('search')}</button>`
}

function changeBadge(changes: ChangesView, review: ReviewView, acts: ReadingActs): TemplateResult {
  const { added, removed } = changes
  const next = () => acts.reading()?.nextChange()
  const older = review.history.filter(({ revision }) => revision < review.revision)
  const label = `${words.size(changes)} ${words.since(changes)}. ${words.nextChange}`
  return html`<button type="button" class="tool badge" title=${label} @click=${next}>
    <span class="plus">+${added}</span> <span class="minus">−${removed}</span>
    ${older.length < 2 ? html`<span class="dim since">${words.sinceShort(changes)}</span>` : nothing}
  </button>${older.length < 2 ? nothing : baseMenu(changes, older, acts)}`
}

function baseMenu({ base }: ChangesView, older: ReviewView['history'], acts: ReadingActs): TemplateResult {
  const chosen = (event: Event): void => {
    if (event.target instanceof HTMLSelectElement) acts.compareWith(event.target.value)
  }
  return html`<select class="since" aria-label=${words.compareWith} @change=${chosen}>
    ${older.toReversed().map(
      ({ reviewId, revision, state }) => html`<option value=${reviewId} .selected=${revision === base}>
        ${words.sinceName(revision, stateNames[state])}
      </option>`,
    )}
  </select>`
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
