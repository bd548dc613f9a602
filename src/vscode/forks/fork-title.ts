import { MAX_TITLE } from '../../agent/live/title.ts'
import type { Session } from '../../session/session.ts'
import { title } from '../../session/title.ts'
import { turnBoundary } from '../../session/turns.ts'

const ours = /^Fork of (.*), turn \d+$/

/** Titles a fork after its parent and the turn it goes on from; the parent's own words are cited as the source. */
export function nameFork(session: Session): void {
  const inherited = session.state(title)
  const words = inherited === undefined ? 'a conversation' : (ours.exec(inherited)?.[1] ?? inherited)
  const cited = citedMessage(session)
  session.append('session/title', {
    title: `Fork of ${[...words].slice(0, MAX_TITLE).join('')}, turn ${session.state(turnBoundary).turn}`,
    messageSeqs: cited === undefined ? [] : [cited],
    source: { kind: cited === undefined ? 'user' : 'fallback' },
  })
}

/** A title that is no person's own cites a message (session-log format, section 16): the first one. */
function citedMessage(session: Session): number | undefined {
  for (const event of session.from()) if (event.type === 'user/message') return event.seq
  return undefined
}
