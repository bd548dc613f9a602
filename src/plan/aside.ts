import { z } from 'zod'
import { approvalChoice, editedPlan, remark } from '../session/reviews.ts'

/**
 * What a human said of a plan beside the verdict; it never makes an approval of anything else. `edited` is approved in
 * place of the plan, where the verdict is an approval. `relay` is the text that the model reads of all this in the step
 * after an approval.
 */
export const reviewAside = z.strictObject({
  remarks: z.array(remark).optional(),
  edited: editedPlan.optional(),
  notes: z.string().optional(),
  next: approvalChoice.optional(),
  relay: z.string().optional(),
})
export type ReviewAside = z.infer<typeof reviewAside>
