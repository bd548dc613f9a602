/** What the model reads in one request: the guidance with its tool, and every notice so far, by its target. */
export interface Told {
  readonly guidance: boolean
  readonly notices: readonly boolean[]
}

/** All that plan mode remembers of a conversation; it survives the process once it is saved. */
export interface Memory {
  /** The logged mode. */
  active: boolean
  /** A selection that the next step boundary commits. */
  waiting: boolean | null
  /** What the model was last told; null before its first request. */
  told: boolean | null
  notices: readonly boolean[]
  /** A plan waits for its review. */
  review: boolean
  prompts: number
  steers: number
}

const fresh: Memory = { active: false, waiting: null, told: null, notices: [], review: false, prompts: 0, steers: 0 }

/** Plan mode as its documents tell it, and nothing else. `at`: where the turn stands; `rest`: the batch has more calls. */
export class Reference {
  now: Memory = { ...fresh }
  saved: Memory = { ...fresh }
  at: 'idle' | 'asked' | 'review' | 'tool' = 'idle'
  rest = false
  /** A steer asked for a step of its own. */
  wanted = false
  refuses = false
  breaks = false
  readonly requests: Told[] = []

  select(active: boolean): string {
    const { now } = this
    const outcome = this.#outcome(active)
    if (this.#breaks(outcome === 'committed')) return 'refused'
    if (outcome === 'committed') now.active = active
    if (outcome === 'queued') now.waiting = active
    if (outcome === 'cancelled') now.waiting = null
    if (!active && now.review) this.#withdraw()
    return outcome
  }

  #outcome(active: boolean): string {
    if (active === (this.now.waiting ?? this.now.active)) return 'noop'
    if (this.now.waiting !== null) return 'cancelled'
    return this.at === 'idle' ? 'committed' : 'queued'
  }

  /** Leaving while a review waits takes the review back; its call fails and the batch goes on. */
  #withdraw(): void {
    this.now.review = false
    if (this.at === 'review') this.#goOn()
  }

  prompt(): void {
    this.now.prompts++
    this.#wake()
  }

  steer(): void {
    this.now.steers++
    this.wanted = true
    this.#wake()
  }

  #wake(): void {
    if (this.at === 'idle') this.#nextTurn()
  }

  #nextTurn(): void {
    this.at = 'idle'
    const { now } = this
    if (now.prompts > 0 || (this.wanted && now.steers > 0)) {
      if (now.prompts > 0) now.prompts--
      this.#boundary()
    }
    this.save()
  }

  /** The input is claimed; the mode commits before the step may be refused; then the model is told and asked. */
  #boundary(): void {
    const { now } = this
    now.steers = 0
    this.wanted = false
    if (this.#breaks(now.waiting !== null)) this.#nextTurn()
    else {
      now.active = now.waiting ?? now.active
      now.waiting = null
      now.review &&= now.active
      if (this.refuses) this.#refused()
      else this.#ask()
    }
  }

  #refused(): void {
    this.refuses = false
    this.#nextTurn()
  }

  #ask(): void {
    const { now } = this
    if (now.told !== null && now.told !== now.active) now.notices = [...now.notices, now.active]
    now.told = now.active
    this.requests.push({ guidance: now.active, notices: now.notices })
    this.at = 'asked'
    this.save()
  }

  #breaks(appends: boolean): boolean {
    const broken = appends && this.breaks
    if (broken) this.breaks = false
    return broken
  }

  #goOn(): void {
    if (this.rest) this.answerTool()
    else this.#boundary()
    this.rest = false
  }

  answerText(): void {
    if (this.wanted && this.now.steers > 0) this.#boundary()
    else this.#nextTurn()
  }

  answerTool(): void {
    this.at = 'tool'
    this.save()
  }

  toolEnds(): void {
    this.#boundary()
  }

  /** Outside plan mode the exit tool does not exist: the call fails and the batch goes on. */
  answerPlan(rest: boolean): void {
    this.rest = rest
    if (this.now.active) {
      this.now.review = true
      this.at = 'review'
    } else this.#goOn()
    this.save()
  }

  /** A verdict on the call that waits, or a late one, which the model gets as a message. */
  decide(decision: 'approved' | 'kept' | 'dismissed'): void {
    const { now } = this
    const live = this.at === 'review'
    now.review = false
    if (decision === 'approved') now.waiting = false
    if (!live) this.steer()
    else {
      if (decision === 'approved') now.told = false
      if (decision === 'dismissed') this.#nextTurn()
      else this.#goOn()
    }
    this.save()
  }

  /** The provider goes, or plan mode is reloaded: the call fails; the plan still waits. */
  reviewFails(): void {
    if (this.at === 'review') this.#goOn()
    this.save()
  }

  /** The turn ends; pending input and a waiting review stay. */
  cancel(): void {
    this.at = 'idle'
    this.rest = false
    this.save()
  }

  /** What was saved goes on; pending input waits for a wake. */
  nextLife(): void {
    Object.assign(this, {
      now: { ...this.saved },
      at: 'idle',
      rest: false,
      wanted: false,
      refuses: false,
      breaks: false,
    })
  }

  /** A child has the mode, the selection and the review, and none of the pending input. */
  fork(): void {
    this.save()
    this.saved = { ...this.saved, prompts: 0, steers: 0 }
    this.nextLife()
  }

  save(): void {
    this.saved = { ...this.now }
  }
}
