import { z } from 'zod'
import { failure } from './messages.ts'

/** Who or what ended a turn before its time. */
export const abortReason = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('user') }),
  z.strictObject({ kind: z.literal('parent') }),
  z.strictObject({ kind: z.literal('hook'), reason: z.string() }),
  z.strictObject({ kind: z.literal('disposed') }),
  z.strictObject({ kind: z.literal('legacy') }),
])
export type AbortReason = z.infer<typeof abortReason>

/** How a turn ended (session-log format, section 3). */
export const turnEndReason = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('completed') }),
  z.strictObject({ kind: z.literal('aborted'), reason: abortReason }),
  z.strictObject({ kind: z.literal('blocked') }),
  z.strictObject({ kind: z.literal('error'), error: failure }),
  z.strictObject({ kind: z.literal('max-tokens') }),
  z.strictObject({ kind: z.literal('interrupted') }),
])
export type TurnEndReason = z.infer<typeof turnEndReason>
