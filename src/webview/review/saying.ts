// What a reader says of the plan: remarks made, typed, gone through, and followed as they come back from the host.

import type { RemarkView } from '../review-messages.ts'
import { PickEvent, SayEvent } from './plan-text.ts'
import { byPlace, type RemarkActs } from './remarks-column.ts'
import type { ReviewPanel } from './review-panel.ts'
import { Unkept } from './unkept.ts'
import { words } from './words.ts'

export class Saying {
  readonly texts: Unkept
  readonly #panel: ReviewPanel
  /** The remarks known when one was made: the one that is new gets the focus. */
  #known: ReadonlySet<string> | undefined

  constructor(panel: ReviewPanel) {
    this.#panel = panel
    this.texts = new Unkept(
      (id, text) => panel.post({ kind: 'editRemark', id, text }),
      () => panel.save(),
    )
    panel.addEventListener('say', event => {
      if (event instanceof SayEvent) this.#say(event)
    })
    panel.addEventListener('pick-remark', event => {
      if (event instanceof PickEvent) this.focusOn(event.remarkId)
    })
  }

  get inOrder(): readonly RemarkView[] {
    return byPlace(this.#panel.model.remarks)
  }

  /** The remarks that came from the host: a new one is ready to be typed into. */
  follow(): void {
    const { remarks } = this.#panel.model
    this.texts.follow(remarks)
    this.#panel.save()
    const made = this.#known && remarks.findLast(({ id, state }) => state === 'unsent' && !this.#known?.has(id))
    if (!made) return
    this.#known = undefined
    const types = made.kind === 'remark' || made.kind === 'question'
    if (types) this.focusOn(made.id)
    else this.#pick(made.id)
    this.#announce(made)
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
    if (remark?.state === 'unsent' && types && this.texts.textOf(remark).trim() === '') this.acts.turn(id, 'removed')
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

  #say({ remark, range }: SayEvent): void {
    const { review, remarks } = this.#panel.model
    if (!review) return
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
    this.#panel.model = { ...this.#panel.model, announcement: words.remarkOf(at, all.length, under) }
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
    pick: id => this.#pick(id),
    reveal: id => {
      this.#pick(id)
      this.#panel.querySelector('plan-text')?.reveal(id)
    },
  }
}
