import type { Anchor } from '../../session/reviews.ts'
import { headingPath } from '../anchors/outline.ts'
import { fenced } from '../feedback.ts'
import type { ShownRemark } from '../shown-remark.ts'
import { kindWords, under, whole } from '../words.ts'
import { FIRST_LINE, PLAN_TITLE, type SharedRemark, type SharedReview } from './shared-review.ts'

/**
 * A plan with remarks as one shares it. Each remark's quote is what stands at its place now, else what it was made on.
 * `picturesOf` names the files in which its images are handed on.
 */
export function sharedReview(
  title: string,
  plan: string,
  remarks: readonly ShownRemark[],
  picturesOf: (id: string) => readonly string[] = () => [],
): SharedReview {
  return {
    title,
    plan,
    remarks: remarks.map(({ id, kind, state, anchor, range, text, images = [] }): SharedRemark => {
      const words = range === null ? '' : plan.slice(range.start, range.end)
      const place = words.trim() === '' ? { range: null, quote: anchor?.quote ?? null } : { range, quote: words }
      const pictures = picturesOf(id)
      const left = images.length - pictures.length
      const along = pictures.length === 0 ? {} : { pictures }
      return { id, kind, state: state === 'again' ? 'open' : state, ...place, text, ...along, images: left }
    }),
  }
}

/**
 * A review as Markdown that reads well and that `parseReview` reads back exactly: a section for each remark, then the
 * plan in a fence that is longer than any of its own.
 */
export function reviewMarkdown({ title, plan, remarks }: SharedReview): string {
  const head = `${FIRST_LINE}\n\n# Remarks on ${title.replace(/[\r\n]+/g, ' ')}`
  const parts = [head, ...remarks.map(each => section(plan, each)), `## ${PLAN_TITLE}\n\n${fenced(plan, 'markdown')}`]
  return `${parts.join('\n\n')}\n`
}

function section(plan: string, { id, kind, state, range, quote, text, pictures = [], images }: SharedRemark): string {
  const parts = [`## ${id} · ${kindWords[kind]} · ${state}`, place(plan, range, quote)]
  if (pictures.length > 0) parts.push(pictures.map(file => `![Image of ${id}](${file})`).join('\n'))
  if (images > 0) parts.push(`Images that are not in this file: ${images}`)
  if (quote !== null) parts.push(quoted(quote))
  // The blank line tells words that begin with ">" from the quote above them.
  parts.push(escaped(text))
  return parts.join('\n\n')
}

function place(plan: string, range: Anchor['range'] | null, quote: string | null): string {
  if (range !== null) return `Characters ${range.start} to ${range.end} · ${under(headingPath(plan, range.start))}`
  return quote === null ? whole.plan : 'No place in this text'
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map(line => `> ${line}`)
    .join('\n')
}

/** No line of a remark begins like what the form itself says, and a line that begins with a backslash keeps it. */
function escaped(text: string): string {
  return text.replace(/^(?=##|\\|Images that|!\[Image of)/gm, '\\')
}
