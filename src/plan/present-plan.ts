import { createHash } from 'node:crypto'
import { type QuestionAnswers, type QuestionRequest, UserQuestionError } from '../agent/questions.ts'
import type { ToolCall, ToolOutcome } from '../agent/tool.ts'
import type { Session } from '../session/session.ts'
import { type ReviewAside, reviewAside } from './aside.ts'
import { endsTurn, recordDecision } from './decision.ts'
import { planProjection, waitingSelection } from './projection.ts'
import { pictureMessage, relay } from './relay.ts'
import { type PresentedReview, reviewProjection } from './review.ts'
import * as words from './words.ts'

export const REVIEW_QUESTION_ID = 'plan-review'

/** SHA-256 (hex) of the exact UTF-8 text: what an approval is bound to. */
export function hashPlan(plan: string): string {
  return createHash('sha256').update(plan, 'utf8').digest('hex')
}

interface Presenting {
  readonly installed: AbortSignal
  readonly logsText?: boolean
}

/**
 * Puts a whole plan before the human through the questions seam and resolves to what the call gives the model. When
 * `installed` aborts, whatever put the tool there is gone: the call fails and the review stays waiting. `logsText`: the
 * call's own arguments are not the text, so that it is logged with the presentation.
 */
export async function presentPlan(
  plan: string,
  call: ToolCall,
  { installed, logsText = false }: Presenting,
): Promise<ToolOutcome> {
  if (!/^#\s+\S/.test(plan.trim())) return failure(words.notPlanShaped)
  if (approvedInThisStep(call)) return failure(words.alreadyApproved)
  const { session, runtime } = call.agent
  const withdrawal = new AbortController()
  const request = reviewRequest(plan, call, AbortSignal.any([call.signal, withdrawal.signal, installed]))
  try {
    runtime.questions.check(request)
  } catch (error) {
    return seamFailure(error)
  }
  const presented = present(plan, call, logsText)
  using _ = whenDecided(session, presented.reviewId, () => withdrawal.abort())
  await runtime.flush(session)
  const outcome = await ask(request, presented, call, installed)
  await runtime.flush(session)
  return outcome
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
    if (verdict.kind === 'approved') return approve(presented, call, verdict.aside)
    recordDecision(session, presented, 'kept', verdict)
    const pictures = pictureMessage(presented.reviewId, verdict.aside.remarks)
    if (pictures !== undefined) call.agent.steer(pictures)
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

/** Carried out in this turn, the model reads what was said beside the approval in its next step. */
function approve(presented: PresentedReview, { agent }: ToolCall, aside: ReviewAside): ToolOutcome {
  recordDecision(agent.session, presented, 'approved', { aside })
  const success = { kind: 'success', text: words.approvedFor(aside.next), meta: { approved: true } } as const
  if (endsTurn(aside.next)) return { ...success, endsTurn: true }
  if (aside.relay !== undefined) agent.steer(relay(aside.relay, presented.reviewId, aside.remarks))
  return success
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
