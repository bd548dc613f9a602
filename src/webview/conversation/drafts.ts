// What was typed and not sent, for each conversation; kept with the page over a reload of the window.
import * as z from 'zod'
import { type Image, image } from '../image-messages.ts'
import { type Choice, choice } from '../messages.ts'

export const savedDrafts = z.object({
  sessionId: z.string().nullable(),
  drafts: z.record(z.string(), z.string()),
  images: z.record(z.string(), z.array(image)).default({}),
  /** When each was typed, epoch milliseconds. */
  at: z.record(z.string(), z.number()).default({}),
  /** What is chosen and typed for questions, by conversation and question. */
  choices: z
    .array(z.object({ sessionId: z.string(), id: z.string(), choices: z.array(choice), at: z.number() }))
    .default([]),
})
export type SavedDrafts = z.infer<typeof savedDrafts>

export const nothingSaved: SavedDrafts = { sessionId: null, drafts: {}, images: {}, at: {}, choices: [] }

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

/** What a composer holds; the images are stored already. */
export interface Draft {
  readonly text: string
  readonly images: readonly Image[]
}

/** The drafts with that of one conversation; an empty one is forgotten. Null is the one not begun yet. */
export function withDraft(saved: SavedDrafts, sessionId: string | null, draft: Draft, at: number): SavedDrafts {
  const key = sessionId ?? ''
  const { [key]: _text, ...drafts } = saved.drafts
  const { [key]: _images, ...images } = saved.images
  const { [key]: _at, ...times } = saved.at
  if (isEmpty(draft)) return { ...saved, sessionId, drafts, images, at: times }
  return {
    ...saved,
    sessionId,
    drafts: { ...drafts, [key]: draft.text },
    images: draft.images.length === 0 ? images : { ...images, [key]: [...draft.images] },
    at: { ...times, [key]: at },
  }
}

export function isEmpty({ text, images }: Draft): boolean {
  return text === '' && images.length === 0
}

export function draftOf(saved: SavedDrafts | undefined, sessionId: string | null): Draft {
  const key = sessionId ?? ''
  return { text: saved?.drafts[key] ?? '', images: saved?.images[key] ?? [] }
}

export function draftTime(saved: SavedDrafts | undefined, sessionId: string | null): number {
  return saved?.at[sessionId ?? ''] ?? 0
}

/** The same picture goes along once. */
export function together(images: readonly Image[], added: Image): readonly Image[] {
  return [...images.filter(({ attachmentId }) => attachmentId !== added.attachmentId), added]
}
