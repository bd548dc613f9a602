import { isDeepStrictEqual } from 'node:util'
import { parseEnvelope, type StoredEvent } from '../../session/envelope.ts'
import { PlanModeError } from '../../session/errors.ts'
import type { SessionEvent } from '../../session/events.ts'
import type { LogTail, PersistenceBackend, StoredLog } from '../backend.ts'
import { SessionFormatUnsupportedError, SessionPersistenceCorruptionError, storageCodes } from '../errors.ts'
import type { FollowedLog } from '../persistence.ts'
import { payloadProblem } from './payload.ts'
import { asStored, interpret } from './recovery.ts'

/** A log as it stands and as it grows, on any backend. @throws as the backend's `read`. */
export async function followLog(backend: PersistenceBackend, id: string, signal?: AbortSignal): Promise<FollowedLog> {
  const log = await backend.read(id, signal)
  const tail = backend.tail?.(log) ?? new RevisionTail(backend, id, log)
  const { header, file } = log
  const events = asStored(log)
  return {
    header,
    events,
    next: async () => {
      const found = await tail.next()
      return found && judged({ file, header, events: [...found], torn: false })
    },
    onChange: listener => backend.watch?.(log, listener) ?? { [Symbol.dispose]: () => {} },
    [Symbol.dispose]: () => {},
  }
}

/** Undefined for a tail that cannot be understood on its own: read whole, the log says what is wrong, if anything is. */
function judged(tail: StoredLog): readonly SessionEvent[] | undefined {
  try {
    const events: SessionEvent[] = []
    for (const event of interpret(tail)) {
      const parsed = parseEnvelope(event)
      if (typeof parsed === 'string' || payloadProblem(event) !== undefined) return undefined
      events.push(parsed)
    }
    return events
  } catch (error) {
    if (error instanceof SessionPersistenceCorruptionError) return undefined
    if (error instanceof SessionFormatUnsupportedError) return undefined
    throw error
  }
}

/** For a backend that tells revisions: reads from the last event on, which says whether the log is still the same. */
class RevisionTail implements LogTail {
  readonly #backend: PersistenceBackend
  readonly #id: string
  #revision: string | undefined
  #next: number
  #last: StoredEvent | undefined

  constructor(backend: PersistenceBackend, id: string, { events, revision }: StoredLog) {
    this.#backend = backend
    this.#id = id
    this.#revision = revision
    this.#next = events.length
    this.#last = events.at(-1)
  }

  async next(): Promise<readonly StoredEvent[] | undefined> {
    const revision = await this.#backend.revision?.(this.#id)
    if (revision !== undefined && revision === this.#revision) return []
    const from = Math.max(0, this.#next - 1)
    const events = await this.#readFrom(from)
    const [first] = events ?? []
    if (events === undefined || (this.#last !== undefined && !isDeepStrictEqual(first, this.#last))) return undefined
    const fresh = events.slice(this.#next - from)
    this.#revision = revision
    this.#next += fresh.length
    this.#last = events.at(-1)
    return fresh
  }

  async #readFrom(from: number): Promise<readonly StoredEvent[] | undefined> {
    try {
      const sought = from === 0 ? undefined : await this.#backend.readFrom?.(this.#id, from)
      return sought?.events ?? (await this.#backend.read(this.#id)).events.slice(from)
    } catch (error) {
      if (error instanceof PlanModeError && error.code === storageCodes.storage) throw error
      if (error instanceof PlanModeError && error.code === storageCodes.notFound) throw error
      return undefined
    }
  }
}
