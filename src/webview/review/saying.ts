// What a reader says of the plan: remarks made, typed, asked, gone through, and followed as they come from the host.
import { ImageAdding, type ImageAnswer } from '../images/image-adding.ts'
import type { ImageStrip } from '../images/image-strip.ts'
import { imageText } from '../images/image-thumb.ts'
import { words as imageWords } from '../images/words.ts'
import type { RemarkView, SourceRange } from '../review-messages.ts'
import { PickEvent, SayEvent } from './plan-text.ts'
import { byPlace, type RemarkActs } from './remarks-column.ts'
import type { ReviewPanel } from './review-panel.ts'
import { isOpen } from './review-store.ts'
import { Unkept } from './unkept.ts'
import { words } from './words.ts'

export class Saying {
  readonly texts: Unkept
  readonly images: ImageAdding
  readonly #panel: ReviewPanel
  /** The remarks known when one was made: the one that is new gets the focus. */
  #known: ReadonlySet<string> | undefined

  constructor(panel: ReviewPanel) {
    this.#panel = panel
    this.texts = new Unkept(
      (id, text) => panel.post({ kind: 'editRemark', id, text }),
      () => panel.save(),
    )
    this.images = new ImageAdding((id, file) => {
      if (id !== null) panel.post({ kind: 'addImage', id, ...file })
      panel.requestUpdate()
    })
    panel.addEventListener('say', event => {
      if (event instanceof SayEvent) this.#make(event.remark, event.range)
    })
    panel.addEventListener('pick-remark', event => {
      if (event instanceof PickEvent) this.focusOn(event.remarkId)
    })
  }

  get inOrder(): readonly RemarkView[] {
    return byPlace(this.#panel.model.remarks)
  }

  /** The remarks that came from the host, and those before: a new one is ready to be typed into. */
  follow(before: readonly RemarkView[]): void {
    const { remarks } = this.#panel.model
    this.texts.follow(remarks)
    this.#panel.save()
    this.#hearAnswers(before)
    const made = this.#known && remarks.findLast(({ id, state }) => state === 'unsent' && !this.#known?.has(id))
    if (!made) return
    this.#known = undefined
    const types = made.kind === 'remark' || made.kind === 'question'
    if (types) this.focusOn(made.id)
    else this.#pick(made.id)
    this.#announce(made)
  }

  /** Asks what the question at hand says; with none, begins one about the whole plan. */
  ask(): void {
    const remark = this.#panel.model.remarks.find(({ id }) => id === this.#panel.model.active)
    const isQuestion = remark?.state === 'unsent' && remark.kind === 'question'
    const isAsked = remark?.ask?.state === 'asking' || remark?.ask?.state === 'answered'
    if (isQuestion && !isAsked) this.#askOf(remark)
    else this.#askPlan()
  }

  /** What became of an image that was added. */
  answerImage(answer: ImageAnswer): void {
    const settled = this.images.settle(answer)
    if (settled && answer.kind === 'imageAdded') this.#say(imageWords.imageAdded(imageText(answer.image)))
    this.#panel.requestUpdate()
  }

  /** What is on its way into a remark; why something was not taken is told at the one that is looked at. */
  addingTo(id: string): Pick<ImageStrip, 'adding' | 'problem'> {
    const problem = this.#panel.model.active === id ? this.images.problem : null
    return { adding: this.images.of(id), problem }
  }

  /** Whether images are on their way that a verdict would miss. */
  get addsImages(): boolean {
    return this.#panel.model.remarks.some(({ id }) => this.images.of(id).length > 0)
  }

  /** Goes to the next remark, or the one before, in the order of the plan. */
  step(by: 1 | -1): void {
    const all = this.inOrder
    const at = all.findIndex(({ id }) => id === this.#panel.model.active)
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length]
    if (!next) return
    this.acts.reveal(next.id)
    this.focusOn(next.id, false)
    this.#announce(next)
  }

  /** Focuses a remark: its text where it can be typed. */
  focusOn(id: string, typing = true): void {
    this.#panel.model = { ...this.#panel.model, active: id, drawer: true }
    void this.#panel.updateComplete.then(() => {
      const card = document.getElementById(`remark-${id}`)
      const box = typing ? card?.querySelector<HTMLElement>('textarea') : undefined
      ;(box ?? card)?.focus()
      card?.scrollIntoView({ block: 'nearest' })
    })
  }

  /** Escape in a remark: nothing typed is nothing said. */
  leave(id: string): void {
    const remark = this.#panel.model.remarks.find(each => each.id === id)
    const types = remark?.kind === 'remark' || remark?.kind === 'question'
    const holds = remark && (remark.images.length > 0 || remark.ask !== null || this.images.of(id).length > 0)
    if (remark?.state === 'unsent' && types && !holds && this.texts.textOf(remark).trim() === '') {
      this.acts.turn(id, 'removed')
    }
    this.closeDrawer()
    this.#panel.querySelector('main')?.focus()
  }

  toggleDrawer(): void {
    const drawer = !this.#panel.model.drawer
    this.#panel.model = { ...this.#panel.model, drawer }
    if (drawer) void this.#panel.updateComplete.then(() => document.getElementById('remarks')?.focus())
  }

  closeDrawer(): void {
    if (this.#panel.model.drawer) this.#panel.model = { ...this.#panel.model, drawer: false }
  }

  #askOf(remark: RemarkView): void {
    const written = this.texts.textOf(remark).trim() !== ''
    if (written) this.acts.turnAsk(remark.id, 'asked')
    else this.focusOn(remark.id)
    this.#say(written ? words.answering : words.askFirst)
  }

  /** A question about the whole plan that nobody wrote yet is taken up again. */
  #askPlan(): void {
    const begun = this.#panel.model.remarks.find(
      ({ kind, quote, state, ask, text }) =>
        kind === 'question' && quote === null && state === 'unsent' && ask === null && text.trim() === '',
    )
    if (begun) this.focusOn(begun.id)
    else this.#make('question', null)
  }

  #hearAnswers(before: readonly RemarkView[]): void {
    for (const { id, ask } of this.#panel.model.remarks) {
      const was = before.find(each => each.id === id)?.ask?.state
      if (was !== 'asking' || ask === null || ask.state === 'asking') continue
      this.#say(ask.state === 'answered' ? words.answered(id) : words.notAnswered(id))
    }
  }

  #make(remark: RemarkView['kind'], range: SourceRange | null): void {
    const { review, remarks } = this.#panel.model
    if (!review || !isOpen(this.#panel.model)) return
    this.#known = new Set(remarks.map(({ id }) => id))
    document.getSelection()?.removeAllRanges()
    this.#panel.post({ kind: 'addRemark', planHash: review.planHash, remark, range })
  }

  #pick(id: string): void {
    if (this.#panel.model.active !== id) this.#panel.model = { ...this.#panel.model, active: id }
  }

  #announce({ id, under }: RemarkView): void {
    const all = this.inOrder
    const at = all.findIndex(each => each.id === id) + 1
    this.#say(words.remarkOf(at, all.length, under))
  }

  #say(announcement: string): void {
    this.#panel.model = { ...this.#panel.model, announcement }
  }

  readonly acts: RemarkActs = {
    type: (id, text) => {
      this.texts.type(id, text)
      this.#panel.requestUpdate()
    },
    turn: (id, to) => {
      this.texts.now()
      this.#panel.post({ kind: 'turnRemark', id, to })
    },
    turnAsk: (id, to) => {
      this.texts.now()
      this.#panel.post({ kind: 'turnAsk', id, to })
    },
    showWork: sessionId => this.#panel.post({ kind: 'openExplorer', sessionId }),
    attach: (id, files) => {
      const have = this.#panel.model.remarks.find(each => each.id === id)?.images.length ?? 0
      this.images.add(files, id, have)
      this.#panel.requestUpdate()
    },
    detach: (id, { attachmentId }) => {
      this.images.problem = null
      this.#panel.post({ kind: 'removeImage', id, attachmentId })
    },
    askPlan: () => this.#askPlan(),
    pick: id => this.#pick(id),
    reveal: id => {
      this.#pick(id)
      this.#panel.querySelector('plan-text')?.reveal(id)
    },
  }
}
