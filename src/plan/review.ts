import { z } from 'zod'
import { PlanModeError } from '../session/errors.ts'
import type { ReviewDecision, SessionEvent } from '../session/events.ts'
import type { Projection } from '../session/projections.ts'
import type { ApprovalChoice } from '../session/reviews.ts'
import type { Session } from '../session/session.ts'
import { EXIT_PLAN_MODE, REVISE_PLAN } from './words.ts'

/** A plan that went before a human. `callSeq` is the seq of its `tool/call`, `textSeq` of the event that holds its text. */
export interface PresentedReview {
  readonly textSeq: number
  readonly reviewId: string
  readonly callId: string
  readonly planHash: string
  readonly callSeq: number
  /** 1 for the first plan presented in the session. */
  readonly revision: number
}

/** `next` and `seq` (of the decision) are there for what follows from an approval. */
export interface DecidedReview extends PresentedReview {
  readonly decision: ReviewDecision
  readonly feedback: string | null
  readonly next: ApprovalChoice | undefined
  readonly seq: number
}

export interface ReviewState {
  /** Presented and not decided; at most one. */
  readonly waiting: PresentedReview | null
  /** The latest decided one. */
  readonly decided: DecidedReview | null
  readonly presented: number
  /** The latest `tool/call` that may have presented a plan; `holdsPlan` when the text can be read in it. */
  readonly lastCall: { readonly callId: string; readonly seq: number; readonly holdsPlan: boolean } | null
}

export const reviewProjection: Projection<ReviewState> = {
  key: 'review',
  version: 3,
  initial: { waiting: null, decided: null, presented: 0, lastCall: null },
  types: ['tool/call', 'review/presented', 'review/decided'],
  apply(state: ReviewState, event: SessionEvent): ReviewState {
    switch (event.type) {
      case 'tool/call':
        return call(state, event)
      case 'review/presented': {
        const { reviewId, callId, planHash, plan } = event.data
        if (state.lastCall?.callId !== callId || (plan === undefined && !state.lastCall.holdsPlan)) return state
        const { seq: callSeq } = state.lastCall
        const textSeq = plan === undefined ? callSeq : event.seq
        const revision = state.presented + 1
        return {
          ...state,
          presented: revision,
          waiting: { reviewId, callId, planHash, callSeq, textSeq, revision },
        }
      }
      case 'review/decided': {
        if (state.waiting?.reviewId !== event.data.reviewId) return state
        const { decision, feedback = null, next } = event.data
        const decided = { ...state.waiting, decision, feedback, next, seq: event.seq }
        return { ...state, waiting: null, decided }
      }
      default:
        return state
    }
  },
}

function call(state: ReviewState, event: SessionEvent<'tool/call'>): ReviewState {
  const { name, callId } = event.data
  if (name !== EXIT_PLAN_MODE && name !== REVISE_PLAN) return state
  const holdsPlan = name === EXIT_PLAN_MODE && presentedText(event) !== undefined
  const presents = holdsPlan || name === REVISE_PLAN
  return { ...state, lastCall: presents ? { callId, seq: event.seq, holdsPlan } : null }
}

/** The raw arguments of the exit call: JSON text that the model wrote. */
const exitArguments = z
  .string()
  .transform((raw, context) => {
    try {
      return JSON.parse(raw) as unknown
    } catch {
      context.addIssue('not JSON')
      return z.NEVER
    }
  })
  .pipe(z.looseObject({ plan: z.string() }))

/** The exact text of a presented plan, from the log. @throws PlanModeError `PLAN_UNREADABLE` */
export function planText(session: Session, review: Pick<PresentedReview, 'reviewId' | 'textSeq'>): string {
  const plan = presentedText(session.at(review.textSeq))
  if (plan === undefined) {
    throw new PlanModeError('PLAN_UNREADABLE', `The text of plan review ${review.reviewId} is not in the log.`)
  }
  return plan
}

/** The whole plan that an event holds, if it is one that presents a plan. */
export function presentedText(event: SessionEvent): string | undefined {
  if (event.type === 'review/presented') return event.data.plan
  if (event.type !== 'tool/call' || event.data.name !== EXIT_PLAN_MODE) return undefined
  return exitArguments.safeParse(event.data.arguments).data?.plan
}

/** The text of the first heading of any level, else "Plan". */
export function planTitle(plan: string): string {
  return /^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$/m.exec(plan)?.[1] ?? 'Plan'
}
