// This project's side of the comparison: its own logs, and what it makes of a log.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { PersistenceCoordinator } from '../../src/persistence/coordinator.ts'
import { JsonlBackend } from '../../src/persistence/jsonl/jsonl-backend.ts'
import { foldPlanMode } from '../../src/plan/projection.ts'
import type { SessionEvent } from '../../src/session/events.ts'
import { type NewSession, newHeader, type SessionHeader } from '../../src/session/header.ts'
import { Session } from '../../src/session/session.ts'
import { deriveMessages } from '../../src/session/surface.ts'
import type { PeerEncoding } from './packages.ts'
import type { PeerReading } from './peer.ts'

export interface Conversation {
  readonly name: string
  readonly events: readonly SessionEvent[]
}

const golden = join(import.meta.dirname, '../golden')

/** Whole conversations of this project's agent, as its golden files keep them. */
export const conversations: readonly Conversation[] = readdirSync(golden)
  .filter(file => file.endsWith('.jsonl'))
  .map(file => ({ name: basename(file, '.jsonl'), events: eventsIn(readFileSync(join(golden, file), 'utf8')) }))

function eventsIn(text: string): SessionEvent[] {
  const [, ...lines] = text.trimEnd().split('\n')
  return lines.map((line): SessionEvent => JSON.parse(line))
}

export function headerOf(id: string, given: NewSession = {}): SessionHeader {
  return newHeader({ id, cwd: '/home/dev/demo', createdAt: 5, ...given }, () => 5)
}

export function ownPersistence(root: string, encoding: PeerEncoding): PersistenceCoordinator {
  return new PersistenceCoordinator(new JsonlBackend({ root, encoding }))
}

/** Stores a session of these events, in batches of `batch`. */
export async function writeOwn(
  root: string,
  encoding: PeerEncoding,
  header: SessionHeader,
  events: readonly SessionEvent[],
  batch = 7,
): Promise<void> {
  const persistence = ownPersistence(root, encoding)
  await persistence.create(header)
  for (let at = 0; at < events.length; at += batch) {
    await persistence.append(header.id, events.slice(at, at + batch))
  }
  await persistence.dispose()
}

/** In the words of the peer's reading; nothing is written. */
export async function readOwn(root: string, encoding: PeerEncoding, id: string): Promise<PeerReading> {
  const persistence = ownPersistence(root, encoding)
  try {
    const { header, events, closers } = await persistence.inspect(id)
    return {
      events: events.length,
      closers: closers.map(({ type }) => type),
      planActive: foldPlanMode(events),
      derived: deriveMessages(new Session(header, [...events])),
    }
  } finally {
    await persistence.dispose()
  }
}
