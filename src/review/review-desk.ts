import type { Agent } from '../agent/agent.ts'
import {
  type QuestionAnswers,
  type QuestionProvider,
  type QuestionRequest,
  UserQuestionError,
} from '../agent/questions.ts'
import { recordDecision } from '../plan/decision.ts'
import { REVIEW_QUESTION_ID } from '../plan/exit-tool.ts'
import { type PresentedReview, planText, planTitle, reviewProjection } from '../plan/review.ts'
import { APPROVE_LABEL, KEEP_LABEL, lateVerdict, PLUGIN } from '../plan/words.ts'
import { PlanModeError } from '../session/errors.ts'
import { newUserMessage } from '../session/messages.ts'

/** What a human decided on a plan, bound to the hash of the text that was shown. Blank feedback counts as none. */
export interface Verdict {
  readonly reviewId: string
  readonly planHash: string
  readonly decision: 'approved' | 'kept' | 'dismissed'
  readonly feedback?: string
}

interface LiveReview {
  readonly request: QuestionRequest
  settle(answers: QuestionAnswers): void
  cancel(error: UserQuestionError): void
}

/**
 * Where a human's verdict arrives. While the agent's call waits, the verdict answers it; otherwise (after a stop, a
 * crash, a reload) the same events are logged here and the verdict goes to the agent as a message of its own.
 */
export class ReviewDesk implements QuestionProvider {
  readonly #live = new Map<Agent, LiveReview>()
  readonly #onChange: (agent: Agent) => void

  /** `onChange` is told when a review begins or ceases to have a waiting call. */
  constructor(onChange: (agent: Agent) => void = () => {}) {
    this.#onChange = onChange
  }

  /** Whether an agent's call waits for the answer to its review. */
  isLive(agent: Agent): boolean {
    return this.#live.has(agent)
  }

  ask(request: QuestionRequest): Promise<QuestionAnswers> {
    const { agent, signal } = request
    const asked = Promise.withResolvers<QuestionAnswers>()
    const aborted = () =>
      asked.reject(new UserQuestionError('ASK_ABORTED', 'The question was withdrawn before an answer.'))
    if (signal.aborted) aborted()
    signal.addEventListener('abort', aborted, { once: true })
    this.#live.set(agent, { request, settle: asked.resolve, cancel: asked.reject })
    this.#onChange(agent)
    return asked.promise.finally(() => {
      signal.removeEventListener('abort', aborted)
      this.#live.delete(agent)
      this.#onChange(agent)
    })
  }

  /**
   * Takes a verdict on the waiting review. Resolves when the decision is durable.
   * @throws PlanModeError `REVIEW_NOT_WAITING`, `PLAN_CHANGED`, or why the log or the storage refused it.
   */
  async decide(agent: Agent, verdict: Verdict): Promise<void> {
    const review = waitingReview(agent, verdict)
    const live = this.#live.get(agent)
    if (live !== undefined) await answer(live, review, verdict)
    if (agent.session.state(reviewProjection).waiting?.reviewId === review.reviewId) decideLate(agent, review, verdict)
    await agent.runtime.flush(agent.session)
  }
}

function waitingReview(agent: Agent, verdict: Verdict): PresentedReview {
  const { readOnly } = agent.session
  if (readOnly !== undefined) throw new PlanModeError('READ_ONLY', readOnly)
  const { waiting } = agent.session.state(reviewProjection)
  if (waiting?.reviewId !== verdict.reviewId) {
    throw new PlanModeError(
      'REVIEW_NOT_WAITING',
      'This plan is not waiting for a review any more. Open the latest one.',
    )
  }
  if (waiting.planHash !== verdict.planHash) {
    throw new PlanModeError(
      'PLAN_CHANGED',
      'The plan shown is not the plan presented. Reopen the review and decide again.',
    )
  }
  return waiting
}

/** Answers the waiting call and waits until its decision is logged, or the call ended without one. */
async function answer(live: LiveReview, review: PresentedReview, verdict: Verdict): Promise<void> {
  const { agent, signal } = live.request
  const over = Promise.withResolvers<void>()
  const done = () => over.resolve()
  using _ = agent.session.observe(event => {
    if (event.type === 'review/decided' && event.data.reviewId === review.reviewId) done()
    if (event.type === 'tool/result' && event.data.message.source.callId === review.callId) done()
  })
  signal.addEventListener('abort', done, { once: true })
  if (signal.aborted) done()
  if (verdict.decision === 'dismissed')
    live.cancel(new UserQuestionError('ASK_CANCELLED', 'The user closed the review.'))
  else live.settle(answersOf(verdict))
  await over.promise
  signal.removeEventListener('abort', done)
}

function answersOf({ decision, feedback }: Verdict): QuestionAnswers {
  const id = REVIEW_QUESTION_ID
  if (decision === 'approved') return { answers: [{ id, selected: [APPROVE_LABEL] }] }
  const custom = feedbackOf(feedback)
  return { answers: [custom === undefined ? { id, selected: [KEEP_LABEL] } : { id, selected: [], custom }] }
}

function decideLate(agent: Agent, review: PresentedReview, { decision, feedback }: Verdict): void {
  const custom = decision === 'kept' ? feedbackOf(feedback) : undefined
  const text = lateVerdict(decision, planTitle(planText(agent.session, review)), custom)
  recordDecision(agent.session, review, decision, custom)
  agent.steer(newUserMessage(text, { kind: 'plugin', plugin: PLUGIN, form: 'relay', reviewId: review.reviewId }))
}

function feedbackOf(feedback: string | undefined): string | undefined {
  return feedback === undefined || feedback.trim() === '' ? undefined : feedback
}
