// The top of the review panel: mode, title, revision, the ways elsewhere, and what a reader must know first.
import { html, nothing, type TemplateResult } from 'lit'
import { visible } from '../markdown/visible.ts'
import { banner, icon, modeChip, quietButton } from '../parts.ts'
import type { ReviewView } from '../review-messages.ts'
import { type ReadingActs, readingTools } from './reading-parts.ts'
import type { ReviewModel } from './review-store.ts'
import { stateNames, words } from './words.ts'

/** What a reader can do in the header. */
export interface HeaderActs extends ReadingActs {
  skip(): void
  toggleMode(): void
  showConversation(): void
  continueHere(): void
  toggleRemarks(): void
  /** Shows a revision; null: the latest. */
  showRevision(reviewId: string | null): void
  /** Shows the plan that the model is writing. */
  watch(): void
}

export function header(model: ReviewModel, review: ReviewView, acts: HeaderActs): TemplateResult {
  return html`<header class=${review.revising ? 'revising' : ''}>
    <button type="button" class="skip" @click=${acts.skip}>${words.skip}</button>
    ${modeChip(review.mode, acts.toggleMode)}
    <span class="title" title=${visible(review.title)}>${visible(review.title)}</span>
    <span class="grow"></span>
    ${readingTools(model.changes, review, acts)}
    ${revisions(review, acts)}
    <button
      type="button"
      id="remarks-toggle"
      class="toggle"
      aria-controls="remarks"
      aria-expanded=${model.drawer ? 'true' : 'false'}
      @click=${acts.toggleRemarks}
    >${icon('comment')}<span class="hidden">${words.remarks}</span><span>${model.remarks.length}</span></button>
    ${quietButton({
      icon: 'comment-discussion',
      label: words.conversation,
      title: words.showConversation(visible(review.conversation)),
      act: acts.showConversation,
    })}
  </header>`
}

function revisions(review: ReviewView, acts: HeaderActs): TemplateResult {
  if (review.history.length < 2) {
    return html`<span class="revision">${words.revision(review.revision, review.revisions)}</span>`
  }
  const chosen = (event: Event): void => {
    if (!(event.target instanceof HTMLSelectElement)) return
    const { value } = event.target
    acts.showRevision(value === review.history.at(-1)?.reviewId ? null : value)
  }
  return html`<select class="revision" aria-label=${words.revisionMenu} @change=${chosen}>
    ${review.history.map(
      ({ reviewId, revision, state }) => html`<option value=${reviewId} .selected=${reviewId === review.reviewId}>
        ${words.revisionName(revision, review.revisions, stateNames[state])}
      </option>`,
    )}
  </select>`
}

/** Sentences across the page. */
export function banners(
  { writing }: ReviewModel,
  review: ReviewView,
  acts: HeaderActs,
): TemplateResult | typeof nothing {
  const notLive = !review.live && review.state === 'waiting' && review.readOnly === null && !review.older
  const written = writing !== null && review.state !== 'waiting'
  if (!notLive && !review.revising && !written && review.readOnly === null) return nothing
  return html`<div class="banners">
    ${review.readOnly === null ? nothing : readOnly(review.readOnly, review.continueHere, acts)}
    ${notLive ? banner({ level: 'info', text: words.notLive }) : nothing}
    ${review.revising || written ? atWork(review, written, acts) : nothing}
  </div>`
}

function atWork({ revising }: ReviewView, written: boolean, { watch }: HeaderActs): TemplateResult {
  const text = revising ? words.revising : words.writing
  return banner({ level: 'info', icon: 'sync', text, ...(written && { action: { label: words.watch, act: watch } }) })
}

function readOnly(text: string, continueHere: boolean, acts: HeaderActs): TemplateResult {
  const action = { label: words.continueHere, act: acts.continueHere }
  return banner({ level: 'warning', icon: 'lock', text, ...(continueHere && { action }) })
}
