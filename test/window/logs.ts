// The logs of a window's conversations, read from disk as another program would read them.
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expandRow, isRow } from '../../src/persistence/jsonl/packed-rows.ts'
import { isObject, isSeq, parseEnvelope } from '../../src/session/envelope.ts'
import type { SessionEvent } from '../../src/session/events.ts'
import { sessionHeaderSchema } from '../../src/session/header.ts'
import { Session } from '../../src/session/session.ts'
import { turnBoundary } from '../../src/session/turns.ts'
import type { Window } from './driver.ts'
import { until } from './until.ts'

/** The conversation of a person that was begun last, exactly as it is stored: nothing is closed or mended for the reader. */
export async function storedLog(window: Window): Promise<Session | undefined> {
  const root = join(window.workspace, '.plan-mode', 'sessions')
  let newest: Session | undefined
  for await (const file of glob('**/session.jsonl', { cwd: root })) {
    const log = parseLog(await readFile(join(root, file), 'utf8'))
    if (log === undefined || log.header.origin === 'subagent') continue
    if (log.header.createdAt >= (newest?.header.createdAt ?? 0)) newest = log
  }
  return newest
}

/** A line that is still being written is left out. */
function parseLog(text: string): Session | undefined {
  const end = text.lastIndexOf('\n')
  if (end < 0) return undefined
  const [header, ...lines] = text.slice(0, end).split('\n')
  return new Session(sessionHeaderSchema.parse(JSON.parse(header ?? '')), lines.flatMap(parseLine))
}

function parseLine(text: string): SessionEvent[] {
  const line: unknown = JSON.parse(text)
  if (!isObject(line)) throw new Error(`The log has a line that is no event: ${text}`)
  const events = isRow(line) ? expandRow(line) : isSeq(line.seq) ? [{ ...line, seq: line.seq }] : undefined
  if (events === undefined) throw new Error(`The log has a line that cannot be read: ${text}`)
  return events.map(event => {
    const parsed = parseEnvelope(event)
    if (typeof parsed === 'string') throw new Error(`Event ${event.seq}: ${parsed}`)
    return parsed
  })
}

/** Resolves with the log of the conversation begun last once it is as it should be. */
export function logWhere(window: Window, what: string, holds: (log: Session) => boolean): Promise<Session> {
  return until(`a log in which ${what}`, async () => {
    const log = await storedLog(window)
    return log !== undefined && holds(log) ? log : undefined
  })
}

/** The log of the conversation begun last, once its last turn has ended. */
export function endedLog(window: Window): Promise<Session> {
  return logWhere(window, 'the last turn has ended', log => {
    const { turn, turnOpen } = log.state(turnBoundary)
    return turn > 0 && !turnOpen
  })
}

/** Types of the events that tell the mode's history, with what they say. */
export function modeHistory(log: Session): string[] {
  return [...log.from(0)].flatMap(event => {
    switch (event.type) {
      case 'plan/mode':
        return [`mode ${event.data.active ? 'on' : 'off'}`]
      case 'plan/selected':
        return [`selected ${event.data.active ? 'on' : 'off'} by ${event.data.by}`]
      case 'review/presented':
        return ['presented']
      case 'review/decided':
        return [event.data.decision]
      default:
        return []
    }
  })
}
