import { assertNever, messageOf } from '../../session/errors.ts'
import type { Agent } from '../agent.ts'
import {
  type Question,
  type QuestionAnswers,
  type QuestionProvider,
  type QuestionRequest,
  type Questions,
  UserQuestionError,
} from '../questions.ts'
import { assertAnswers } from './answer-check.ts'

/** The question seam: one provider at a time, every check of section 14 of the session-log format. */
export class QuestionDesk implements Questions {
  #provided: { readonly provider: QuestionProvider; readonly gone: AbortController } | undefined

  provide(provider: QuestionProvider): Disposable {
    if (this.#provided !== undefined) {
      throw new UserQuestionError('DUPLICATE_PROVIDER', 'Something else shows questions already; only one can.')
    }
    const provided = { provider, gone: new AbortController() }
    this.#provided = provided
    return {
      [Symbol.dispose]: () => {
        if (this.#provided === provided) this.#provided = undefined
        provided.gone.abort()
      },
    }
  }

  check(request: QuestionRequest): void {
    this.#checked(request)
  }

  async ask(request: QuestionRequest): Promise<QuestionAnswers> {
    const { provider, gone } = this.#checked(request)
    const answers = await answered(provider, request, gone.signal)
    assertAnswers(request.questions, answers)
    return answers
  }

  #checked(request: QuestionRequest): { readonly provider: QuestionProvider; readonly gone: AbortController } {
    if (request.signal.aborted) throw askAborted()
    if (request.questions.length === 0) throw new UserQuestionError('EMPTY_QUESTIONS', 'There is no question to ask.')
    refuseCaller(request.agent)
    const problem = request.questions.map(intentProblem).find(each => each !== undefined)
    if (problem !== undefined) throw new UserQuestionError('BAD_INTENT', problem)
    if (this.#provided === undefined) throw noProvider()
    return this.#provided
  }
}

/** Only a live agent that works for a person may ask one; ownership at run time decides. */
function refuseCaller(agent: Agent): void {
  const standing = agent.runtime.agents.standing(agent)
  switch (standing) {
    case 'root':
      return
    case 'gone':
      throw new UserQuestionError('CALLER_NOT_LIVE', 'The agent that asks is not at work any more.')
    case 'owned':
      throw new UserQuestionError(
        'DELEGATED_CALLER',
        'You work for another agent, so you cannot ask the user. Put the open decision into your final result: the agent that started you can ask.',
      )
    default:
      assertNever(standing)
  }
}

/** Settles with the provider, or as soon as the request is aborted or the provider goes away; its surfaces hear of both. */
async function answered(
  provider: QuestionProvider,
  request: QuestionRequest,
  gone: AbortSignal,
): Promise<QuestionAnswers> {
  const settled = new AbortController()
  const { promise: ended, reject } = Promise.withResolvers<never>()
  request.signal.addEventListener('abort', () => reject(askAborted()), { once: true, signal: settled.signal })
  gone.addEventListener('abort', () => reject(noProvider()), { once: true, signal: settled.signal })
  try {
    const signal = AbortSignal.any([request.signal, gone])
    return await Promise.race([ended, (async () => provider.ask({ ...request, signal }))()])
  } catch (error) {
    if (error instanceof UserQuestionError) throw error
    if (request.signal.aborted) throw askAborted()
    throw new UserQuestionError('NO_PROVIDER', `The question could not be shown: ${messageOf(error)}`)
  } finally {
    settled.abort()
  }
}

function askAborted(): UserQuestionError {
  return new UserQuestionError('ASK_ABORTED', 'The question was withdrawn, because the work that asked it was stopped.')
}

function noProvider(): UserQuestionError {
  return new UserQuestionError('NO_PROVIDER', 'Nothing is open that could show a question to the user.')
}

function intentProblem({ id, intent, detail, options = [] }: Question): string | undefined {
  if (intent === undefined) return undefined
  if (detail === undefined || detail.trim() === '')
    return `Question "${id}" asks for a review and has nothing to review.`
  if (options.some(option => option.label === intent.approve)) return undefined
  return `Question "${id}" names "${intent.approve}" as its approval, which is none of its options.`
}
