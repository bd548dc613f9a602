import { Process } from './process.ts'
import * as rules from './reference.ts'

/** Who a summary is made for: a person's `/compact` between turns, a step before it asks, a request that was too long. */
export type SummaryFor = 'command' | 'step' | 'again'

export type Decision = 'approved' | 'kept' | 'dismissed'

/**
 * The course of the turns in which the rules are asked, with its saves. `summaryBegun` tells for whom a summary was begun
 * just now: whether there is enough to summarise is no rule.
 */
export class Course extends Process {
  at: 'idle' | 'asked' | 'review' | 'tool' | 'summary' = 'idle'
  summaryFor: SummaryFor = 'step'
  /** The batch has one more call. */
  rest = false
  /** A steer asked for a step of its own; something asked for a turn while a `/compact` runs. */
  wanted = false
  woken = false
  /** The request of this step went out again after a summary. */
  again = false
  /** What the next step and the next `plan/mode` meet. */
  refuses = false
  breaks = false
  plans = 0
  readonly requests: ReturnType<typeof rules.request>[] = []
  readonly #summaryBegun: () => SummaryFor | undefined

  constructor(summaryBegun: () => SummaryFor | undefined) {
    super()
    this.#summaryBegun = summaryBegun
  }

  get inTurn(): boolean {
    return this.at !== 'idle' && !this.compacting
  }

  /** A `/compact` runs. */
  get compacting(): boolean {
    return this.at === 'summary' && this.summaryFor === 'command'
  }

  select(wish: boolean): string {
    const outcome = rules.outcomeOf(this.now, wish, this.inTurn)
    if (this.#breaks(outcome === 'committed')) return 'refused'
    const withdrawn = !wish && this.now.review !== null
    this.change(rules.select(this.now, wish, outcome))
    if (withdrawn && this.at === 'review') this.reviewFails()
    return outcome
  }

  prompt(): void {
    this.change({ prompts: this.now.prompts + 1 })
    this.#wake()
  }

  steer(): void {
    this.#queueSteer()
    this.#wake()
  }

  answerText(): void {
    if (!this.wanted || this.now.steers === 0) this.#turnEnds()
    else this.#batchEnds()
  }

  answerTool(): void {
    this.save()
    this.at = 'tool'
  }

  toolEnds(): void {
    this.#batchEnds()
  }

  /** Outside plan mode the exit tool does not exist: the call fails and the batch goes on. */
  answerPlan(rest: boolean): void {
    this.plans++
    this.rest = rest
    if (this.now.active) this.#present()
    else this.#goOn()
  }

  /** A verdict on the call that waits, or a late one, which the model gets as a message. */
  decide(decision: Decision): void {
    this.change(rules.decide(this.now, decision))
    if (this.at === 'review') this.#settle(decision)
    else {
      this.#queueSteer()
      this.save()
      this.#wake()
    }
  }

  /** The provider goes, or plan mode is reloaded: the call fails. The plan still waits. */
  reviewFails(): void {
    this.save()
    this.#goOn()
  }

  modelFails(): void {
    this.#turnEnds()
  }

  requestTooLong(): void {
    if (!this.again && this.#summaryBegun() === 'again') this.#summarise('again')
    else this.#turnEnds()
  }

  compact(): void {
    this.save()
    if (this.at !== 'idle' || this.#summaryBegun() !== 'command') return
    this.woken = false
    this.#summarise('command')
  }

  /** A summary changes nothing of plan mode, nor does one that fails. */
  summaryEnds(came: boolean): void {
    switch (this.summaryFor) {
      case 'command':
        this.at = 'idle'
        this.save()
        if (this.woken) this.#turns()
        break
      case 'step':
        this.#ask()
        break
      case 'again':
        if (came) this.#askAgain()
        else this.#turnEnds()
    }
  }

  /** The turn ends; pending input and a waiting review stay. A step that had made room is logged with its input. */
  cancel(): void {
    if (this.at === 'summary' && this.summaryFor === 'step') this.change(rules.tell(this.now))
    this.at = 'idle'
    this.rest = false
    this.save()
  }

  override crash(): void {
    super.crash()
    Object.assign(this, { at: 'idle', rest: false, wanted: false, refuses: false, breaks: false })
  }

  #queueSteer(): void {
    this.change({ steers: this.now.steers + 1 })
    this.wanted = true
  }

  #wake(): void {
    this.woken = true
    if (this.at === 'idle') this.#turns()
  }

  #turnEnds(): void {
    this.at = 'idle'
    this.rest = false
    this.save()
    this.#turns()
  }

  #turns(): void {
    const { prompts, steers } = this.now
    if (prompts > 0 || (this.wanted && steers > 0)) this.#boundary(true)
  }

  /** The input is claimed; the mode commits before the step may be refused; then there is room made, told and asked. */
  #boundary(first: boolean): void {
    const { prompts } = this.now
    this.change({ steers: 0, prompts: first ? Math.max(0, prompts - 1) : prompts })
    this.wanted = false
    this.at = 'asked'
    if (this.#breaks(this.now.waiting !== null)) this.#turnEnds()
    else this.#commit()
  }

  #commit(): void {
    this.change(rules.commit(this.now))
    const refused = this.refuses
    this.refuses = false
    if (refused) this.#turnEnds()
    else if (this.#summaryBegun() === 'step') this.#summarise('step')
    else this.#ask()
  }

  #summarise(summaryFor: SummaryFor): void {
    Object.assign(this, { at: 'summary', summaryFor })
    this.save()
  }

  #present(): void {
    this.save()
    this.change({ review: this.plans })
    this.save()
    this.at = 'review'
  }

  #settle(decision: Decision): void {
    this.save()
    this.change(rules.resultRead(this.now, decision))
    if (decision === 'dismissed') this.#turnEnds()
    else this.#goOn()
  }

  #askAgain(): void {
    this.save()
    this.again = true
    this.#request()
  }

  #ask(): void {
    this.change(rules.tell(this.now))
    this.save()
    this.again = false
    this.#request()
  }

  #request(): void {
    this.requests.push(rules.request(this.now))
    this.change({ unread: [] })
    this.saved = this.now
    this.at = 'asked'
  }

  #breaks(appends: boolean): boolean {
    const broken = appends && this.breaks
    if (broken) this.breaks = false
    return broken
  }

  #goOn(): void {
    const { rest } = this
    this.rest = false
    if (rest) this.answerTool()
    else this.#batchEnds()
  }

  #batchEnds(): void {
    this.save()
    this.#boundary(false)
  }
}
