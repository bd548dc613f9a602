import { anchorAt } from '../anchors/anchor.ts'
import { locate } from '../anchors/locate.ts'
import { type NewRemark, withWords } from '../new-remark.ts'
import type { ShownRemark } from '../shown-remark.ts'
import type { SharedRemark, SharedReview } from './shared-review.ts'

/** A remark that came in, and the files of its images beside the review it came in. */
export interface ImportedRemark extends NewRemark {
  readonly pictures?: readonly string[]
}

/** What an import would do. `unplaced` of the remarks are about the whole plan now and carry the words they were made on. */
export interface Import {
  readonly remarks: readonly ImportedRemark[]
  readonly unplaced: number
  /** Left out, because their author had resolved them. */
  readonly resolved: number
  /** Left out, because the same remark is there. */
  readonly known: number
}

/**
 * Places someone else's remarks on `plan`. Each is found by its words as in any other revision of a plan; nothing is
 * dropped for want of a place.
 */
export function placeRemarks(shared: SharedReview, plan: string, present: readonly ShownRemark[]): Import {
  const open = shared.remarks.filter(({ state }) => state !== 'resolved')
  const seen = new Set(present.map(keyOf))
  const remarks: ImportedRemark[] = []
  let [unplaced, known] = [0, 0]
  for (const each of open) {
    const { remark, lost } = place(each, shared.plan, plan)
    const key = keyOf(remark)
    if (seen.has(key)) {
      known += 1
      continue
    }
    seen.add(key)
    remarks.push(each.pictures === undefined ? remark : { ...remark, pictures: each.pictures })
    if (lost) unplaced += 1
  }
  return { remarks, unplaced, resolved: shared.remarks.length - open.length, known }
}

function place(
  { kind, range, quote, text }: SharedRemark,
  from: string,
  to: string,
): { remark: NewRemark; lost: boolean } {
  if (quote === null) return { remark: { kind, range: null, text }, lost: false }
  const anchor = range === null ? undefined : anchorAt(from, range)
  const located =
    anchor === undefined || from.slice(range?.start, range?.end) !== quote ? undefined : locate(anchor, from, to)
  if (located?.kind === 'found') return { remark: { kind, range: located.range, text }, lost: false }
  return { remark: { kind, range: null, text: withWords(quote, text) }, lost: true }
}

function keyOf({ kind, range, text }: Pick<NewRemark, 'kind' | 'range' | 'text'>): string {
  return JSON.stringify([kind, range?.start ?? null, range?.end ?? null, text])
}
