import { createHash } from 'node:crypto'
import { hashPlan } from '../plan/present-plan.ts'
import { withPictures } from '../plan/relay.ts'
import { planTitle } from '../plan/review.ts'
import { parseSteps } from '../plan/steps/parse-steps.ts'
import { PlanModeError } from '../session/errors.ts'
import type { EventData, SessionEvent } from '../session/events.ts'
import { newUserMessage, type UserMessage } from '../session/messages.ts'
import type { Projection } from '../session/projections.ts'
import type { Remark } from '../session/reviews.ts'
import type { Session } from '../session/session.ts'
import { approvalText, fenced } from './feedback.ts'
import { reviewHistory, revisionText } from './revisions.ts'
import * as words from './words.ts'

/** An approved plan on its way to where it is carried out: its exact text, with the human's edits, and what was said. */
export interface PlanToCarryOut {
  readonly from: EventData<'plan/adopted'>['from']
  readonly plan: string
  readonly planHash: string
  readonly title: string
  /** Remarks and notes of the approval as the model reads them; undefined when there were none. */
  readonly said: string | undefined
  /** The remarks among it, for their images. */
  readonly remarks: readonly Remark[]
}

/**
 * @throws PlanModeError `NOT_APPROVED` unless a human approved this plan in this session, `PLAN_CHANGED` when the log does
 * not hold the text that was approved.
 */
export function planToCarryOut(session: Session, reviewId: string): PlanToCarryOut {
  const revision = session.state(reviewHistory).revisions.find(each => each.reviewId === reviewId)
  const decided = revision?.decidedSeq === undefined ? undefined : session.at(revision.decidedSeq)
  if (revision === undefined || decided?.type !== 'review/decided' || decided.data.decision !== 'approved') {
    throw new PlanModeError('NOT_APPROVED', 'This plan was not approved, so it is not carried out. Review it first.')
  }
  const { edited, remarks = [], notes } = decided.data
  const plan = edited?.plan ?? revisionText(session, revision)
  const planHash = edited?.planHash ?? decided.data.planHash
  if (hashPlan(plan) !== planHash) {
    throw new PlanModeError(
      'PLAN_CHANGED',
      'The plan in the log is not the one that was approved. Have it presented again.',
    )
  }
  return {
    from: { sessionId: session.id, reviewId },
    plan,
    planHash,
    title: planTitle(plan),
    remarks,
    said: approvalText(plan, { remarks, ...(notes === undefined ? {} : { notes }) }),
  }
}

/** Logs that the plan is carried out in this session, and its steps. */
export function adopt(session: Session, { from, plan, planHash }: PlanToCarryOut): void {
  session.append('plan/adopted', { from, planHash, plan })
  session.append('plan/steps', { planHash, steps: [...parseSteps(plan)] })
}

/** Whether the session has taken up this plan. */
export function hasAdopted(session: Session, { from }: PlanToCarryOut): boolean {
  return session.state(adoptedReviews).includes(from.reviewId)
}

/** The reviews whose plans a session has taken up. */
const adoptedReviews: Projection<readonly string[]> = {
  key: 'adoptedReviews',
  version: 1,
  initial: [],
  types: ['plan/adopted'],
  apply: (state: readonly string[], event: SessionEvent) =>
    event.type === 'plan/adopted' ? [...state, event.data.from.reviewId] : state,
}

/** The one prompt that begins the work: the whole plan, fenced, what was said beside the approval, and its images. */
export function carryOutPrompt({ plan, said, remarks }: PlanToCarryOut): UserMessage {
  const parts = [words.carryOut, fenced(plan, 'markdown'), ...(said === undefined ? [] : [said])]
  return withPictures(newUserMessage(parts.join('\n\n')), remarks)
}

/**
 * The id of the conversation that carries a plan out elsewhere. It follows from the plan, so that no second one can be
 * stored, whichever window asks.
 */
export function carryOutId({ sessionId, reviewId }: PlanToCarryOut['from']): string {
  const hex = createHash('sha256').update(`carry out\n${sessionId}\n${reviewId}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
