import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Usage } from '../../session/messages.ts'

/**
 * Token counts as the log keeps them: disjoint, so cached input is not in `inputTokens` and reasoning is not in
 * `outputTokens`. Undefined when the provider counted nothing.
 */
export function usageOf(given: LanguageModelV4Usage): Usage | undefined {
  const { inputTokens: input, outputTokens: output } = given
  const cacheRead = count(input.cacheRead)
  const cacheWrite = count(input.cacheWrite)
  const reasoning = count(output.reasoning)
  const fresh = count(input.noCache) ?? rest(input.total, cacheRead, cacheWrite)
  const words = count(output.text) ?? rest(output.total, reasoning)
  if (fresh === undefined && words === undefined) return undefined
  return {
    inputTokens: fresh ?? 0,
    outputTokens: words ?? 0,
    ...(cacheRead === undefined ? {} : { cacheReadTokens: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWriteTokens: cacheWrite }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  }
}

/** Providers send null, fractions and nonsense now and then; only a count is a count. */
function count(value: number | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

function rest(total: number | undefined, ...parts: (number | undefined)[]): number | undefined {
  const whole = count(total)
  return whole === undefined ? undefined : parts.reduce<number>((left, part) => Math.max(0, left - (part ?? 0)), whole)
}
