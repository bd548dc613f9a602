// The review panel: the plan to read, what is said of it beside it, and a footer with every decision always in view.
import { html, type PropertyValues, type TemplateResult } from 'lit'
import type { Host } from '../host.ts'
import { ImageEvent, takeBytes } from '../images/image-thumb.ts'
import { OpenEvent } from '../markdown/markdown-view.ts'
import { PageElement } from '../page-element.ts'
import { focusOn } from '../parts.ts'
import { Pause } from '../pause.ts'
import type { FromReview, ReviewView, ToReview } from '../review-messages.ts'
import { Deciding, type DecidingPanel } from './deciding.ts'
import { DrawEvent } from './diagrams.ts'
import { footer } from './footer.ts'
import { banners, type HeaderActs, header } from './header.ts'
import { ReviewKeys } from './keys.ts'
import { type Place, placeIn, restorePlace } from './place.ts'
import './reading.ts'
import { openMessage, writingView } from './reading-parts.ts'
import { remarksColumn } from './remarks-column.ts'
import { emptyModel, isOpen, type ReviewModel, receive, showsWriting } from './review-store.ts'
import type { SavedReview } from './saved.ts'
import { Saying } from './saying.ts'
import { SecondClick } from './second-click.ts'
import { words } from './words.ts'

/** `<review-panel>`; `host` is set before it is connected. */
export class ReviewPanel extends PageElement implements DecidingPanel {
  static override properties = { model: { state: true } }
  declare model: ReviewModel
  declare host: Host<FromReview, SavedReview>

  readonly #draft = new Pause(() => this.#postDraft())
  readonly #secondClick = new SecondClick()
  readonly #deciding = new Deciding(this)
  readonly #saying = new Saying(this)
  readonly #keys = new ReviewKeys(this, this.#deciding, this.#saying)
  #place: Place | undefined
  #hadFocus = false

  constructor() {
    super()
    this.model = emptyModel
    this.#keys.listen()
    window.addEventListener('click', click => this.#secondClick.see(click, this.model.question !== null), {
      capture: true,
    })
    window.addEventListener('blur', () => this.flush())
    window.addEventListener('pagehide', () => this.flush())
    this.addEventListener('image', event => {
      if (event instanceof ImageEvent) this.post({ kind: event.kind, attachmentId: event.attachmentId })
    })
    this.addEventListener('open-target', event => {
      if (event instanceof OpenEvent) this.post(openMessage(event))
    })
    this.addEventListener('draw-diagram', event => {
      if (event instanceof DrawEvent) this.post({ kind: 'drawDiagram', text: event.text })
    })
  }

  /** Takes a message of the host. */
  receive(message: ToReview): void {
    const { review: before, remarks } = this.model
    if (message.kind === 'review') this.flush()
    this.model = receive(this.model, message)
    const review = this.model.review
    if (!this.model.sending) this.#deciding.answered()
    if (message.kind === 'act') this.#keys.act(message.act)
    if (message.kind === 'flush') {
      this.flush()
      this.post({ kind: 'flushed', key: message.key })
    }
    if (message.kind === 'remarks') this.#saying.follow(remarks)
    if (message.kind === 'imageAdded' || message.kind === 'imageRefused') this.#saying.answerImage(message)
    if (message.kind === 'imageBytes') takeBytes(this, message.attachmentId, message.data)
    if (message.kind === 'kept') this.#kept(message.id, message.text)
    if (!review || (before?.reviewId === review.reviewId && before.planHash === review.planHash)) return
    if (before) this.#place = placeIn(this.querySelector('main'))
    this.#restoreDraft(review, before)
  }

  post(message: FromReview): void {
    this.host.post(message)
  }

  flush(): void {
    this.#draft.now()
    this.#saying.texts.now()
  }

  /** Shows the plan that the model writes, now or once it does, or goes back to the one that is here. */
  watch(watching: boolean): void {
    this.flush()
    this.model = { ...this.model, watching }
  }

  asked(): void {
    this.#secondClick.asked()
  }

  get addsImages(): boolean {
    return this.#saying.addsImages
  }

  focusBox(): void {
    void this.updateComplete.then(() => this.box?.focus())
  }

  focusAgain(id: string): void {
    void this.updateComplete.then(() => focusOn(document.getElementById(id) ?? this.box))
  }

  /** A button that is disabled loses the focus; the footer keeps it. */
  keepFocusInFooter(): void {
    const own = this.querySelector<HTMLElement>('footer')
    if (own?.contains(document.activeElement) && document.activeElement !== this.box) own.focus()
  }

  type(text: string): void {
    this.model = { ...this.model, feedback: text, feedbackAt: Date.now(), unkept: true, question: null }
    this.save()
    this.#draft.soon()
  }

  /** The box of the notes. */
  get box(): HTMLTextAreaElement | null {
    return this.querySelector('footer textarea')
  }

  /** Keeps with the page what the host has not said is kept. */
  save(): void {
    const { review, feedback, feedbackAt, unkept } = this.model
    if (!review) return
    const { sessionId, reviewId } = review
    const remarks = this.#saying.texts.texts
    this.host.save({ sessionId, reviewId, text: feedback, at: feedbackAt, unkept, remarks })
  }

  /** Text that was not sent goes with the reader: to the revision, and over a reload. */
  #restoreDraft(review: ReviewView, before: ReviewView | null): void {
    const saved = before ? undefined : this.host.saved()
    const own = saved?.sessionId === review.sessionId ? saved : undefined
    if (own && this.model.feedback === '' && (own.unkept || own.reviewId === review.reviewId)) {
      this.model = { ...this.model, feedback: own.text, feedbackAt: own.at, unkept: own.unkept }
    }
    if (own) this.#saying.texts.restore(own.remarks)
    if ((before || own?.unkept) && this.model.feedback !== '') this.#postDraft()
    else this.save()
  }

  #kept(id: string | null, text: string): void {
    if (id === null) this.save()
    else this.#saying.texts.kept(id, text)
  }

  #postDraft(): void {
    const { review, feedback } = this.model
    if (!review) return
    this.save()
    this.post({ kind: 'draft', reviewId: review.reviewId, text: feedback })
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
      const place = this.#place
      this.#place = undefined
      // The text is drawn by parts that update after this one.
      void this.querySelector('plan-reading')?.drawn.then(() => restorePlace(this.querySelector('main'), place))
    }
  }

  protected override render(): TemplateResult {
    const { review, empty, announcement, writing } = this.model
    return html`
      <div class="hidden" role="status">${announcement}</div>
      ${
        writing !== null && showsWriting(this.model)
          ? writingView(writing, review === null ? undefined : () => this.watch(false))
          : review
            ? this.#review(review)
            : html`<p class="nothing dim">${empty ?? words.loading}</p>`
      }
    `
  }

  #review(review: ReviewView): TemplateResult {
    const { remarks, active, drawer, reach, changes, pictures } = this.model
    const open = isOpen(this.model)
    return html`
      ${header(this.model, review, this.#headerActs)}
      ${banners(this.model, review, this.#headerActs)}
      <plan-reading
        .text=${review.markdown}
        .remarks=${remarks}
        .active=${active}
        .open=${open}
        .reach=${reach}
        .changes=${changes}
        .pictures=${pictures}
      ></plan-reading>
      <aside id="remarks" class="remarks ${drawer ? 'drawn' : ''}" aria-labelledby="remarks-title" tabindex="-1">
        ${remarksColumn({
          remarks: this.#saying.inOrder,
          textOf: remark => this.#saying.texts.textOf(remark),
          addingTo: id => this.#saying.addingTo(id),
          active,
          open: open && this.model.sending === null,
          writable: review.readOnly === null && !review.older,
          acts: this.#saying.acts,
        })}
      </aside>
      ${footer(this.model, review, this.#deciding.acts)}
    `
  }

  readonly #headerActs: HeaderActs = {
    skip: () => (this.box ?? this.querySelector<HTMLElement>('footer'))?.focus(),
    toggleMode: () => this.post({ kind: 'toggleMode' }),
    showConversation: () => this.post({ kind: 'showConversation' }),
    continueHere: () => this.post({ kind: 'continueHere' }),
    toggleRemarks: () => this.#saying.toggleDrawer(),
    watch: () => this.watch(true),
    compareWith: base => this.post({ kind: 'compareWith', base }),
    reading: () => this.querySelector('plan-reading'),
    showRevision: reviewId => this.post({ kind: 'showRevision', reviewId }),
  }
}

customElements.define('review-panel', ReviewPanel)
