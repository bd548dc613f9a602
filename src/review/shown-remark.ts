import type { Remark } from '../session/reviews.ts'
import { anchorAt, type Range } from './anchors/anchor.ts'
import type { Ask } from './drafts/review-draft.ts'
import type { Fate } from './fate.ts'

/**
 * A remark beside the text that is shown. `range` is its place there; null: about the whole plan, or no place. `fate`
 * is `here` where it was made on this very text. `claim` is the agent's own word on it. `ask` is what an explorer was
 * asked; of a sent one, what was attached.
 */
export interface ShownRemark extends Omit<Remark, 'anchor' | 'answer'> {
  readonly anchor: Remark['anchor']
  readonly range: Range | null
  readonly fate: Fate['kind'] | 'here'
  readonly state: 'unsent' | 'again' | 'open' | 'resolved'
  readonly claim: string | undefined
  readonly ask?: Ask | undefined
}

/** A shown remark as it is sent: on the words where it stands in this text, with the answer that is attached to it. */
export function saidRemark(text: string, { id, kind, anchor, range, text: said, images, ask }: ShownRemark): Remark {
  const placed = range === null ? anchor : (anchorAt(text, range) ?? anchor)
  const answer =
    ask?.state === 'answered' && ask.attached && ask.by !== null ? { by: ask.by, text: ask.text } : undefined
  return {
    id,
    kind,
    anchor: placed,
    text: said,
    ...(images === undefined ? {} : { images }),
    ...(answer === undefined ? {} : { answer }),
  }
}

/** What was attached to a remark that was sent, as it was asked. */
export function askOf({ answer }: Remark): Ask | undefined {
  return answer && { state: 'answered', by: answer.by, text: answer.text, attached: true }
}
