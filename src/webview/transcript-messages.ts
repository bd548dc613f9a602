import * as z from 'zod'
import { images } from './image-messages.ts'

const text = z.string()
const id = z.string().min(1)

/** One changed file, with lines added and removed. */
export const change = z.strictObject({ path: text, added: z.int().nonnegative(), removed: z.int().nonnegative() })

const questionState = z.enum(['waiting', 'answered', 'dismissed', 'stopped', 'failed'])
export const reviewState = z.enum(['waiting', 'approved', 'kept', 'dismissed', 'withdrawn', 'superseded'])
export type ReviewState = z.infer<typeof reviewState>

/** `turn`: a finished turn whose last entry this is; the conversation can be forked here. */
const entry = { id, turn: z.int().positive().optional() }
/** What a tool call sent out: its session, and what it does now while it runs in this window. */
const explorer = z.strictObject({ sessionId: id, activity: text.nullable() })

/** One entry of the transcript, in log order. `id` is stable; an entry may be sent again when its state changes. */
export const item = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('user'), ...entry, text, images: images.optional() }),
  /** `text` is Markdown. */
  z.strictObject({ kind: z.literal('assistant'), ...entry, text, streaming: z.boolean(), interrupted: z.boolean() }),
  z.strictObject({ kind: z.literal('reasoning'), ...entry, text, streaming: z.boolean() }),
  z.strictObject({
    kind: z.literal('tool'),
    ...entry,
    name: text,
    /** One line a person understands: "Read src/server.ts". */
    title: text,
    status: z.enum(['running', 'done', 'failed', 'stopped']),
    input: text,
    output: text,
    change: change.optional(),
    /** The TypeScript of a program. */
    code: text.optional(),
    /** The entry of the program that made this call. */
    parent: id.optional(),
    explorer: explorer.optional(),
  }),
  z.strictObject({
    kind: z.literal('approval'),
    ...entry,
    title: text,
    warning: text.optional(),
    change: change.optional(),
    state: z.enum(['waiting', 'allowed-once', 'rejected', 'cancelled', 'unavailable']),
  }),
  z.strictObject({
    kind: z.literal('plan'),
    ...entry,
    reviewId: id,
    title: text,
    excerpt: text,
    revision: z.int().positive(),
    state: reviewState,
    feedback: text.optional(),
  }),
  /** Questions of the agent, and what became of them. `unsent` is what was typed and never sent. */
  z.strictObject({
    kind: z.literal('question'),
    ...entry,
    asked: z.array(
      z.strictObject({
        id: text,
        question: text,
        header: text.optional(),
        selected: z.array(text),
        custom: text.optional(),
      }),
    ),
    state: questionState,
    /** Why it failed. */
    trouble: text.optional(),
    unsent: text.optional(),
  }),
  z.strictObject({
    kind: z.literal('command'),
    ...entry,
    text,
    status: z.enum(['running', 'success', 'error']),
    result: text.optional(),
  }),
  /** The older part of the conversation is summarised for the model here. `text`: the summary, or why there is none. */
  z.strictObject({
    kind: z.literal('compaction'),
    ...entry,
    status: z.enum(['running', 'done', 'failed']),
    text,
    /** How many messages it stands for, and about how many tokens they had. */
    messages: z.int().nonnegative(),
    tokens: z.int().nonnegative(),
  }),
  /** The mode changed here. */
  z.strictObject({ kind: z.literal('mode'), ...entry, active: z.boolean() }),
  /** What stands above was taken over from another conversation. */
  z.strictObject({ kind: z.literal('fork'), ...entry }),
  z.strictObject({ kind: z.literal('notice'), ...entry, level: z.enum(['info', 'error']), text }),
])
export type Item = z.infer<typeof item>
