// The footer of the review panel: feedback, the three decisions, the questions before one, and what was decided.
import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { visible } from '../markdown/visible.ts'
import { banner, button, growToText, icon, quietButton } from '../parts.ts'
import type { ReviewView } from '../review-messages.ts'
import { type ApproveMenuActs, approveMenu } from './approve-menu.ts'
import { type Decision, hasUnsent, type Question, type ReviewModel, unsentRemarks } from './review-store.ts'
import { decided, words } from './words.ts'

/** What a reader can do in the footer. */
export interface FooterActs {
  type(text: string): void
  approve(): void
  keep(): void
  dismiss(): void
  /** Sends a decision whose question was answered by this click; `said`: with everything unsent. */
  confirm(decision: Decision, said?: boolean): void
  latest(): void
  readonly menu: ApproveMenuActs
  /** Goes back to the feedback box. */
  write(): void
  back(): void
}

const isMac = navigator.userAgent.includes('Mac')

export function footer(model: ReviewModel, review: ReviewView, acts: FooterActs): TemplateResult {
  return html`<footer tabindex="-1" aria-label=${words.decision}>
    ${model.refused === null ? nothing : banner({ level: 'error', text: model.refused })}
    ${content(model, review, acts)}
  </footer>`
}

function content(model: ReviewModel, review: ReviewView, acts: FooterActs): TemplateResult {
  if (review.older) return older(review, acts)
  if (review.state !== 'waiting') return outcome(decided[review.state], review.state === 'approved', model, review)
  if (review.readOnly !== null) return outcome(review.readOnly, false, model, review)
  return html`${box(model, acts)}${model.question ? question(model.question, model, acts) : buttons(model, review, acts)}`
}

function box(model: ReviewModel, acts: FooterActs): TemplateResult {
  const typed = (event: Event): void => {
    if (!(event.target instanceof HTMLTextAreaElement)) return
    growToText(event.target)
    acts.type(event.target.value)
  }
  return html`
    <textarea
      class="text-box"
      rows="1"
      aria-label=${words.feedbackLabel}
      aria-describedby="feedback-hint"
      placeholder=${words.feedbackPlaceholder}
      .value=${live(model.feedback)}
      ?readonly=${model.sending !== null}
      @input=${typed}
    ></textarea>
    <span id="feedback-hint" class="hidden">${words.feedbackHint}</span>
  `
}

function buttons(model: ReviewModel, review: ReviewView, acts: FooterActs): TemplateResult {
  const disabled = model.sending !== null
  const unsent = hasUnsent(model)
  const remarks = unsentRemarks(model)
  const approve = button({
    id: 'approve',
    label: words.approve,
    title: words.approveHint(isMac),
    secondary: unsent,
    disabled,
    act: acts.approve,
  })
  const keep = button({
    id: 'keep',
    label: remarks > 0 ? words.keepWith(remarks) : words.keep,
    title: words.keepHint,
    key: words.keepKey(isMac),
    secondary: !unsent,
    disabled,
    act: acts.keep,
  })
  return html`<div class="acts">
    ${quietButton({ id: 'dismiss', label: words.dismiss, title: words.dismissHint, disabled, act: acts.dismiss })}
    <span class="grow"></span>
    ${
      disabled
        ? html`<span class="with dim" role="status">${icon('loading', true)} ${words.sending}</span>`
        : html`<span class="with dim">${words.carriedOutWith(review.carriedOutWith)}</span>`
    }
    <span class="decide">${keep}<span class="split">${approve}${approveMenu(model, review, acts.menu, disabled)}</span></span>
  </div>`
}

function question(kind: Question, model: ReviewModel, acts: FooterActs): TemplateResult {
  const send = button({ label: words.sendInstead, act: () => acts.confirm('kept') })
  const back = button({ label: words.back, secondary: true, act: acts.back })
  switch (kind) {
    case 'approve':
      return asked(askApprove(model), [button({ label: words.approve, act: () => acts.confirm('approved') }), back])
    case 'approve-with-text':
      return asked(unsentText(model, 'approve'), [
        send,
        button({
          label: model.editedHash === null ? words.approveWithText : words.approveEdits,
          secondary: true,
          act: () => acts.confirm('approved', true),
        }),
        button({ label: words.approveWithout, secondary: true, act: () => acts.confirm('approved') }),
        back,
      ])
    case 'dismiss-with-text':
      return asked(unsentText(model, 'dismiss'), [
        send,
        button({ label: words.dismissWithout, secondary: true, act: () => acts.confirm('dismissed') }),
        back,
      ])
    case 'keep-empty':
      return asked(words.askKeepEmpty, [
        button({ label: words.back, act: acts.write }),
        button({ label: words.sendEmpty, secondary: true, act: () => acts.confirm('kept') }),
      ])
  }
}

function askApprove({ next }: ReviewModel): string {
  if (next === undefined) return words.askApprove
  return next === 'save' ? words.askApproveSave : words.askApproveFresh
}

/** What is unsent, and that the decision does not send it. */
function unsentText(model: ReviewModel, decision: 'approve' | 'dismiss'): string {
  const things = words.unsentThings(unsentRemarks(model), model.editedHash !== null)
  if (things === '') return decision === 'approve' ? words.askApproveText : words.askDismissText
  return words.askUnsent(things, model.feedback.trim() !== '', decision)
}

function older(review: ReviewView, acts: FooterActs): TemplateResult {
  const became = review.state === 'waiting' ? '' : decided[review.state]
  return html`
    <div class="acts">
      <p class="outcome">${icon('history')}<span>${words.older} ${became}</span></p>
      <span class="decide">${button({ label: words.latest, secondary: true, act: acts.latest })}</span>
    </div>
    ${review.feedback ? said(words.sentFeedback, review.feedback) : nothing}
  `
}

function asked(text: string, answers: readonly TemplateResult[]): TemplateResult {
  return html`<div class="acts question" role="group" aria-labelledby="question">
    <p id="question" role="alert">${text}</p>
    <span class="grow"></span>
    <span class="decide">${answers}</span>
  </div>`
}

function outcome(text: string, approved: boolean, model: ReviewModel, review: ReviewView): TemplateResult {
  return html`
    <p class="outcome">${icon(approved ? 'pass-filled' : 'info')}<span>${text}</span></p>
    ${review.feedback ? said(words.sentFeedback, review.feedback) : nothing}
    ${model.feedback.trim() === '' ? nothing : said(words.unsent, model.feedback)}
  `
}

function said(label: string, text: string): TemplateResult {
  return html`<div class="said"><span class="dim small">${label}</span><blockquote tabindex="0">${visible(text)}</blockquote></div>`
}
