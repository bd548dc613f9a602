import type { PlanQuestion } from '../agent/children/ask.ts'
import type { Explored } from '../agent/children/explorer.ts'
import { messageOf, PlanModeError } from '../session/errors.ts'
import type { Ask } from './drafts/review-draft.ts'
import type { ReviewWork } from './review-work.ts'
import type { ShownRemark } from './shown-remark.ts'

/** Sends an explorer out with a question; `began` is told of its session. @throws the reason of the signal. */
export type Asker = (
  question: PlanQuestion,
  signal: AbortSignal,
  began: (childId: string) => Promise<void>,
) => Promise<Explored>

/** Questions of one review that are asked at once. */
const AT_ONCE = 3

/**
 * The questions that a person asks an explorer about the plan, without ending its review. What is asked and answered is
 * kept with the draft of the remark; an answer decides nothing, and goes to the agent only where the person attaches it.
 */
export class Asks implements AsyncDisposable {
  readonly #review: ReviewWork
  readonly #asker: Asker
  /** By remark. One that was stopped is in flight for a moment longer, and says nothing any more. */
  readonly #running = new Map<string, AbortController>()
  readonly #inFlight = new Set<Promise<void>>()
  readonly #following: Disposable

  constructor(review: ReviewWork, asker: Asker) {
    this.#review = review
    this.#asker = asker
    this.#following = review.onChange(() => this.#stopRemoved())
  }

  /**
   * Asks what an unsent question says. The review goes on waiting.
   * @throws PlanModeError `NO_QUESTION` for a remark that asks nothing, `TOO_MANY_ASKS`.
   */
  ask(id: string): void {
    if (this.#running.has(id)) return
    const remark = this.#review.remarks().find(each => each.id === id && each.state === 'unsent')
    if (remark?.kind !== 'question' || remark.text.trim() === '') {
      throw new PlanModeError('NO_QUESTION', 'Write the question first; then an explorer can answer it.')
    }
    if (this.#running.size >= AT_ONCE) {
      throw new PlanModeError('TOO_MANY_ASKS', `${AT_ONCE} questions are being answered. Wait for one, or stop one.`)
    }
    const stop = new AbortController()
    this.#review.setAsk(id, { state: 'asking', by: null, text: '', attached: false })
    this.#running.set(id, stop)
    const done = this.#run(remark, stop.signal).finally(() => this.#inFlight.delete(done))
    this.#inFlight.add(done)
  }

  /** Stops the explorer that answers a question; the question is an unsent remark again. */
  stop(id: string): void {
    const stop = this.#running.get(id)
    if (stop === undefined) return
    this.#running.delete(id)
    stop.abort({ kind: 'user' })
    this.#note(id, asked => ({ ...asked, state: 'stopped' }))
  }

  /** Whether the answer goes with the feedback, and the question with it. */
  attach(id: string, attached: boolean): void {
    const asked = this.#of(id)
    if (asked?.state === 'answered') this.#review.setAsk(id, { ...asked, attached })
  }

  /** Forgets that it was asked; the question is an unsent remark again. */
  drop(id: string): void {
    this.stop(id)
    this.#review.setAsk(id, undefined)
  }

  /** Resolves when nothing of an explorer is in flight; what was being asked says so in the next life. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#following[Symbol.dispose]()
    const running = [...this.#running.values()]
    this.#running.clear()
    for (const stop of running) stop.abort({ kind: 'disposed' })
    await Promise.all(this.#inFlight)
  }

  async #run({ id, text, range }: ShownRemark, signal: AbortSignal): Promise<void> {
    const note = (change: Partial<Ask>) => {
      if (!signal.aborted) this.#note(id, asked => ({ ...asked, ...change }))
    }
    const question = { question: text, plan: this.#review.textOf(), range }
    let came: Pick<Ask, 'state' | 'text'>
    try {
      came = outcomeOf(await this.#asker(question, signal, async by => note({ by })))
    } catch (error) {
      came = { state: 'failed', text: failed(messageOf(error)) }
    }
    if (signal.aborted) return
    this.#running.delete(id)
    note(came)
  }

  #note(id: string, change: (asked: Ask) => Ask): void {
    const asked = this.#of(id)
    if (asked?.state === 'asking') this.#review.setAsk(id, change(asked))
  }

  #of(id: string): Ask | undefined {
    return this.#review.draft.remarks.find(({ remark }) => remark.id === id)?.ask
  }

  #stopRemoved(): void {
    for (const id of this.#running.keys()) if (this.#of(id) === undefined) this.stop(id)
  }
}

function outcomeOf(explored: Explored): Pick<Ask, 'state' | 'text'> {
  if (explored.kind === 'report')
    return { state: 'answered', text: explored.cut ? `${explored.text} …` : explored.text }
  switch (explored.code) {
    case 'EXPLORER_TIMEOUT':
      return { state: 'failed', text: `The explorer did not finish in time and was stopped. ${NARROWER}` }
    case 'EXPLORER_STEPS':
      return { state: 'failed', text: `The explorer looked around and came to no answer. ${NARROWER}` }
    case 'EXPLORER_EMPTY':
      return { state: 'failed', text: `The explorer came back without an answer. ${NARROWER}` }
    case 'EXPLORER_FAILED':
      return { state: 'failed', text: failed(explored.text.replace(/^The explorer failed: /, '')) }
  }
}

const NARROWER = 'Ask something narrower, or send the question to the agent.'

function failed(why: string): string {
  const sentence = why.trim().replace(/[.]?$/, '.')
  return `The explorer failed: ${sentence} Ask again, or send the question to the agent.`
}
