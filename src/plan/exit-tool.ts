import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type QuestionAnswers, type QuestionRequest, UserQuestionError } from '../agent/questions.ts'
import type { Tool, ToolCall, ToolOutcome } from '../agent/tool.ts'
import type { Session } from '../session/session.ts'
import { recordDecision } from './decision.ts'
import { planProjection, waitingSelection } from './projection.ts'
import { type PresentedReview, reviewProjection } from './review.ts'
import * as words from './words.ts'

export const REVIEW_QUESTION_ID = 'plan-review'

const parameters = z.strictObject({ plan: z.string().describe(words.EXIT_PLAN_DESCRIPTION) })

/** SHA-256 (hex) of the exact UTF-8 text: what an approval is bound to. */
export function hashPlan(plan: string): string {
  return createHash('sha256').update(plan, 'utf8').digest('hex')
}

/**
 * `exit_plan_mode`: presents the plan through the questions seam and leaves plan mode only on an exact approval.
 * Exists for the model only while plan mode is committed, as the last tool. When `installed` aborts, whatever put the
 * tool there is gone: a review under way fails its call and stays waiting.
 */
export function exitTool(installed: AbortSignal): Tool<z.infer<typeof parameters>> {
  return {
    name: words.EXIT_PLAN_MODE,
    description: words.EXIT_TOOL_DESCRIPTION,
    parameters,
    order: Number.MAX_SAFE_INTEGER,
    available: ({ session, runtime }) => runtime.projections.state(session, planProjection).active,
    async run({ plan }, call) {
      if (!/^#\s+\S/.test(plan.trim())) return failure(words.notPlanShaped)
      if (approvedInThisStep(call)) return failure(words.alreadyApproved)
      return await review(plan, call, installed)
    },
  }
}

/** An approval of this very step whose exit still waits: whatever the user's own commands made of the selection. */
function approvedInThisStep({ agent, turn, step }: ToolCall): boolean {
  const { decided } = agent.session.state(reviewProjection)
  if (decided?.decision !== 'approved' || waitingSelection(agent.session.state(planProjection)) !== false) return false
  const at = stepOf(agent.session, decided.callSeq)
  return at?.turn === turn && at.step === step
}

/** Where a call was made: a program's call lies behind the model's own. */
function stepOf(session: Session, callSeq: number): { readonly turn: number; readonly step: number } | undefined {
  for (let seq = callSeq; seq >= 0; seq--) {
    const event = session.at(seq)
    if (event.type === 'tool/call') return event.data
    if (event.type === 'step/start') return undefined
  }
  return undefined
}

async function review(plan: string, call: ToolCall, installed: AbortSignal): Promise<ToolOutcome> {
  const { session, runtime } = call.agent
  const withdrawal = new AbortController()
  const request = reviewRequest(plan, call, AbortSignal.any([call.signal, withdrawal.signal, installed]))
  try {
    runtime.questions.check(request)
  } catch (error) {
    return seamFailure(error)
  }
  const presented = present(plan, call)
  using _ = whenDecided(session, presented.reviewId, () => withdrawal.abort())
  await runtime.flush(session)
  const outcome = await ask(request, presented, call, installed)
  await runtime.flush(session)
  return outcome
}

/** Asks and logs the decision. While the review is undecided in the log, an aborted call leaves it waiting. */
async function ask(
  request: QuestionRequest,
  presented: PresentedReview,
  call: ToolCall,
  installed: AbortSignal,
): Promise<ToolOutcome> {
  const { session, runtime } = call.agent
  const decided = () => session.state(reviewProjection).waiting?.reviewId !== presented.reviewId
  try {
    const verdict = read(await runtime.questions.ask(request))
    call.signal.throwIfAborted()
    if (decided()) return failure(words.withdrawn)
    if (installed.aborted) return failure(words.reloaded)
    if (verdict.kind === 'approved') {
      recordDecision(session, presented, 'approved')
      return { kind: 'success', text: words.approved, meta: { approved: true } }
    }
    recordDecision(session, presented, 'kept', verdict.feedback)
    return failure(words.kept(verdict.feedback))
  } catch (error) {
    call.signal.throwIfAborted()
    if (decided()) return failure(words.withdrawn)
    if (installed.aborted) return failure(words.reloaded)
    if (!(error instanceof UserQuestionError) || error.code !== 'ASK_CANCELLED') return seamFailure(error)
    recordDecision(session, presented, 'dismissed')
    return { kind: 'success', text: words.dismissed, meta: { approved: false }, endsTurn: true }
  }
}

function reviewRequest(plan: string, call: ToolCall, signal: AbortSignal): QuestionRequest {
  return {
    agent: call.agent,
    signal,
    questions: [
      {
        id: REVIEW_QUESTION_ID,
        header: words.REVIEW_HEADER,
        question: words.REVIEW_QUESTION,
        detail: plan,
        options: [
          { label: words.APPROVE_LABEL, description: words.APPROVE_MEANING },
          { label: words.KEEP_LABEL, description: words.KEEP_MEANING },
        ],
        intent: { kind: 'plan-review', approve: words.APPROVE_LABEL },
      },
    ],
  }
}

function present(plan: string, call: ToolCall): PresentedReview {
  const { session } = call.agent
  const before = session.state(reviewProjection).waiting
  if (before !== null) recordDecision(session, before, 'superseded')
  session.append('review/presented', {
    reviewId: crypto.randomUUID(),
    callId: call.callId,
    planHash: hashPlan(plan),
  })
  const presented = session.state(reviewProjection).waiting
  if (presented === null) throw new Error(`The call ${call.callId} is not in the log.`)
  return presented
}

/** Approved is exactly the approving label and nothing else; every other answer keeps planning. */
function read({ answers }: QuestionAnswers): { kind: 'approved' } | { kind: 'kept'; feedback: string | undefined } {
  const [answer, ...others] = answers
  const exact =
    others.length === 0 &&
    answer?.id === REVIEW_QUESTION_ID &&
    answer.custom === undefined &&
    answer.selected.length === 1 &&
    answer.selected[0] === words.APPROVE_LABEL
  return exact ? { kind: 'approved' } : { kind: 'kept', feedback: answer?.custom }
}

function whenDecided(session: Session, reviewId: string, then: () => void): Disposable {
  return session.observe(event => {
    if (event.type === 'review/decided' && event.data.reviewId === reviewId) then()
  })
}

function failure(text: string): ToolOutcome {
  return { kind: 'failure', text }
}

/** A review that could not take place fails the call with the seam's own message and code. */
function seamFailure(error: unknown): ToolOutcome {
  if (!(error instanceof UserQuestionError)) throw error
  return { kind: 'failure', text: error.message, error: { name: error.name, code: error.code } }
}
