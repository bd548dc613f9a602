import type { Agent } from '../agent/agent.ts'
import {
  type QuestionAnswers,
  type QuestionProvider,
  type QuestionRequest,
  UserQuestionError,
} from '../agent/questions.ts'
import type { ReviewAside } from '../plan/aside.ts'
import { endsTurn, recordDecision } from '../plan/decision.ts'
import { hashPlan, REVIEW_QUESTION_ID } from '../plan/present-plan.ts'
import { relay } from '../plan/relay.ts'
import { endsCall, type PresentedReview, planText, planTitle, reviewProjection } from '../plan/review.ts'
import { APPROVE_LABEL, KEEP_LABEL, lateVerdict } from '../plan/words.ts'
import { PlanModeError } from '../session/errors.ts'
import { turnBoundary } from '../session/turns.ts'

/**
 * What a human decided on a plan, bound to the hash of the text that was shown. Blank feedback counts as none. `aside`
 * is what was said beside it: remarks, edits, notes, and how an approved plan goes on.
 */
export interface Verdict {
  readonly reviewId: string
  readonly planHash: string
  readonly decision: 'approved' | 'kept' | 'dismissed'
  readonly feedback?: string
  readonly aside?: ReviewAside
}

interface LiveReview {
  readonly request: QuestionRequest
  /** A verdict was given and is on its way into the log. */
  answered: boolean
  settle(answers: QuestionAnswers): void
  cancel(error: UserQuestionError): void
}

/**
 * Where a human's verdict arrives. While the agent's call waits, the verdict answers it; otherwise (after a stop, a
 * crash, a reload) the same events are logged here and the verdict goes to the agent as a message of its own.
 */
export class ReviewDesk implements QuestionProvider {
  readonly #live = new Map<Agent, LiveReview>()
  readonly #listeners = new Set<(agent: Agent) => void>()

  /** `onChange` is told when a review begins or ceases to have a waiting call. */
  constructor(onChange: (agent: Agent) => void = () => {}) {
    this.#listeners.add(onChange)
  }

  /** Whether an agent's call waits for the answer to its review. */
  isLive(agent: Agent): boolean {
    const { waiting } = agent.session.state(reviewProjection)
    return this.#live.has(agent) && waiting !== null && isRunning(agent, waiting)
  }

  ask(request: QuestionRequest): Promise<QuestionAnswers> {
    const { agent, signal } = request
    const asked = Promise.withResolvers<QuestionAnswers>()
    const aborted = () =>
      asked.reject(new UserQuestionError('ASK_ABORTED', 'The question was withdrawn before an answer.'))
    if (signal.aborted) aborted()
    signal.addEventListener('abort', aborted, { once: true })
    const live: LiveReview = { request, answered: false, settle: asked.resolve, cancel: asked.reject }
    this.#live.set(agent, live)
    this.#changed(agent)
    return asked.promise.finally(() => {
      signal.removeEventListener('abort', aborted)
      if (this.#live.get(agent) === live) this.#live.delete(agent)
      this.#changed(agent)
    })
  }

  /**
   * Takes a verdict on the waiting review. Resolves when the decision is durable.
   * @throws PlanModeError `REVIEW_NOT_WAITING` (also when something else was decided first), `PLAN_CHANGED`,
   * `AGENT_DISPOSED`, or why the log or the storage refused it.
   */
  async decide(agent: Agent, verdict: Verdict): Promise<void> {
    const review = waitingReview(agent, verdict)
    const live = await this.#waitingCall(agent, review)
    if (live !== undefined) await answer(live, review, verdict)
    if (live === undefined || !wasTaken(agent, verdict)) decideLate(agent, waitingReview(agent, verdict), verdict)
    await agent.runtime.flush(agent.session)
  }

  /** The call that waits for this review, undefined once it ended. One that still saves its plan is waited for. */
  async #waitingCall(agent: Agent, review: PresentedReview): Promise<LiveReview | undefined> {
    while (isRunning(agent, review)) {
      const live = this.#live.get(agent)
      if (live !== undefined) return live
      const changed = Promise.withResolvers<void>()
      const wake = () => changed.resolve()
      using _log = agent.session.observe(wake)
      using _status = agent.onStatus(wake)
      this.#listeners.add(wake)
      await changed.promise
      this.#listeners.delete(wake)
    }
    return undefined
  }

  #changed(agent: Agent): void {
    for (const listener of [...this.#listeners]) listener(agent)
  }
}

function waitingReview(agent: Agent, verdict: Verdict): PresentedReview {
  const { readOnly } = agent.session
  if (readOnly !== undefined) throw new PlanModeError('READ_ONLY', readOnly)
  if (agent.status === 'disposed') {
    throw new PlanModeError('AGENT_DISPOSED', 'This conversation is closed here. Open it again to decide.')
  }
  const { waiting } = agent.runtime.projections.state(agent.session, reviewProjection)
  if (waiting?.reviewId !== verdict.reviewId) throw notWaiting()
  if (waiting.planHash !== verdict.planHash) {
    throw new PlanModeError(
      'PLAN_CHANGED',
      'The plan shown is not the plan presented. Reopen the review and decide again.',
    )
  }
  // A log can be edited while its review waits.
  if (verdict.decision === 'approved' && hashPlan(planText(agent.session, waiting)) !== waiting.planHash) {
    throw new PlanModeError(
      'PLAN_CHANGED',
      'The plan in the log is not the plan that was presented, so it cannot be approved. Keep planning, to have it presented again.',
    )
  }
  const { edited } = verdict.aside ?? {}
  if (edited !== undefined && hashPlan(edited.plan) !== edited.planHash) {
    throw new PlanModeError(
      'PLAN_CHANGED',
      'The edited plan is not the one that was shown. Look at the edits and decide again.',
    )
  }
  return waiting
}

function notWaiting(): PlanModeError {
  return new PlanModeError('REVIEW_NOT_WAITING', 'This plan is not waiting for a review any more. Open the latest one.')
}

/** Whether the call that presented the plan has no result yet and may still get one of its own. */
function isRunning({ session, status }: Agent, review: PresentedReview): boolean {
  if (status !== 'running' || !session.state(turnBoundary).turnOpen) return false
  for (const event of session.from(review.callSeq)) if (endsCall(event, session, review)) return false
  return true
}

function wasTaken({ session }: Agent, { reviewId, decision }: Verdict): boolean {
  const { decided } = session.state(reviewProjection)
  return decided?.reviewId === reviewId && decided.decision === decision
}

/** Answers the waiting call and waits until its decision is logged, or the call ended without one. */
async function answer(live: LiveReview, review: PresentedReview, verdict: Verdict): Promise<void> {
  if (live.answered) throw notWaiting()
  live.answered = true
  const { agent, signal } = live.request
  const over = Promise.withResolvers<void>()
  const done = () => over.resolve()
  using _ = agent.session.observe(event => {
    if (event.type === 'review/decided' && event.data.reviewId === review.reviewId) done()
    if (endsCall(event, agent.session, review)) done()
  })
  signal.addEventListener('abort', done, { once: true })
  if (signal.aborted) done()
  if (verdict.decision === 'dismissed')
    live.cancel(new UserQuestionError('ASK_CANCELLED', 'The user closed the review.'))
  else live.settle(answersOf(verdict))
  await over.promise
  signal.removeEventListener('abort', done)
}

function answersOf({ decision, feedback, aside }: Verdict): QuestionAnswers {
  const id = REVIEW_QUESTION_ID
  if (decision === 'approved') return { answers: [{ id, selected: [APPROVE_LABEL] }], aside }
  const custom = feedbackOf(feedback)
  return { answers: [custom === undefined ? { id, selected: [KEEP_LABEL] } : { id, selected: [], custom }], aside }
}

/** The same events without a call that waits, and a message that says what its result would have said. */
function decideLate(agent: Agent, review: PresentedReview, { decision, feedback, aside }: Verdict): void {
  const custom = decision === 'kept' ? feedbackOf(feedback) : undefined
  const title = planTitle(planText(agent.session, review))
  recordDecision(agent.session, review, decision, { feedback: custom, aside })
  const text = lateVerdict(decision, title, { feedback: custom, next: aside?.next, relay: aside?.relay })
  // What is not carried out now waits for the next message of a human, whoever sends it.
  const message = relay(text, review.reviewId, decision === 'dismissed' ? [] : aside?.remarks)
  if (decision === 'approved' && endsTurn(aside?.next)) agent.inject(message)
  else agent.steer(message)
}

function feedbackOf(feedback: string | undefined): string | undefined {
  return feedback === undefined || feedback.trim() === '' ? undefined : feedback
}
