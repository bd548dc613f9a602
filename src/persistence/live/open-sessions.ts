import { PlanModeError } from '../../session/errors.ts'
import { storageCodes } from '../errors.ts'
import type { LiveSession } from './live-session.ts'
import type { OpenSession } from './open-session.ts'

/** One open session, or one that is being opened, with the number of those who hold it. */
export interface Slot {
  readonly id: string
  holders: number
  readonly live: Promise<LiveSession>
}

type Locate = (live: LiveSession) => string

/** The sessions that are open in this process: each once, shared by its holders, closed after the last of them. */
export class OpenSessions {
  readonly #locate: Locate
  readonly #current = new Map<string, Slot>()
  readonly #slots = new Set<Slot>()
  readonly #closing = new Map<string, Promise<void>>()
  #disposed = false

  constructor(locate: Locate) {
    this.#locate = locate
  }

  get disposed(): boolean {
    return this.#disposed
  }

  has(id: string): boolean {
    return this.#current.has(id)
  }

  /** The session as it is open here, once it is; undefined when it isn't. */
  async get(id: string): Promise<LiveSession | undefined> {
    return this.#current.get(id)?.live
  }

  /** One more hold on the id; `make` opens it when nobody has. @throws `DISPOSED`, and what `make` throws. */
  async hold(id: string, make: (slot: Slot) => Promise<LiveSession>): Promise<OpenSession> {
    if (this.#disposed) throw new PlanModeError(storageCodes.disposed, 'The session store was closed.')
    const slot = this.#current.get(id) ?? this.#add(id, make)
    slot.holders++
    try {
      return this.#handle(slot, await slot.live)
    } catch (error) {
      this.forget(slot)
      this.#slots.delete(slot)
      throw error
    }
  }

  /** As `forget`, for the slot the id has now, if it has this session. */
  forgetSession(id: string, live: LiveSession): Promise<void> | undefined {
    const slot = this.#current.get(id)
    return slot?.live.then(
      current => {
        if (current === live) this.forget(slot)
      },
      () => undefined,
    )
  }

  /** The next `hold` of the id makes it anew; who holds this one keeps it. */
  forget(slot: Slot): void {
    if (this.#current.get(slot.id) === slot) this.#current.delete(slot.id)
  }

  /** Closes every session, whoever holds it. @throws the first failure, after all are closed. */
  async dispose(): Promise<void> {
    this.#disposed = true
    const closed = await Promise.allSettled([...this.#slots].map(slot => this.#close(slot)))
    await Promise.allSettled(this.#closing.values())
    for (const result of closed) if (result.status === 'rejected') throw result.reason
  }

  #add(id: string, make: (slot: Slot) => Promise<LiveSession>): Slot {
    const closed = this.#closing.get(id) ?? Promise.resolve()
    const slot: Slot = { id, holders: 0, live: closed.then(() => make(slot)) }
    this.#current.set(id, slot)
    this.#slots.add(slot)
    return slot
  }

  #handle(slot: Slot, live: LiveSession): OpenSession {
    let held = true
    return {
      session: live.session,
      location: this.#locate(live),
      get readOnly() {
        return live.readOnly
      },
      flush: () => live.flush(),
      save: () => live.save(),
      onProblem: listener => live.onProblem(listener),
      onStale: listener => live.onStale(listener),
      dispose: async () => {
        if (!held) return
        held = false
        slot.holders--
        if (slot.holders === 0) await this.#close(slot)
      },
    }
  }

  /** The next open of the id waits until this is done; the failure itself is for whoever disposes. */
  #close(slot: Slot): Promise<void> {
    const { id } = slot
    this.#slots.delete(slot)
    this.forget(slot)
    const closing = slot.live.then(
      live => live.dispose(),
      () => undefined,
    )
    const settled = Promise.allSettled([closing, this.#closing.get(id)]).then(() => {
      if (this.#closing.get(id) === settled) this.#closing.delete(id)
    })
    this.#closing.set(id, settled)
    return closing
  }
}
