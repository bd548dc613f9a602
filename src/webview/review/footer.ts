// The footer of the review panel: feedback, the three decisions, the questions before one, and what was decided.
import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { visible } from '../markdown/visible.ts'
import type { ReviewView } from '../review-messages.ts'
import { banner, button, growToText, icon, quietButton } from '../parts.ts'
import type { Decision, Question, ReviewModel } from './review-store.ts'
import { decided, words } from './words.ts'

/** What a reader can do in the footer. */
export interface FooterActs {
  type(text: string): void
  approve(): void
  keep(): void
  dismiss(): void
  /** Sends a decision whose question was answered by this click. */
  confirm(decision: Decision): void
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
  if (review.state !== 'waiting') return outcome(decided[review.state], review.state === 'approved', model, review)
  if (review.readOnly !== null) return outcome(review.readOnly, false, model, review)
  return html`${box(model, acts)}${model.question ? question(model.question, acts) : buttons(model, review, acts)}`
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
  const hasText = model.feedback.trim() !== ''
  const approve = button({
    id: 'approve',
    label: words.approve,
    title: words.approveHint(isMac),
    secondary: hasText,
    disabled,
    act: acts.approve,
  })
  const keep = button({
    id: 'keep',
    label: words.keep,
    title: words.keepHint,
    key: words.keepKey(isMac),
    secondary: !hasText,
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
    <span class="decide">${keep}${approve}</span>
  </div>`
}

function question(kind: Question, acts: FooterActs): TemplateResult {
  const send = button({ label: words.sendInstead, act: () => acts.confirm('kept') })
  const back = button({ label: words.back, secondary: true, act: acts.back })
  switch (kind) {
    case 'approve':
      return asked(words.askApprove, [button({ label: words.approve, act: () => acts.confirm('approved') }), back])
    case 'approve-with-text':
      return asked(words.askApproveText, [
        send,
        button({ label: words.approveWithout, secondary: true, act: () => acts.confirm('approved') }),
        back,
      ])
    case 'dismiss-with-text':
      return asked(words.askDismissText, [
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
