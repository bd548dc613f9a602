import { z } from 'zod'
import { imageBlock } from './messages.ts'

/** What a human says about a plan, as it is logged with the decision that sent it. */
const offset = z.int().nonnegative()

/**
 * The place of a remark in the text it was made on: the exact words, up to 80 characters around them, the titles of
 * the headings above, and the range in the source (UTF-16 offsets, `end` exclusive).
 */
export const anchor = z.strictObject({
  quote: z.string().min(1),
  prefix: z.string(),
  suffix: z.string(),
  headingPath: z.array(z.string()),
  range: z.strictObject({ start: offset, end: offset }),
})
export type Anchor = z.infer<typeof anchor>

export const remarkKind = z.enum(['remark', 'question', 'remove', 'good'])
export type RemarkKind = z.infer<typeof remarkKind>

/** `id` is `C1`, `C2` … over the life of the session. `anchor` null: about the whole plan. */
export const remark = z.strictObject({
  id: z.string().regex(/^C[1-9]\d*$/),
  kind: remarkKind,
  anchor: anchor.nullable(),
  text: z.string(),
  images: z.array(imageBlock.shape.attachment).optional(),
})
export type Remark = z.infer<typeof remark>
