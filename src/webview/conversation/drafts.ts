// What was typed and not sent, for each conversation; kept with the page over a reload of the window.
import * as z from 'zod'

export const savedDrafts = z.object({
  sessionId: z.string().nullable(),
  drafts: z.record(z.string(), z.string()),
  /** When each was typed, epoch milliseconds. */
  at: z.record(z.string(), z.number()).default({}),
})
export type SavedDrafts = z.infer<typeof savedDrafts>

/** The drafts with the text of one conversation; an empty text is forgotten. Null is the one not begun yet. */
export function withDraft(saved: SavedDrafts, sessionId: string | null, text: string, at: number): SavedDrafts {
  const key = sessionId ?? ''
  const { [key]: _text, ...drafts } = saved.drafts
  const { [key]: _at, ...times } = saved.at
  if (text === '') return { sessionId, drafts, at: times }
  return { sessionId, drafts: { ...drafts, [key]: text }, at: { ...times, [key]: at } }
}

export function draftOf(saved: SavedDrafts | undefined, sessionId: string | null): string {
  return saved?.drafts[sessionId ?? ''] ?? ''
}

export function draftTime(saved: SavedDrafts | undefined, sessionId: string | null): number {
  return saved?.at[sessionId ?? ''] ?? 0
}
