import { z } from 'zod'
import { PlanModeError } from '../session/errors.ts'
import { type ReviewDecision, reviewDecision, type SessionEvent } from '../session/events.ts'
import type { Projection } from '../session/projections.ts'
import { type ApprovalChoice, approvalChoice } from '../session/reviews.ts'
import type { Session } from '../session/session.ts'
import { EXIT_PLAN_MODE, REVISE_PLAN } from './words.ts'

/**
 * A plan that went before a human. `callSeq` is the seq of the `tool/call` that presented it, or of the
 * `tool/code-dispatch-start` when a program did; `callId` is that call's own id; `textSeq` is the seq of the event that
 * holds the text.
 */
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
  readonly next: ApprovalChoice | null
  readonly seq: number
}

export interface ReviewState {
  /** Presented and not decided; at most one. */
  readonly waiting: PresentedReview | null
  /** The latest decided one. */
  readonly decided: DecidedReview | null
  readonly presented: number
  /** The latest call that may have presented a plan, by the model or by a program; `holdsPlan`: with its text. */
  readonly lastCall: { readonly callId: string; readonly seq: number; readonly holdsPlan: boolean } | null
}

const presented = {
  reviewId: z.string(),
  callId: z.string(),
  planHash: z.string(),
  callSeq: z.int(),
  textSeq: z.int(),
  revision: z.int(),
}

export const reviewProjection: Projection<ReviewState> = {
  key: 'review',
  version: 5,
  owner: 'Plan mode (installPlanMode)',
  initial: { waiting: null, decided: null, presented: 0, lastCall: null },
  stored: z.strictObject({
    waiting: z.strictObject(presented).nullable(),
    decided: z
      .strictObject({
        ...presented,
        decision: reviewDecision,
        feedback: z.string().nullable(),
        next: approvalChoice.nullable(),
        seq: z.int(),
      })
      .nullable(),
    presented: z.int(),
    lastCall: z.strictObject({ callId: z.string(), seq: z.int(), holdsPlan: z.boolean() }).nullable(),
  }),
  types: ['tool/call', 'tool/code-dispatch-start', 'review/presented', 'review/decided'],
  apply(state: ReviewState, event: SessionEvent): ReviewState {
    switch (event.type) {
      case 'tool/call':
        return called(state, event, event.data.callId)
      case 'tool/code-dispatch-start':
        return called(state, event, event.data.subCallId)
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
        const { decision, feedback = null, next = null } = event.data
        const decided = { ...state.waiting, decision, feedback, next, seq: event.seq }
        return { ...state, waiting: null, decided }
      }
      default:
        return state
    }
  },
}

type PresentingCall = SessionEvent<'tool/call' | 'tool/code-dispatch-start'>

function called(state: ReviewState, event: PresentingCall, callId: string): ReviewState {
  const { name } = event.data
  if (name !== EXIT_PLAN_MODE && name !== REVISE_PLAN) return state
  const holdsPlan = planIn(event) !== undefined
  return { ...state, lastCall: holdsPlan || name === REVISE_PLAN ? { callId, seq: event.seq, holdsPlan } : null }
}

/** The arguments of a program's call. */
const dispatchedArguments = z.looseObject({ plan: z.string() })

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
  .pipe(dispatchedArguments)

/** The exact text of a presented or approved plan, from the log. @throws PlanModeError `PLAN_UNREADABLE` */
export function planText(session: Session, review: Pick<PresentedReview, 'reviewId' | 'textSeq'>): string {
  const plan = planIn(session.at(review.textSeq))
  if (plan === undefined) {
    throw new PlanModeError('PLAN_UNREADABLE', `The text of plan review ${review.reviewId} is not in the log.`)
  }
  return plan
}

/** The whole plan that an event holds: presented, approved with edits, or adopted from another session. */
export function planIn(event: SessionEvent): string | undefined {
  switch (event.type) {
    case 'review/presented':
    case 'plan/adopted':
      return event.data.plan
    case 'review/decided':
      return event.data.edited?.plan
    case 'tool/call':
      return event.data.name === EXIT_PLAN_MODE ? exitArguments.safeParse(event.data.arguments).data?.plan : undefined
    case 'tool/code-dispatch-start':
      return event.data.name === EXIT_PLAN_MODE
        ? dispatchedArguments.safeParse(event.data.arguments).data?.plan
        : undefined
    default:
      return undefined
  }
}

/** Whether this event ends the call that presented the plan: its own result, or that of the program that made it. */
export function endsCall(event: SessionEvent, session: Session, { callId, callSeq }: PresentedReview): boolean {
  if (event.type === 'tool/code-dispatch') return event.data.subCallId === callId
  if (event.type !== 'tool/result') return false
  const call = session.at(callSeq)
  const answered = call.type === 'tool/code-dispatch-start' ? call.data.rootCallId : callId
  return event.data.message.source.callId === answered
}

/** The text of the first heading of any level, else "Plan". */
export function planTitle(plan: string): string {
  return /^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$/m.exec(plan)?.[1] ?? 'Plan'
}
