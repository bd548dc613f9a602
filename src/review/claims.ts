import { textOf } from '../session/messages.ts'
import type { Session } from '../session/session.ts'

/** A line such as `C2: done, see step 4`, also as a list item or in bold. */
const claim = /^[\s>*\-+\d.)]*\**(C[1-9]\d*)\**\s*[:–—-]+\**\s*(.+?)\s*$/gm

/**
 * What the model says it did about each remark, by id: the last such line in its answers between two places of the log
 * (seqs, `until` exclusive). A claim is the model's word and nothing more.
 */
export function claimsBetween(session: Session, since: number, until: number): ReadonlyMap<string, string> {
  const claims = new Map<string, string>()
  for (let seq = since; seq < Math.min(until, session.length); seq++) {
    const event = session.at(seq)
    if (event.type !== 'assistant/message') continue
    for (const [, id = '', said = ''] of textOf(event.data.message).matchAll(claim)) claims.set(id, said)
  }
  return claims
}
