import { type PresentedReview, planText, planTitle, type ReviewState, reviewProjection } from '../../plan/review.ts'
import type { SessionEvent } from '../../session/events.ts'
import type { Session } from '../../session/session.ts'
import type { Item } from '../../webview/transcript-messages.ts'
import { shortText } from './bounded-text.ts'
import type { Entries } from './entries.ts'
import type { DecidedReview } from './notices.ts'

const EXCERPT_LINES = 3
const EXCERPT_LIMIT = 240

type PlanItem = Extract<Item, { kind: 'plan' }>

interface Card {
  readonly itemId: string
  readonly callSeq: number
}

/** One card per presented plan: its title, first lines and what was decided of it. */
export class PlanCards {
  readonly #session: Session
  readonly #entries: Entries
  readonly #cards = new Map<string, Card>()
  #reviews: ReviewState = reviewProjection.initial

  constructor(session: Session, entries: Entries) {
    this.#session = session
    this.#entries = entries
  }

  apply(event: SessionEvent): void {
    const before = this.#reviews
    this.#reviews = reviewProjection.apply(before, event)
    if (this.#reviews === before) return
    const { waiting, decided } = this.#reviews
    if (event.type === 'review/presented' && waiting !== null) this.#present(event.seq, waiting)
    if (event.type === 'review/decided' && decided !== null) this.#decide(decided)
  }

  /** Whether the exit call at this seq put its plan before a human. */
  isPresented(callSeq: number): boolean {
    return [...this.#cards.values()].some(card => card.callSeq === callSeq)
  }

  /** A review that is not waiting any more. */
  decidedReview(reviewId: string): DecidedReview | undefined {
    const item = this.#item(reviewId)
    return item === undefined || item.state === 'waiting' ? undefined : { title: item.title, decision: item.state }
  }

  #present(seq: number, review: PresentedReview): void {
    const { reviewId, revision, callSeq } = review
    const plan = textOrNothing(this.#session, review)
    const id = `plan-${seq}`
    this.#cards.set(reviewId, { itemId: id, callSeq })
    const shown = { title: planTitle(plan), excerpt: planExcerpt(plan) }
    this.#entries.put({ kind: 'plan', id, reviewId, ...shown, revision, state: 'waiting' })
  }

  #decide({ reviewId, decision, feedback }: NonNullable<ReviewState['decided']>): void {
    const item = this.#item(reviewId)
    if (item === undefined) return
    this.#entries.put({ ...item, state: decision, ...(feedback === null ? {} : { feedback }) })
  }

  #item(reviewId: string): PlanItem | undefined {
    const item = this.#entries.get(this.#cards.get(reviewId)?.itemId ?? '')
    return item?.kind === 'plan' ? item : undefined
  }
}

/** The first lines after the first heading, without their heading marks. */
export function planExcerpt(plan: string): string {
  const lines = plan.split('\n').map(line => line.trim())
  const heading = lines.findIndex(line => /^#{1,6}\s/.test(line))
  const body = lines.slice(heading + 1).filter(line => line !== '')
  const shown = body.slice(0, EXCERPT_LINES).map(line => line.replace(/^#{1,6}\s+/, ''))
  return shortText(shown.join('\n'), EXCERPT_LIMIT)
}

/** A log edited by hand may hold a review whose call has no readable plan; its card stays without text. */
function textOrNothing(session: Session, review: PresentedReview): string {
  try {
    return planText(session, review)
  } catch {
    return ''
  }
}
