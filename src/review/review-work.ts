import { PlanModeError } from '../session/errors.ts'
import type { ApprovalChoice, Remark, RemarkKind } from '../session/reviews.ts'
import type { Session } from '../session/session.ts'
import type { Range } from './anchors/anchor.ts'
import { claimsBetween } from './claims.ts'
import { DraftAtWork, type RemarkChange } from './drafts/draft-at-work.ts'
import type { DraftStore } from './drafts/draft-store.ts'
import { withoutRemarks, withoutTaken } from './drafts/forget.ts'
import { type Ask, interrupted, isKeptBack, type ReviewDraft } from './drafts/review-draft.ts'
import { fatesBetween } from './fate.ts'
import { type Said, saysAnything } from './feedback.ts'
import { madeRemarks, type NewRemark } from './new-remark.ts'
import { nextIds, numberOf } from './remark-ids.ts'
import type { Verdict } from './review-desk.ts'
import { type Revision, reviewHistory, revisionText } from './revisions.ts'
import { askOf, type ShownRemark, saidRemark } from './shown-remark.ts'
import { verdictOf } from './verdict.ts'

export interface VerdictOptions {
  readonly next?: ApprovalChoice
  readonly without?: boolean
}

/**
 * One session's review at work in a window: what was typed and not sent (kept on disk at every change), and what was
 * sent, each beside the text that is shown. Every surface of the review reads and writes it here.
 */
export class ReviewWork {
  readonly #session: Session
  readonly #work: DraftAtWork
  /** Remarks that took the words typed into ones already sent, by the id of those. */
  readonly #followers = new Map<string, string>()
  /** Resolves when the draft of an earlier life is there. */
  readonly loaded: Promise<void>

  constructor(session: Session, store: DraftStore, onError: (error: unknown) => void = () => {}) {
    this.#session = session
    this.#work = new DraftAtWork(session.id, store, onError, kept => this.#withoutSent(kept))
    this.loaded = this.#work.loaded
  }

  get draft(): ReviewDraft {
    return this.#work.now
  }

  /** The plan under review: the waiting one, else the one decided last. */
  get shown(): Revision | undefined {
    return this.#session.state(reviewHistory).revisions.at(-1)
  }

  /** The exact text of a revision of this session; of the shown one unless another is named. */
  textOf(reviewId = this.shown?.reviewId): string {
    const revision = this.#session.state(reviewHistory).revisions.find(each => each.reviewId === reviewId)
    return revision === undefined ? '' : revisionText(this.#session, revision)
  }

  /** Remarks on the shown plan, sent and unsent, in the order of their ids. */
  remarks(): readonly ShownRemark[] {
    const { shown } = this
    if (shown === undefined) return []
    const text = this.textOf()
    const fates = new Map<string, ReturnType<typeof fatesBetween>>()
    const place = (remark: Remark, on: string): Pick<ShownRemark, 'range' | 'fate'> => {
      if (on === shown.reviewId) return { range: remark.anchor?.range ?? null, fate: 'here' }
      if (remark.anchor === null) return { range: null, fate: 'unchanged' }
      const fateOf = fates.get(on) ?? fatesBetween(this.textOf(on), text)
      fates.set(on, fateOf)
      const fate = fateOf(remark.anchor)
      return { range: 'range' in fate ? fate.range : null, fate: fate.kind }
    }
    const claims = this.#claims()
    const sent = this.#session.state(reviewHistory).remarks.map(({ remark, reviewId, state }): ShownRemark => {
      const again = this.draft.again.includes(remark.id)
      const claim = claims.get(remark.id)
      return { ...remark, ...place(remark, reviewId), state: again ? 'again' : state, claim, ask: askOf(remark) }
    })
    // What was killed between sending a remark and forgetting its draft does not send it twice.
    const ids = new Set(sent.map(({ id }) => id))
    const drafted = this.draft.remarks.filter(({ remark }) => !ids.has(remark.id))
    const unsent = drafted.map(({ on, remark, ask }): ShownRemark => {
      return { ...remark, ...place(remark, on), state: 'unsent', claim: undefined, ask }
    })
    return [...sent, ...unsent].sort((one, other) => numberOf(one.id) - numberOf(other.id))
  }

  /** @throws PlanModeError `NO_PLAN` or, for a range without words, `EMPTY_RANGE`. */
  add(kind: RemarkKind, range: Range | null, text: string, images?: Remark['images']): Remark {
    const [remark] = this.addAll([{ kind, range, text, ...(images === undefined ? {} : { images }) }])
    if (remark === undefined) throw new PlanModeError('UNREACHABLE', 'One remark was given and none was made.')
    return remark
  }

  /** Adds all of them or, with an error as of `add`, none. */
  addAll(given: readonly NewRemark[]): readonly Remark[] {
    const { shown } = this
    if (shown === undefined) throw new PlanModeError('NO_PLAN', 'There is no plan to remark on yet.')
    const remarks = madeRemarks(this.textOf(), given, this.#ids())
    this.#work.add(shown.reviewId, remarks)
    return remarks
  }

  /**
   * Changes an unsent remark. Words typed into one that was sent meanwhile become a remark of their own on the same
   * place, which goes on taking them.
   */
  edit(id: string, change: RemarkChange): void {
    const follower = this.#followers.get(id) ?? id
    const isUnsent = this.draft.remarks.some(({ remark }) => remark.id === follower)
    if (isUnsent) this.#work.edit(follower, change)
    else this.#follow(id, change)
  }

  #follow(id: string, change: RemarkChange): void {
    const sent = this.#session.state(reviewHistory).remarks.find(({ remark }) => remark.id === id)
    const { text = '', images = [] } = change
    const isNew = images.length > 0 || (text.trim() !== '' && text.trim() !== sent?.remark.text.trim())
    if (sent === undefined || !isNew) return
    const [own = id] = nextIds(this.#ids(), 1)
    this.#followers.set(id, own)
    const { kind, anchor } = sent.remark
    this.#work.add(sent.reviewId, [{ kind, anchor, text, ...change, id: own }])
  }

  /** Takes an unsent remark away, or a sent one out of what is to be sent again. */
  remove(id: string): void {
    this.#work.remove(id)
  }

  /** Marks a sent remark to be sent again. */
  sendAgain(id: string): void {
    if (!this.draft.again.includes(id)) this.#work.change({ again: [...this.draft.again, id] })
  }

  /** Says in the log that a sent remark is dealt with, or is not after all. */
  settle(id: string, state: 'open' | 'resolved'): void {
    this.#session.append('review/remark-settled', { remarkId: id, state })
    if (state === 'resolved') this.remove(id)
    this.#work.tell()
  }

  /** Notes what an explorer was asked of an unsent remark, or (undefined) that it was not. */
  setAsk(id: string, ask: Ask | undefined): void {
    const remarks = this.draft.remarks.map(each => {
      if (each.remark.id !== id) return each
      const { ask: _, ...rest } = each
      return ask === undefined ? rest : { ...rest, ask }
    })
    this.#work.change({ remarks })
  }

  setNotes(notes: string): void {
    this.#work.change({ notes })
  }

  /** The human's own version of the shown plan; one that equals it is none. */
  setEdited(text: string | undefined): void {
    const { shown } = this
    const none = shown === undefined || text === undefined || text === this.textOf()
    this.#work.change({ edited: none ? null : { on: shown.reviewId, text } })
  }

  /** The human's own version of the plan that is shown, if there is one. */
  get edited(): string | undefined {
    const { edited } = this.draft
    return edited !== null && edited.on === this.shown?.reviewId ? edited.text : undefined
  }

  /** What would be sent now. */
  said(): Said {
    const text = this.textOf()
    const remarks = this.remarks()
      .filter(({ state, ask }) => (state === 'unsent' && !isKeptBack(ask)) || state === 'again')
      .map(remark => saidRemark(text, remark))
    const { edited } = this
    return { remarks, notes: this.draft.notes, ...(edited === undefined ? {} : { edited }) }
  }

  /** Whether anything would be lost by a decision that does not send it. */
  get unsent(): boolean {
    return saysAnything(this.textOf(), this.said())
  }

  /**
   * The verdict on the shown plan with everything said, as the desk takes it; `without` leaves what was said unsent.
   * @throws PlanModeError `REVIEW_NOT_WAITING`
   */
  verdict(decision: Verdict['decision'], { without = false, next }: VerdictOptions = {}): Verdict {
    const { shown } = this
    if (shown?.state !== 'waiting') {
      throw new PlanModeError('REVIEW_NOT_WAITING', 'No plan of this conversation waits for a review.')
    }
    return verdictOf({ ...shown, plan: this.textOf() }, decision, without ? { remarks: [] } : this.said(), next)
  }

  /**
   * Takes a verdict to where it is decided, and forgets what it has sent once that is durable; what was typed meanwhile
   * stays. Whoever is killed in between forgets it in its next life: the draft names the review, the log what was said.
   * @throws what `decide` throws; then nothing is forgotten.
   */
  async deliver(verdict: Verdict, decide: (verdict: Verdict) => Promise<void>): Promise<void> {
    this.#work.change({ sending: verdict.reviewId })
    // A draft that cannot be saved was told of, and is no reason not to decide.
    await this.#work.flush().catch(() => {})
    await decide(verdict)
    this.#work.replace(withoutTaken(this.draft, verdict.aside ?? {}, this.#ids()))
  }

  /** Called after every change of what is unsent. */
  onChange(listener: () => void): Disposable {
    return this.#work.onChange(listener)
  }

  /** Resolves when what was typed so far is on disk. @throws PlanModeError `DRAFT_UNSAVED` */
  flush(): Promise<void> {
    return this.#work.flush()
  }

  /** Of a draft of an earlier life: what the log says was sent, and what a verdict on its way took along. */
  #withoutSent(kept: ReviewDraft): ReviewDraft {
    const { remarks, revisions } = this.#session.state(reviewHistory)
    const ids = this.#ids()
    const draft = withoutRemarks(
      interrupted(kept),
      remarks.map(({ remark }) => remark),
      ids,
    )
    const { decidedSeq } = revisions.find(({ reviewId }) => reviewId === kept.sending) ?? {}
    const decided = decidedSeq === undefined ? undefined : this.#session.at(decidedSeq)
    return decided?.type === 'review/decided' ? withoutTaken(draft, decided.data, ids) : draft
  }

  #ids(): string[] {
    const sent = this.#session.state(reviewHistory).remarks.map(({ remark }) => remark.id)
    return [...sent, ...this.draft.remarks.map(({ remark }) => remark.id)]
  }

  /** What the agent said of remarks between the verdict before the shown plan and now. */
  #claims(): ReadonlyMap<string, string> {
    const { revisions } = this.#session.state(reviewHistory)
    const before = revisions.slice(0, -1).findLast(({ state }) => state !== 'superseded')
    return claimsBetween(this.#session, before?.decidedSeq ?? this.#session.length, this.#session.length)
  }
}
