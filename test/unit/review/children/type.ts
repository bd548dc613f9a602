import { writeSync } from 'node:fs'
import { DraftStore } from '../../../../src/review/drafts/draft-store.ts'
import { emptyDraft } from '../../../../src/review/drafts/review-draft.ts'

/** Types on until it is killed, and says each pause on its output once it is kept. */
const [folder = '', first = '1'] = process.argv.slice(2)
const store = new DraftStore(folder)
for (let at = Number(first); ; at++) {
  await store.keep('s', { ...emptyDraft, at, notes: `${at} `.repeat(1 + ((at * 7919) % 4_000)) })
  writeSync(1, `${at}\n`)
}
