// The review panel: the plan to read, and a footer with every decision always in view.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { Host } from '../host.ts'
import { OpenEvent } from '../markdown/markdown-view.ts'
import { visible } from '../markdown/visible.ts'
import type { FromReview, ReviewView, ToReview } from '../messages.ts'
import { PageElement } from '../page-element.ts'
import { banner, focusOn, modeChip, quietButton } from '../parts.ts'
import { Pause } from '../pause.ts'
import { type FooterActs, footer } from './footer.ts'
import { type Place, placeIn, restorePlace } from './place.ts'
import { type Decision, emptyModel, type Question, type ReviewModel, receive } from './review-store.ts'
import './reading.ts'
import { openMessage, readingTools, writingView } from './reading-parts.ts'
import type { SavedReview } from './saved.ts'
import { SecondClick } from './second-click.ts'
import { words } from './words.ts'

/** After this many ms without an answer the buttons come back: never a dead button. */
const answerTimeout = 15_000

/** `<review-panel>`; `host` is set before it is connected. */
export class ReviewPanel extends PageElement {
  static override properties = { model: { state: true } }
  declare model: ReviewModel
  declare host: Host<FromReview, SavedReview>

  readonly #draft = new Pause(() => this.#postDraft())
  #timer: ReturnType<typeof setTimeout> | undefined
  #place: Place | undefined
  /** The control that had the focus before the question; it is drawn anew afterwards. */
  #beforeQuestion = ''
  readonly #secondClick = new SecondClick()
  #hadFocus = false

  constructor() {
    super()
    this.model = emptyModel
    window.addEventListener('keydown', event => this.#keyFirst(event), { capture: true })
    window.addEventListener('keydown', event => this.#key(event))
    window.addEventListener('click', click => this.#secondClick.see(click, this.model.question !== null), {
      capture: true,
    })
    window.addEventListener('blur', () => this.#draft.now())
    window.addEventListener('pagehide', () => this.#draft.now())
    this.addEventListener('open-target', event => {
      if (event instanceof OpenEvent) this.host.post(openMessage(event))
    })
  }

  /** Takes a message of the host. */
  receive(message: ToReview): void {
    const before = this.model.review
    this.#draft.now()
    this.model = receive(this.model, message)
    const review = this.model.review
    if (!this.model.sending) clearTimeout(this.#timer)
    if (!review || (before?.reviewId === review.reviewId && before.planHash === review.planHash)) return
    if (before) this.#place = placeIn(this.querySelector('main'))
    this.#restoreDraft(review, before)
  }

  /** Text that was not sent goes with the reader: to the revision, and over a reload. */
  #restoreDraft(review: ReviewView, before: ReviewView | null): void {
    const saved = this.host.saved()
    if (!before && saved?.reviewId === review.reviewId && this.model.feedback === '') {
      this.model = { ...this.model, feedback: saved.text, feedbackAt: saved.at }
    }
    if (before && this.model.feedback !== '') this.#postDraft()
    else this.#save(review)
  }

  #postDraft(): void {
    const { review, feedback } = this.model
    if (!review) return
    this.#save(review)
    this.host.post({ kind: 'draft', reviewId: review.reviewId, text: feedback })
  }

  #save({ sessionId, reviewId }: ReviewView): void {
    this.host.save({ sessionId, reviewId, text: this.model.feedback, at: this.model.feedbackAt })
  }

  #type(text: string): void {
    this.model = { ...this.model, feedback: text, feedbackAt: Date.now(), question: null }
    if (this.model.review) this.#save(this.model.review)
    this.#draft.soon()
  }

  #ask(question: Question): void {
    if (this.model.sending || !this.#open) return
    this.#beforeQuestion = document.activeElement?.id ?? ''
    this.#secondClick.asked()
    this.model = { ...this.model, question, refused: null }
  }

  #back(): void {
    this.model = { ...this.model, question: null }
    void this.updateComplete.then(() => focusOn(document.getElementById(this.#beforeQuestion) ?? this.#box))
  }

  #decide(decision: Decision): void {
    const review = this.model.review
    if (!review || this.model.sending || !this.#open) return
    this.#draft.now()
    // A button that is disabled loses the focus; the footer keeps it.
    const footer = this.querySelector<HTMLElement>('footer')
    if (footer?.contains(document.activeElement) && document.activeElement !== this.#box) footer.focus()
    this.model = { ...this.model, sending: decision, question: null, refused: null }
    const feedback = decision === 'kept' ? this.model.feedback.trim() : ''
    this.host.post({ kind: 'decide', reviewId: review.reviewId, planHash: review.planHash, decision, feedback })
    this.#timer = setTimeout(() => {
      this.model = { ...this.model, sending: null, refused: words.unanswered }
    }, answerTimeout)
  }

  #approve(askFirst: boolean): void {
    if (this.model.feedback.trim() !== '') this.#ask('approve-with-text')
    else if (askFirst) this.#ask('approve')
    else this.#decide('approved')
  }

  #keep(): void {
    if (this.model.feedback.trim() === '') this.#ask('keep-empty')
    else this.#decide('kept')
  }

  get #open(): boolean {
    const review = this.model.review
    return review?.state === 'waiting' && review.readOnly === null
  }

  get #box(): HTMLTextAreaElement | null {
    return this.querySelector('textarea')
  }

  /** Before any button sees it: Alt+Enter approves after asking, and a key that is held answers nothing. */
  #keyFirst(event: KeyboardEvent): void {
    const approves = event.key === 'Enter' && event.altKey && !event.ctrlKey && !event.metaKey && !event.isComposing
    const held = event.repeat && (event.key === 'Enter' || event.key === ' ') && event.target !== this.#box
    if (!approves && !held) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (held || event.repeat) return
    if (this.model.question === null) this.#approve(true)
    else if (this.model.question === 'approve') this.#decide('approved')
  }

  #key(event: KeyboardEvent): void {
    if (event.isComposing) return
    if (event.key === 'Escape' && this.model.question !== null) {
      event.preventDefault()
      this.#back()
    } else if (event.target === this.#box) this.#boxKey(event)
  }

  #boxKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      event.preventDefault()
      this.querySelector('main')?.focus()
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      if (!event.repeat) this.#keep()
    }
  }

  protected override willUpdate(): void {
    this.#hadFocus = this.querySelector('footer')?.contains(document.activeElement) ?? false
  }

  /** A question takes the focus, and the footer keeps it when the control that had it is gone. */
  protected override updated(changed: PropertyValues<ReviewPanel>): void {
    super.updated(changed)
    const before = changed.get('model')
    if (this.model.question && before?.question !== this.model.question) {
      void focusOn(this.querySelector<HTMLElement>('.question vscode-button'))
    }
    if (this.#hadFocus && document.activeElement === document.body) this.querySelector<HTMLElement>('footer')?.focus()
    if (this.#place && before?.review !== this.model.review) {
      restorePlace(this.querySelector('main'), this.#place)
      this.#place = undefined
    }
  }

  protected override render(): TemplateResult {
    const { review, empty, announcement, writing } = this.model
    const isWritten = writing !== null && review?.state !== 'waiting'
    return html`
      <div class="hidden" role="status">${announcement}</div>
      ${isWritten ? writingView(writing) : review ? this.#review(review) : html`<p class="nothing dim">${empty ?? words.loading}</p>`}
    `
  }

  #review(review: ReviewView): TemplateResult {
    return html`
      <header>
        <button type="button" class="skip" @click=${() => this.#skip()}>${words.skip}</button>
        ${modeChip(review.mode, () => this.host.post({ kind: 'toggleMode' }))}
        <span class="title" title=${visible(review.title)}>${visible(review.title)}</span>
        <span class="grow"></span>
        ${readingTools(this.model.changes, () => this.querySelector('plan-reading'))}
        <span class="revision">${words.revision(review.revision, review.revisions)}</span>
        ${quietButton({
          icon: 'comment-discussion',
          label: words.conversation,
          title: words.showConversation(visible(review.conversation)),
          act: () => this.host.post({ kind: 'showConversation' }),
        })}
      </header>
      ${this.#banners(review)}
      <plan-reading .text=${review.markdown} .reach=${this.model.reach} .changes=${this.model.changes}></plan-reading>
      ${footer(this.model, review, this.#acts)}
    `
  }

  #banners(review: ReviewView): TemplateResult | typeof nothing {
    const notLive = !review.live && review.state === 'waiting' && review.readOnly === null
    if (!notLive && review.readOnly === null) return nothing
    return html`<div class="banners">
      ${review.readOnly === null ? nothing : this.#readOnly(review.readOnly, review.continueHere)}
      ${notLive ? banner({ level: 'info', text: words.notLive }) : nothing}
    </div>`
  }

  #readOnly(text: string, continueHere: boolean): TemplateResult {
    const go = { label: words.continueHere, act: () => this.host.post({ kind: 'continueHere' }) }
    return banner({ level: 'warning', icon: 'lock', text, ...(continueHere ? { action: go } : {}) })
  }

  #skip(): void {
    const first = this.#box ?? this.querySelector<HTMLElement>('footer')
    first?.focus()
  }

  readonly #acts: FooterActs = {
    type: text => this.#type(text),
    approve: () => this.#approve(false),
    keep: () => this.#keep(),
    dismiss: () => (this.model.feedback.trim() === '' ? this.#decide('dismissed') : this.#ask('dismiss-with-text')),
    confirm: decision => this.#decide(decision),
    write: () => {
      this.model = { ...this.model, question: null }
      void this.updateComplete.then(() => this.#box?.focus())
    },
    back: () => this.#back(),
  }
}

customElements.define('review-panel', ReviewPanel)
