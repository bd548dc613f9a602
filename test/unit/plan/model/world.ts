import { compactions } from '../../../../src/agent/compaction/bracket.ts'
import { reviewProjection } from '../../../../src/plan/review.ts'
import type { Verdict } from '../../../../src/review/review-desk.ts'
import { PlanModeError } from '../../../../src/session/errors.ts'
import { newUserMessage, type UserMessage } from '../../../../src/session/messages.ts'
import { turnBoundary } from '../../../../src/session/turns.ts'
import type { Act } from '../../../support/scripted-model.ts'
import type { SummaryFor } from './course.ts'
import { installLifePlan } from './life.ts'
import { Lives } from './lives.ts'

/** The plan of a number, as it is presented. */
export function planOf(number: number): string {
  return `# Plan ${number}\n\nOne bucket per key.\n\n1. Write the limiter.\n`
}

/** The real thing, with everything that can happen to it. */
export class World extends Lives {
  /** The `/compact` that runs. */
  #compacting: Promise<unknown> = Promise.resolve()
  #said = 0
  #plans = 0

  get controller() {
    return this.life.plan.controller
  }

  /** For whom a summary was begun that is not there yet. */
  get summaryBegun(): SummaryFor | undefined {
    if (this.session.state(compactions).open === null) return undefined
    const { turnOpen, stepOpen } = this.session.state(turnBoundary)
    return stepOpen ? 'again' : turnOpen ? 'step' : 'command'
  }

  /** Words that were never said before. */
  words(): string {
    return `words${++this.#said}`
  }

  message(): UserMessage {
    return newUserMessage(this.words())
  }

  nextPlan(): Act {
    return { call: 'exit_plan_mode', args: { plan: planOf(++this.#plans) } }
  }

  select(active: boolean): string {
    try {
      return this.controller.set(this.agent, active)
    } catch (error) {
      if (error instanceof PlanModeError && error.code === 'REFUSED') return 'refused'
      throw error
    }
  }

  answer(...acts: readonly Act[]): void {
    this.model.say(acts, true)
  }

  /** A part of the answer streams and is in the log. */
  async say(): Promise<void> {
    const { session } = this
    const before = session.length
    this.model.say([{ text: this.words() }], false)
    await this.until(() => {
      const last = session.at(session.length - 1)
      return session.length > before && last.type === 'assistant/chunk' && last.data.chunk.type === 'block-end'
    })
  }

  /** Resolves when the summary is asked for, or when there is none to make. */
  async compact(): Promise<void> {
    let over = false
    this.#compacting = this.runtime.commands
      .run(this.agent, 'compact', '')
      .catch(() => {}) // it ends with its process, by then without an outcome
      .finally(() => {
        over = true
        this.wake()
      })
    await this.until(() => over || (this.summaryBegun === 'command' && this.model.isAsked))
  }

  async endSummary(act: Act): Promise<void> {
    this.answer(act)
    await this.#compacting
  }

  toolEnds(): void {
    this.held.shift()?.()
  }

  async decide(decision: Verdict['decision']): Promise<void> {
    const { waiting } = this.session.state(reviewProjection)
    if (waiting === null) throw new Error('No review waits.')
    await this.desk.decide(this.agent, { reviewId: waiting.reviewId, planHash: waiting.planHash, decision })
  }

  async stop(): Promise<void> {
    this.agent.cancel()
    this.forget()
    await this.agent.whenIdle()
    await this.#compacting
  }

  async loseProvider(): Promise<void> {
    this.life.provided[Symbol.dispose]()
    this.life.provided = this.runtime.questions.provide(this.desk)
    await this.until(() => !this.desk.isLive(this.agent))
  }

  async reloadPlanMode(): Promise<void> {
    this.life.plan[Symbol.dispose]()
    this.life.plan = installLifePlan(this.runtime)
    await this.until(() => !this.desk.isLive(this.agent))
  }

  /** The log refuses the next `plan/mode`. */
  refuseMode(): void {
    const { session } = this
    const append = session.append.bind(session)
    session.append = (type, ...rest) => {
      if (type !== 'plan/mode') return append(type, ...rest)
      Reflect.deleteProperty(session, 'append')
      throw new PlanModeError('REFUSED', 'The log takes no more.')
    }
  }

  refuseStep(): void {
    const { preStep } = this.runtime
    const refuse = async () => {
      preStep.delete(refuse)
      return { kind: 'refuse' as const, reason: 'not now' }
    }
    preStep.add(refuse)
  }

  override async crash(): Promise<void> {
    await super.crash()
    this.#compacting = Promise.resolve()
  }
}
