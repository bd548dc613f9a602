import { z } from 'zod'

/** The only format version this build reads and writes (session-log format, section 2.1). */
export const SESSION_FORMAT_VERSION = 0

/** Milliseconds since the epoch or a count: a safe integer of at least 0, never -0. */
const natural = z
  .int()
  .nonnegative()
  .refine(value => !Object.is(value, -0), 'must not be -0')

/**
 * First line of every log: immutable metadata beside the events (section 2). Unknown keys are dropped on read;
 * `delegationDepth` is always written and required on read.
 */
export const sessionHeaderSchema = z.object({
  type: z.literal('session'),
  /** Another version is listed, and refused when opened. */
  version: z.number(),
  id: z.string().min(1),
  createdAt: natural,
  cwd: z.string().optional(),
  parentSession: z.string().optional(),
  seedLength: natural.optional(),
  origin: z.literal('subagent').optional(),
  delegationDepth: natural,
  agentPreset: z.string().optional(),
})

export type SessionHeader = Readonly<z.infer<typeof sessionHeaderSchema>>

/** What a creator of a session may say; the store fills in the rest. */
export type NewSession = Partial<Omit<SessionHeader, 'type' | 'version'>>

/** A complete header; `createdAt` in epoch milliseconds from `now`. */
export function newHeader(given: NewSession, now: () => number): SessionHeader {
  return {
    type: 'session',
    version: SESSION_FORMAT_VERSION,
    id: crypto.randomUUID(),
    createdAt: now(),
    delegationDepth: 0,
    ...given,
  }
}
