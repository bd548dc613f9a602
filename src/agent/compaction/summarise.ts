import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Block, Failure, Usage } from '../../session/messages.ts'
import { type TurnWork, untilAborted } from '../loop/work.ts'
import { ModelError, type ModelRoute } from '../model.ts'
import { requestFailure } from '../request/failures.ts'
import { retryDelay } from '../request/retry.ts'
import { BlockStream } from '../request/stream.ts'
import { usageOf } from '../request/usage.ts'

/** What a model answered to a request for a summary. `text` is not blank; `output` is all of it, as it came. */
export interface Summary {
  readonly text: string
  readonly output: readonly Block[]
  readonly usage: Usage | undefined
}

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

/**
 * Streams the answer to one request that asks for a summary; a transient failure is repeated like that of a step.
 * @throws ModelError for a failed, cut, shortened or empty answer, and the signal's reason on abort.
 */
export async function summarise(
  work: TurnWork,
  route: ModelRoute,
  request: LanguageModelV4CallOptions,
): Promise<Summary> {
  for (let retry = 1; ; retry++) {
    try {
      return await attempt(work, route, request)
    } catch (error) {
      work.signal.throwIfAborted()
      const failure = requestFailure(error, route)
      const delayMs = retryDelay(failure, retry)
      if (delayMs === undefined) throw new ModelError(failure)
      await untilAborted(work.signal, work.runtime.sleep(delayMs, work.signal))
    }
  }
}

async function attempt({ signal }: TurnWork, route: ModelRoute, request: LanguageModelV4CallOptions): Promise<Summary> {
  const { stream } = await untilAborted(signal, route.languageModel.doStream({ ...request, abortSignal: signal }))
  const reader = stream.getReader()
  const blocks = new BlockStream(() => {})
  try {
    for (;;) {
      const { done, value } = await untilAborted(signal, reader.read())
      if (done) throw unusable('SUMMARY_CUT', 'The summary was cut off before its end.')
      if (value.type === 'error') throw value.error
      if (value.type === 'finish') return finished(value, blocks)
      blocks.accept(value)
    }
  } finally {
    reader.cancel().catch(() => {}) // the stream may be broken already; nobody waits for its end
  }
}

function finished({ finishReason, usage }: Finish, blocks: BlockStream): Summary {
  blocks.close()
  const output = blocks.assembled().map(({ block }) => block)
  const text = output
    .flatMap(block => (block.type === 'text' ? [block.text] : []))
    .join('\n\n')
    .trim()
  const { unified } = finishReason
  if (unified === 'length') throw unusable('SUMMARY_CUT', 'The summary reached the length limit of the model.')
  if (unified === 'interrupted' || unified === 'error') throw unusable('SUMMARY_CUT', 'The summary was cut off.')
  if (unified === 'content-filter') throw unusable('CONTENT_FILTER', 'The model withheld the summary.')
  if (text === '') throw unusable('EMPTY_RESPONSE', 'The model gave an empty summary.')
  return { text, output, usage: usageOf(usage) }
}

function unusable(code: Failure['code'], message: string): ModelError {
  return new ModelError({ code, message })
}
