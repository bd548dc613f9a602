// What was typed and not sent, for each conversation; kept with the page over a reload of the window.
import * as z from 'zod'

export const savedDrafts = z.object({ sessionId: z.string().nullable(), drafts: z.record(z.string(), z.string()) })
export type SavedDrafts = z.infer<typeof savedDrafts>

/** The drafts with the text of one conversation; an empty text is forgotten. Null is the one not begun yet. */
export function withDraft(saved: SavedDrafts, sessionId: string | null, text: string): SavedDrafts {
  const { [sessionId ?? '']: _, ...others } = saved.drafts
  return { sessionId, drafts: text === '' ? others : { ...others, [sessionId ?? '']: text } }
}

export function draftOf(saved: SavedDrafts | undefined, sessionId: string | null): string {
  return saved?.drafts[sessionId ?? ''] ?? ''
}
