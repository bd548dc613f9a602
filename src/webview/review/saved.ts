// What the panel keeps with itself over a reload: which review it shows and the feedback that was not sent. The host
// reads `sessionId` to bring the panel back.
import * as z from 'zod'

export const savedReview = z.object({
  sessionId: z.string(),
  reviewId: z.string(),
  text: z.string(),
  at: z.number().default(0),
  /** Whether the host has not said yet that `text` is kept. */
  unkept: z.boolean().default(false),
  /** Texts of remarks, by id, that the host has not said yet are kept. */
  remarks: z.record(z.string(), z.string()).default({}),
})
export type SavedReview = z.infer<typeof savedReview>
