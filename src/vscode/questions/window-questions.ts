import type { Question, QuestionAnswers, QuestionProvider, QuestionRequest } from '../../agent/questions.ts'
import type { AgentRuntime } from '../../agent/runtime.ts'
import { OpenQuestions } from './open-questions.ts'

/**
 * The one question provider of a window, registered with the seam of each of its folders. A plan review goes to the
 * review desk of its folder, where there is one; everything else, and a review without a desk, is asked generically.
 */
export class WindowQuestions implements QuestionProvider {
  readonly open = new OpenQuestions()
  readonly #desks = new Map<AgentRuntime, QuestionProvider>()

  /** Plan reviews of this runtime's agents go to the desk until disposal. */
  reviewAt(runtime: AgentRuntime, desk: QuestionProvider): Disposable {
    this.#desks.set(runtime, desk)
    return { [Symbol.dispose]: () => void this.#desks.delete(runtime) }
  }

  ask(request: QuestionRequest): Promise<QuestionAnswers> {
    const desk = isPlanReview(request.questions) ? this.#desks.get(request.agent.runtime) : undefined
    return (desk ?? this.open).ask(request)
  }
}

/** What the dedicated review surface can show without loss (session-log format, section 14). */
export function isPlanReview([question, ...others]: readonly Question[]): boolean {
  if (question === undefined || others.length > 0) return false
  const { intent, detail, multiSelect, options = [] } = question
  if (intent?.kind !== 'plan-review' || detail === undefined || multiSelect === true) return false
  return options.length <= 2 && options.some(({ label }) => label === intent.approve)
}
