import { z } from 'zod'
import { remark, remarkId } from '../../session/reviews.ts'

/**
 * A question that an explorer was asked. `text` is its answer, or why there is none; `by` its session, once it is there.
 * The remark it is on is kept back while it is asked and answered, until the person attaches the answer or drops it.
 */
export const ask = z.strictObject({
  state: z.enum(['asking', 'answered', 'failed', 'stopped']),
  by: z.string().min(1).nullable(),
  text: z.string(),
  attached: z.boolean(),
})
export type Ask = z.infer<typeof ask>

/**
 * What a person has said of a session's plans and not sent yet. Each remark names the review whose text it was made on,
 * so that a new revision can place it anew. `edited` is the person's own version of the text of review `edited.on`.
 */
export const reviewDraft = z.strictObject({
  version: z.literal(1),
  /** Epoch milliseconds of the last change. */
  at: z.number().nonnegative(),
  remarks: z.array(z.strictObject({ on: z.string().min(1), remark, ask: ask.optional() })),
  /** Remarks sent before that are to be sent again. */
  again: z.array(remarkId),
  notes: z.string(),
  edited: z.strictObject({ on: z.string().min(1), text: z.string() }).nullable(),
  /** The review whose verdict takes all this along, from before it is decided until what was sent is forgotten. */
  sending: z.string().min(1).optional(),
  /** The texts that remarks were made on, by `on`, where no log holds them: those of a file. */
  texts: z.record(z.string(), z.string()).optional(),
})
export type ReviewDraft = z.infer<typeof reviewDraft>

export const emptyDraft: ReviewDraft = { version: 1, at: 0, remarks: [], again: [], notes: '', edited: null }

export function isEmpty({ remarks, again, notes, edited }: ReviewDraft): boolean {
  return remarks.length === 0 && again.length === 0 && notes.trim() === '' && edited === null
}

/** Whether a remark does not go with a verdict: it was said to an explorer. */
export function isKeptBack(asked: Ask | undefined): boolean {
  return asked !== undefined && !asked.attached && (asked.state === 'asking' || asked.state === 'answered')
}

/** A draft of an earlier life: an explorer that was at work then is not any more. */
export function interrupted(draft: ReviewDraft): ReviewDraft {
  const remarks = draft.remarks.map(each =>
    each.ask?.state === 'asking' ? { ...each, ask: { ...each.ask, state: 'stopped' as const } } : each,
  )
  return { ...draft, remarks }
}
