// What was typed and not sent, for each conversation; kept with the page over a reload of the window.
import * as z from 'zod'
import { type Choice, choice } from '../messages.ts'

export const savedDrafts = z.object({
  sessionId: z.string().nullable(),
  drafts: z.record(z.string(), z.string()),
  /** When each was typed, epoch milliseconds. */
  at: z.record(z.string(), z.number()).default({}),
  /** What is chosen and typed for questions, by conversation and question. */
  choices: z
    .array(z.object({ sessionId: z.string(), id: z.string(), choices: z.array(choice), at: z.number() }))
    .default([]),
})
export type SavedDrafts = z.infer<typeof savedDrafts>

/** The drafts with the text of one conversation; an empty text is forgotten. Null is the one not begun yet. */
export function withDraft(saved: SavedDrafts, sessionId: string | null, text: string, at: number): SavedDrafts {
  const key = sessionId ?? ''
  const { [key]: _text, ...drafts } = saved.drafts
  const { [key]: _at, ...times } = saved.at
  if (text === '') return { ...saved, sessionId, drafts, at: times }
  return { ...saved, sessionId, drafts: { ...drafts, [key]: text }, at: { ...times, [key]: at } }
}

export const nothingSaved: SavedDrafts = { sessionId: null, drafts: {}, at: {}, choices: [] }

/** The drafts with the choices for a question; null forgets them. */
export function withChoices(
  saved: SavedDrafts,
  { sessionId, id }: { readonly sessionId: string; readonly id: string },
  choices: readonly Choice[] | null,
  at: number,
): SavedDrafts {
  const others = saved.choices.filter(each => each.sessionId !== sessionId || each.id !== id)
  return { ...saved, choices: choices === null ? others : [...others, { sessionId, id, choices: [...choices], at }] }
}

/** The later of what the page and the host kept for a question. */
export function choicesOf(
  saved: SavedDrafts | undefined,
  sessionId: string,
  { id, kept, keptAt }: { readonly id: string; readonly kept: readonly Choice[]; readonly keptAt: number },
): readonly Choice[] {
  const own = saved?.choices.find(each => each.sessionId === sessionId && each.id === id)
  return own !== undefined && own.at >= keptAt ? own.choices : kept
}

export function draftOf(saved: SavedDrafts | undefined, sessionId: string | null): string {
  return saved?.drafts[sessionId ?? ''] ?? ''
}

export function draftTime(saved: SavedDrafts | undefined, sessionId: string | null): number {
  return saved?.at[sessionId ?? ''] ?? 0
}
