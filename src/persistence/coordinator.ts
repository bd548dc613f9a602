import type { StoredEvent } from '../session/envelope.ts'
import { PlanModeError } from '../session/errors.ts'
import type { SessionEvent } from '../session/events.ts'
import type { SessionHeader } from '../session/header.ts'
import { assertLossless } from '../session/json.ts'
import type { LogWriter, PersistenceBackend } from './backend.ts'
import { storageCodes } from './errors.ts'
import type { Listing, LoadedSession, SessionPersistence } from './persistence.ts'
import { interpret, recover } from './recovery.ts'
import { parseHeader } from './stored-header.ts'

/** A session that may be appended to here; its writer's place is taken at the first append at the latest. */
interface Writable {
  readonly header: SessionHeader
  writer: LogWriter | undefined
  /** Settles when the work that was given so far is done; never rejects. */
  idle: Promise<unknown>
}

/** The durability seam over any backend: recovery, order and ownership, once for all of them. */
export class PersistenceCoordinator implements SessionPersistence {
  readonly #backend: PersistenceBackend
  readonly #writables = new Map<string, Writable>()

  constructor(backend: PersistenceBackend) {
    this.#backend = backend
  }

  locate(header: SessionHeader): string | undefined {
    return this.#backend.locate(header)
  }

  async create(header: SessionHeader): Promise<void> {
    const { id } = header
    const parsed = parseHeader(header)
    if (typeof parsed === 'string')
      throw new PlanModeError('INVALID_HEADER', `The session "${id}" was refused: ${parsed}.`)
    if ((await this.#backend.exists(id)) || this.#writables.has(id)) {
      throw new PlanModeError(storageCodes.alreadyExists, `There is a conversation "${id}" already.`)
    }
    this.#writables.set(id, { header, writer: undefined, idle: Promise.resolve() })
  }

  append(id: string, events: readonly SessionEvent[]): Promise<void> {
    const writable = this.#writables.get(id)
    if (writable === undefined) return Promise.reject(notOpen(id))
    return inTurn(writable, async () => {
      for (const event of events) {
        // A frozen event comes from a session, which has checked its data already.
        if (!Object.isFrozen(event)) assertLossless(event.data, event.type)
      }
      if (events.length === 0) return
      writable.writer ??= await this.#backend.createWriter(writable.header)
      await writable.writer.append(events)
    })
  }

  async load(id: string): Promise<LoadedSession> {
    const live = this.#writables.get(id)
    if (live !== undefined) return inTurn(live, () => this.#readLive(id))
    const { writer, log } = await this.#backend.openWriter(id)
    try {
      const loaded = recover(log)
      await writer.cut()
      await writer.append(loaded.closers)
      this.#writables.set(id, { header: loaded.header, writer, idle: Promise.resolve() })
      return loaded
    } catch (error) {
      await writer.release()
      throw error
    }
  }

  async inspect(id: string): Promise<LoadedSession> {
    return recover(await this.#backend.read(id))
  }

  async readFrom(id: string, fromSeq: number): Promise<readonly StoredEvent[]> {
    return interpret(await this.#backend.read(id)).slice(fromSeq)
  }

  list(): Promise<Listing> {
    return this.#backend.list()
  }

  writable(id: string): Promise<boolean> {
    return this.#backend.writable(id)
  }

  async release(id: string): Promise<void> {
    const writable = this.#writables.get(id)
    if (writable === undefined) return
    this.#writables.delete(id)
    await inTurn(writable, async () => writable.writer?.release())
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#writables.keys()].map(id => this.release(id)))
  }

  async #readLive(id: string): Promise<LoadedSession> {
    const loaded = recover(await this.#backend.read(id))
    if (loaded.closers.length === 0) return loaded
    throw new PlanModeError(
      storageCodes.live,
      `A turn of the conversation "${id}" is running; it cannot be loaded now.`,
    )
  }
}

/** One act after the other per session; a failed one does not hold up the next. */
function inTurn<T>(writable: Writable, act: () => Promise<T>): Promise<T> {
  const result = writable.idle.then(act)
  writable.idle = result.catch(() => undefined)
  return result
}

function notOpen(id: string): PlanModeError {
  return new PlanModeError(storageCodes.notFound, `The conversation "${id}" is not open for writing here.`)
}
