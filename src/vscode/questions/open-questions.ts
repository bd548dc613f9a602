import type { Agent } from '../../agent/agent.ts'
import { assertAnswers } from '../../agent/desks/answer-check.ts'
import {
  type QuestionAnswers,
  type QuestionProvider,
  type QuestionRequest,
  UserQuestionError,
} from '../../agent/questions.ts'
import { PlanModeError } from '../../session/errors.ts'
import { Signal } from '../signal.ts'

/** Questions that one call asked together and that wait for a human. */
export interface OpenQuestion {
  readonly id: string
  readonly request: QuestionRequest
}

interface Waiting {
  readonly open: OpenQuestion
  settle(answers: QuestionAnswers): void
  cancel(error: UserQuestionError): void
}

/**
 * The generic way to show questions: each waits here for whichever surface answers first, and leaves every surface at
 * once. An answer that does not fit ends nothing.
 */
export class OpenQuestions implements QuestionProvider {
  /** Fired with each one that begins to wait. */
  readonly opened = new Signal<OpenQuestion>()
  /** Fired with each one that waits no more, whatever the reason. */
  readonly closed = new Signal<OpenQuestion>()
  readonly #waiting = new Map<string, Waiting>()

  ask(request: QuestionRequest): Promise<QuestionAnswers> {
    const asked = Promise.withResolvers<QuestionAnswers>()
    if (request.signal.aborted) {
      asked.reject(withdrawn())
      return asked.promise
    }
    const open = { id: crypto.randomUUID(), request }
    const settled = new AbortController()
    const close = (end: () => void) => {
      if (!this.#waiting.delete(open.id)) return
      settled.abort()
      end()
      this.closed.fire(open)
    }
    request.signal.addEventListener('abort', () => close(() => asked.reject(withdrawn())), { signal: settled.signal })
    this.#waiting.set(open.id, {
      open,
      settle: answers => close(() => asked.resolve(answers)),
      cancel: error => close(() => asked.reject(error)),
    })
    this.opened.fire(open)
    return asked.promise
  }

  find(id: string): OpenQuestion | undefined {
    return this.#waiting.get(id)?.open
  }

  /** What an agent waits for, oldest first. */
  of(agent: Agent): readonly OpenQuestion[] {
    return [...this.#waiting.values()].flatMap(({ open }) => (open.request.agent === agent ? [open] : []))
  }

  /**
   * Takes an answer; the first one that fits counts.
   * @throws UserQuestionError `BAD_ANSWER`: it goes on waiting. PlanModeError `QUESTION_CLOSED`: it waits no more.
   */
  answer(id: string, answers: QuestionAnswers): void {
    const waiting = this.#require(id)
    assertAnswers(waiting.open.request.questions, answers)
    waiting.settle(answers)
  }

  /** Closes it without an answer. @throws PlanModeError `QUESTION_CLOSED` */
  dismiss(id: string): void {
    this.#require(id).cancel(new UserQuestionError('ASK_CANCELLED', 'The user closed the questions without an answer.'))
  }

  #require(id: string): Waiting {
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined) return waiting
    throw new PlanModeError(
      'QUESTION_CLOSED',
      'This question is not waiting any more: it was answered or withdrawn. Send a message instead.',
    )
  }
}

function withdrawn(): UserQuestionError {
  return new UserQuestionError('ASK_ABORTED', 'The question was withdrawn before an answer.')
}
