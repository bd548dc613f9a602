// From a click or a key to a decision that is sent: what is asked before, and what goes along.
import type { FromReview } from '../review-messages.ts'
import type { FooterActs } from './footer.ts'
import { type Decision, hasUnsent, isOpen, type Next, type Question, type ReviewModel } from './review-store.ts'
import { words } from './words.ts'

/** After this many ms without an answer the buttons come back: never a dead button. */
const answerTimeout = 15_000

/** What deciding needs of the panel. */
export interface DecidingPanel {
  model: ReviewModel
  post(message: FromReview): void
  /** Posts what was typed and waits for a pause. */
  flush(): void
  type(text: string): void
  /** The last click asked a question. */
  asked(): void
  focusBox(): void
  /** Images are on their way into a remark: a verdict would miss them. */
  readonly addsImages: boolean
  /** Focuses the element with this id once the panel is drawn, else the notes. */
  focusAgain(id: string): void
  keepFocusInFooter(): void
}

export class Deciding {
  readonly #panel: DecidingPanel
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The control that had the focus before the question; it is drawn anew afterwards. */
  #before = ''

  constructor(panel: DecidingPanel) {
    this.#panel = panel
  }

  /** The decision on its way was answered. */
  answered(): void {
    clearTimeout(this.#timer)
  }

  approve(askFirst: boolean, next?: Next): void {
    if (hasUnsent(this.#panel.model)) this.#ask('approve-with-text', next)
    else if (askFirst) this.#ask('approve', next)
    else this.#decide('approved', false, next)
  }

  /** Approves with everything unsent; with nothing unsent there is nothing to approve with, so it asks. */
  approveWithUnsent(): void {
    if (hasUnsent(this.#panel.model)) this.#decide('approved', true, undefined)
    else this.#ask('approve', undefined)
  }

  keep(): void {
    if (hasUnsent(this.#panel.model)) this.#decide('kept', true, undefined)
    else this.#ask('keep-empty', undefined)
  }

  dismiss(): void {
    if (hasUnsent(this.#panel.model)) this.#ask('dismiss-with-text', undefined)
    else this.#decide('dismissed', false, undefined)
  }

  /** Alt+Enter: asks, and answers its own question. */
  approveByKey(): void {
    const { question, next } = this.#panel.model
    if (question === null) this.approve(true)
    else if (question === 'approve') this.#decide('approved', false, next)
  }

  back(): void {
    this.#panel.model = { ...this.#panel.model, question: null, next: undefined }
    this.#panel.focusAgain(this.#before)
  }

  closeMenu(): void {
    this.#panel.model = { ...this.#panel.model, menu: false }
    this.#panel.focusAgain('approve-menu')
  }

  #ask(question: Question, next: Next): void {
    const { model } = this.#panel
    if (model.sending || !isOpen(model)) return
    const focused = document.activeElement?.id ?? ''
    this.#before = focused.startsWith('choose-') ? 'approve-menu' : focused
    this.#panel.asked()
    this.#panel.model = { ...model, question, next, menu: false, refused: null }
  }

  #decide(decision: Decision, said: boolean, next: Next): void {
    const panel = this.#panel
    const { review } = panel.model
    if (!review || panel.model.sending || !isOpen(panel.model)) return
    if (said && panel.addsImages) {
      panel.model = { ...panel.model, refused: words.waitForImages, question: null, menu: false }
      return
    }
    panel.flush()
    panel.keepFocusInFooter()
    const { editedHash, feedback } = panel.model
    panel.model = { ...panel.model, sending: decision, saying: said, question: null, next, menu: false, refused: null }
    const withNotes = decision === 'approved' && said
    panel.post({
      kind: 'decide',
      reviewId: review.reviewId,
      planHash: review.planHash,
      decision,
      feedback: decision === 'kept' || said ? feedback.trim() : '',
      ...(withNotes && { said: true }),
      ...(withNotes && editedHash !== null && { editedHash }),
      ...(next && { next }),
    })
    this.#timer = setTimeout(() => {
      panel.model = { ...panel.model, sending: null, refused: words.unanswered }
    }, answerTimeout)
  }

  readonly acts: FooterActs = {
    type: text => this.#panel.type(text),
    approve: () => this.approve(false),
    keep: () => this.keep(),
    dismiss: () => this.dismiss(),
    confirm: (decision, said = decision === 'kept') => {
      this.#decide(decision, said, decision === 'approved' ? this.#panel.model.next : undefined)
    },
    write: () => {
      this.#panel.model = { ...this.#panel.model, question: null }
      this.#panel.focusBox()
    },
    back: () => this.back(),
    latest: () => this.#panel.post({ kind: 'showRevision', reviewId: null }),
    menu: {
      toggle: () => {
        this.#panel.model = { ...this.#panel.model, menu: !this.#panel.model.menu }
        if (this.#panel.model.menu) this.#panel.focusAgain('choose-start')
      },
      close: () => this.closeMenu(),
      start: () => this.approve(false),
      withUnsent: () => this.approveWithUnsent(),
      fresh: () => this.approve(false, 'fresh'),
      save: () => this.approve(false, 'save'),
      leave: () => {
        this.closeMenu()
        this.#panel.post({ kind: 'leave' })
      },
    },
  }
}
