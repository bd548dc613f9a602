import { PlanModeError } from '../session/errors.ts'
import type { Agent } from './agent.ts'

/** How a capable surface may show a question; it never changes what the answer means (session-log format, section 14). */
export interface QuestionIntent {
  readonly kind: 'plan-review'
  /** The option label that approves. */
  readonly approve: string
}

export interface QuestionOption {
  readonly label: string
  readonly description?: string
}

export interface Question {
  readonly id: string
  readonly question: string
  readonly header?: string
  readonly detail?: string
  readonly options?: readonly QuestionOption[]
  readonly multiSelect?: boolean
  readonly intent?: QuestionIntent
}

export interface QuestionRequest {
  readonly questions: readonly Question[]
  readonly agent: Agent
  readonly signal: AbortSignal
  /** The tool call that asks, where one does: surfaces draw the question in its place. */
  readonly callId?: string
}

/**
 * One answer per question, same order. Single-select: at most one of (one selection, `custom`); `custom` non-blank.
 * `aside` is what a surface that knows the question's intent says beside the answer; it never changes what that means.
 */
export interface QuestionAnswers {
  readonly aside?: unknown
  readonly answers: readonly {
    readonly id: string
    readonly selected: readonly string[]
    readonly custom?: string
  }[]
}

/** Codes of section 14, without ASK_MISSING_AGENT: a request here always names its agent. */
export type UserQuestionCode =
  | 'ASK_ABORTED'
  | 'ASK_CANCELLED'
  | 'EMPTY_QUESTIONS'
  | 'CALLER_NOT_LIVE'
  | 'DELEGATED_CALLER'
  | 'BAD_INTENT'
  | 'NO_PROVIDER'
  | 'DUPLICATE_PROVIDER'
  | 'BAD_ANSWER'

/** Why a question got no answer. ASK_ABORTED: the signal. ASK_CANCELLED: the human closed it. */
export class UserQuestionError extends PlanModeError {
  declare readonly code: UserQuestionCode

  constructor(code: UserQuestionCode, message: string) {
    super(code, message)
  }
}

/**
 * Shows questions to a human. `ask` rejects with UserQuestionError (ASK_CANCELLED, ASK_ABORTED); it must settle when
 * the request's signal aborts. An answer it gives is checked by the seam.
 */
export interface QuestionProvider {
  ask(request: QuestionRequest): Promise<QuestionAnswers>
}

/** The one seam through which anything asks the human. One provider at a time. */
export interface Questions {
  /** @throws UserQuestionError `DUPLICATE_PROVIDER` while another one is registered. Disposal fails its open asks with NO_PROVIDER. */
  provide(provider: QuestionProvider): Disposable
  /** Runs every check but the asking, in the order aborted, empty, caller, intent, provider. @throws UserQuestionError */
  check(request: QuestionRequest): void
  /** Checks, asks, validates the answer. @throws UserQuestionError */
  ask(request: QuestionRequest): Promise<QuestionAnswers>
}
