import type { Remark } from '../../session/reviews.ts'
import { nextIds } from '../remark-ids.ts'
import type { ReviewDraft } from './review-draft.ts'

/** What a decision took along, as the log or a verdict says it. */
export interface Taken {
  readonly remarks?: readonly Remark[] | undefined
  readonly notes?: string | undefined
  readonly edited?: { readonly plan: string } | undefined
}

/**
 * A draft without what a decision took along. Words that differ from what was sent were typed meanwhile and stay: notes
 * and edits as they are, a remark under an id of its own. `ids` are all that were ever given out.
 */
export function withoutTaken(draft: ReviewDraft, taken: Taken, ids: readonly string[]): ReviewDraft {
  const { remarks = [], notes = '', edited } = taken
  const { sending: _, ...rest } = withoutRemarks(draft, remarks, ids)
  return {
    ...rest,
    again: draft.again.filter(id => !remarks.some(each => each.id === id)),
    notes: draft.notes.trim() === notes.trim() ? '' : draft.notes,
    edited: draft.edited?.text === edited?.plan ? null : draft.edited,
  }
}

/** As `withoutTaken`, of remarks alone. */
export function withoutRemarks(draft: ReviewDraft, sent: readonly Remark[], ids: readonly string[]): ReviewDraft {
  const known = new Map(sent.map(remark => [remark.id, remark]))
  const given = [...ids, ...sent.map(({ id }) => id), ...draft.remarks.map(({ remark }) => remark.id)]
  const remarks = draft.remarks.flatMap(each => {
    const before = known.get(each.remark.id)
    if (before === undefined) return [each]
    if (saysTheSame(before, each.remark)) return []
    const [id = ''] = nextIds(given, 1)
    given.push(id)
    return [{ ...each, remark: { ...each.remark, id } }]
  })
  return { ...draft, remarks }
}

/** Whether anything in a draft was changed by forgetting. */
export function forgot(before: ReviewDraft, after: ReviewDraft): boolean {
  const said = ({ remarks, again, notes, edited }: ReviewDraft) =>
    JSON.stringify([remarks.map(({ on, remark }) => [on, remark]), again, notes, edited])
  return said(before) !== said(after)
}

/** Where it stands was told by the revision it was sent on, and is no difference. */
function saysTheSame(one: Remark, other: Remark): boolean {
  const said = ({ kind, text, images = [] }: Remark) =>
    JSON.stringify([kind, text.trim(), images.map(({ attachmentId }) => attachmentId)])
  return said(one) === said(other)
}
