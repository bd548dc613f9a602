import type { RemarkKind } from '../session/reviews.ts'

/** What a model reads of a human's review, beside plan/words; pinned by a test. */
export const kindWords: Readonly<Record<RemarkKind, string>> = {
  remark: 'Remark',
  question: 'Question',
  remove: 'Remove this',
  good: 'Looks good',
}

export const wholePlan = 'About the whole plan'
export const quoted = 'On these words:'
export const editsTitle =
  "The user's own edits to the plan, as a unified diff. Keep them unless a remark says otherwise; revise_plan begins with them made:"
export const notesTitle = 'Notes:'

export function under(path: readonly string[]): string {
  return path.length === 0
    ? 'Before the first heading'
    : `Under ${path.map(title => JSON.stringify(title)).join(' > ')}`
}

export function images(count: number): string {
  return count === 1 ? '1 image comes with this remark.' : `${count} images come with this remark.`
}

/** Asks for what the next review shows beside each remark. */
export function claimsWanted(ids: readonly string[]): string {
  return `Before you present the plan again, write one line per remark about what you did, such as "${ids[0]}: done, see step 4" or "${ids[0]}: not done, because …". The remarks are ${ids.join(', ')}.`
}

export const notesOnApproval = 'The user approved the plan with these notes. Follow them while you carry the plan out:'
export const editsOnApproval =
  'The user approved the plan with the edits below. The edited plan is the approved one; carry out exactly that:'

/** Before the whole plan, in the message that begins to carry it out. */
export const carryOut =
  'Carry out this plan. The user approved it exactly as it stands here; it was made in a conversation that you do not see:'
