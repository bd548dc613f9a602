import { z } from 'zod'
import { imageBlock } from './messages.ts'

/** Shapes of plan reviews in the log: what a human said of a plan, and the steps of an approved one. */
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

export const remarkId = z.string().regex(/^C[1-9]\d*$/)

/** What an explorer answered to a question of the human: its words, never theirs. `by` is the explorer's session. */
export const explorerAnswer = z.strictObject({ by: z.string().min(1), text: z.string().min(1) })
export type ExplorerAnswer = z.infer<typeof explorerAnswer>

/** `id` is `C1`, `C2` … over the life of the session. `anchor` null: about the whole plan. */
export const remark = z.strictObject({
  id: remarkId,
  kind: remarkKind,
  anchor: anchor.nullable(),
  text: z.string(),
  images: z.array(imageBlock.shape.attachment).optional(),
  answer: explorerAnswer.optional(),
})
export type Remark = z.infer<typeof remark>

/** A plan as the human changed it; `planHash` is the SHA-256 (hex) of exactly `plan`. */
export const editedPlan = z.strictObject({ planHash: z.string().min(1), plan: z.string().min(1) })
export type EditedPlan = z.infer<typeof editedPlan>

/**
 * How an approved plan goes on: `start` in this turn; `fresh` in a new conversation that gets only the plan; `save` not
 * now. The last two end the turn.
 */
export const approvalChoice = z.enum(['start', 'fresh', 'save'])
export type ApprovalChoice = z.infer<typeof approvalChoice>

/** `line` is 0-based in the plan's text; `files` are paths as the step names them. */
export const planStep = z.strictObject({
  id: z.string().min(1),
  title: z.string().min(1),
  line: offset,
  files: z.array(z.string()),
})
export type PlanStep = z.infer<typeof planStep>
