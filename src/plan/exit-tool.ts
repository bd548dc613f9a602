import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type QuestionAnswers, type QuestionRequest, UserQuestionError } from '../agent/questions.ts'
import type { Tool, ToolCall, ToolOutcome } from '../agent/tool.ts'
import { newUserMessage, type UserMessage } from '../session/messages.ts'
import type { Session } from '../session/session.ts'
import { type ReviewAside, reviewAside } from './aside.ts'
import { endsTurn, recordDecision } from './decision.ts'
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
 * Exists for the model only while plan mode is committed, as the last tool.
 */
export const exitTool: Tool<z.infer<typeof parameters>> = {
  name: words.EXIT_PLAN_MODE,
  description: words.EXIT_TOOL_DESCRIPTION,
  parameters,
  order: Number.MAX_SAFE_INTEGER,
  available: agent => agent.session.state(planProjection).active,
  async run({ plan }, call) {
    return await presentPlan(plan, call)
  },
}

/** An approval of this very step whose exit still waits: whatever the user's own commands made of the selection. */
function approvedInThisStep({ agent, turn, step }: ToolCall): boolean {
  const { decided } = agent.session.state(reviewProjection)
  if (decided?.decision !== 'approved' || waitingSelection(agent.session.state(planProjection)) !== false) return false
  const presented = agent.session.at(decided.callSeq)
  return presented.type === 'tool/call' && presented.data.turn === turn && presented.data.step === step
}

/**
 * Puts a whole plan before the human and resolves to what the call gives the model. `logsText`: the call's own
 * arguments are not the text, so that it has to be logged with the presentation.
 */
export async function presentPlan(plan: string, call: ToolCall, { logsText = false } = {}): Promise<ToolOutcome> {
  if (!/^#\s+\S/.test(plan.trim())) return failure(words.notPlanShaped)
  if (approvedInThisStep(call)) return failure(words.alreadyApproved)
  const { session, runtime } = call.agent
  const withdrawal = new AbortController()
  const request = reviewRequest(plan, call, AbortSignal.any([call.signal, withdrawal.signal]))
  try {
    runtime.questions.check(request)
  } catch (error) {
    return seamFailure(error)
  }
  const presented = present(plan, call, logsText)
  using _ = whenDecided(session, presented.reviewId, () => withdrawal.abort())
  await runtime.flush(session)
  const outcome = await ask(request, presented, call)
  await runtime.flush(session)
  return outcome
}

/** Asks and logs the decision. While the review is undecided in the log, an aborted call leaves it waiting. */
async function ask(request: QuestionRequest, presented: PresentedReview, call: ToolCall): Promise<ToolOutcome> {
  const { session, runtime } = call.agent
  const decided = () => session.state(reviewProjection).waiting?.reviewId !== presented.reviewId
  try {
    const verdict = read(await runtime.questions.ask(request))
    call.signal.throwIfAborted()
    if (decided()) return failure(words.withdrawn)
    if (verdict.kind === 'approved') return approve(presented, call, verdict.aside)
    recordDecision(session, presented, 'kept', verdict)
    return failure(words.kept(verdict.feedback))
  } catch (error) {
    call.signal.throwIfAborted()
    if (decided()) return failure(words.withdrawn)
    if (!(error instanceof UserQuestionError) || error.code !== 'ASK_CANCELLED') return seamFailure(error)
    recordDecision(session, presented, 'dismissed')
    return { kind: 'success', text: words.dismissed, meta: { approved: false }, endsTurn: true }
  }
}

/** Carried out in this turn, the model reads what was said beside the approval in its next step. */
function approve(presented: PresentedReview, { agent }: ToolCall, aside: ReviewAside): ToolOutcome {
  recordDecision(agent.session, presented, 'approved', { aside })
  const success = { kind: 'success', text: words.approvedFor(aside.next), meta: { approved: true } } as const
  if (endsTurn(aside.next)) return { ...success, endsTurn: true }
  if (aside.relay !== undefined) agent.steer(relay(aside.relay, presented.reviewId))
  return success
}

/** A message of the review to the model. */
export function relay(text: string, reviewId: string): UserMessage {
  return newUserMessage(text, { kind: 'plugin', plugin: words.PLUGIN, form: 'relay', reviewId })
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

function present(plan: string, call: ToolCall, logsText: boolean): PresentedReview {
  const { session } = call.agent
  const before = session.state(reviewProjection).waiting
  if (before !== null) recordDecision(session, before, 'superseded')
  session.append('review/presented', {
    reviewId: crypto.randomUUID(),
    callId: call.callId,
    planHash: hashPlan(plan),
    ...(logsText ? { plan } : {}),
  })
  const presented = session.state(reviewProjection).waiting
  if (presented === null) throw new Error(`The call ${call.callId} is not in the log.`)
  return presented
}

type Read =
  | { readonly kind: 'approved'; readonly aside: ReviewAside }
  | { readonly kind: 'kept'; readonly aside: ReviewAside; readonly feedback: string | undefined }

/** Approved is exactly the approving label and nothing else; every other answer keeps planning. */
function read({ answers, aside: beside = {} }: QuestionAnswers): Read {
  const aside = reviewAside.parse(beside)
  const [answer, ...others] = answers
  const exact =
    others.length === 0 &&
    answer?.id === REVIEW_QUESTION_ID &&
    answer.custom === undefined &&
    answer.selected.length === 1 &&
    answer.selected[0] === words.APPROVE_LABEL
  return exact ? { kind: 'approved', aside } : { kind: 'kept', aside, feedback: answer?.custom }
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
