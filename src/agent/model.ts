import type { LanguageModelV4 } from '@ai-sdk/provider'
import { PlanModeError } from '../session/errors.ts'
import type { Failure } from '../session/messages.ts'
import type { Session } from '../session/session.ts'

/** One model as a session uses it. `contextWindow` and `maxTokens` count tokens; absent means unknown. */
export interface ModelRoute {
  /** Both non-empty; they go into `request/header` and message sources. */
  readonly provider: string
  readonly model: string
  readonly contextWindow?: number
  readonly maxTokens?: number
  /** False when the model takes no images; they are then named to it in words. */
  readonly images?: false
  readonly languageModel: LanguageModelV4
}

/**
 * Chooses the model of a step. Called once per admitted step, after the step boundary, so that the choice reads the
 * committed state.
 * @throws ModelError when nothing usable is configured; its message says what to set.
 */
export interface Models {
  choose(session: Session): Promise<ModelRoute>
}

/** A model request that failed, as the value that ends the turn (`turn/end` error) and the sentence a person reads. */
export class ModelError extends PlanModeError {
  readonly failure: Failure

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.code, failure.message, options)
    this.failure = failure
  }
}
