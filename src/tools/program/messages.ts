import { z } from 'zod'
import type { ProgramEnd } from '../../agent/code/engine.ts'

/** What a worker says, as JSON texts. It is parsed like any stranger. */
const text = z.string()

const ended = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('returned'), output: text, value: z.exactOptional(text) }),
    z.strictObject({
      kind: z.literal('failed'),
      output: text,
      problem: text,
      line: z.exactOptional(z.int().positive()),
    }),
  ])
  .readonly()

export const fromWorker = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  z.strictObject({ kind: z.literal('call'), id: z.int().positive(), name: text, args: text }),
  /** Nothing more to compute after this many messages of the engine. */
  z.strictObject({ kind: z.literal('rests'), after: z.int().positive() }),
  z.strictObject({ kind: z.literal('ended'), end: ended }),
])
export type FromWorker = z.infer<typeof fromWorker>

/** How a program ends inside its worker. */
export type Ended = Exclude<ProgramEnd, { kind: 'stopped' }>
