import { PlanModeError } from '../../session/errors.ts'
import { Session, type SessionOptions } from '../../session/session.ts'
import { storageCodes } from '../errors.ts'
import type { SessionPersistence } from '../persistence.ts'
import type { SessionPreparation } from '../prepared/preparation.ts'
import type { Timers } from '../timers.ts'
import { LiveSession, type LiveSessionOptions } from './live-session.ts'

const LOCK_RETRY_MS = 100

export interface OpenerOptions {
  readonly persistence: SessionPersistence
  readonly session: SessionOptions
  readonly timers: Timers
  readonly windowMs: number
  readonly lockWaitMs: number
  readonly pollMs: number
  readonly followMs: number
  readonly onListenerError: (error: unknown) => void
  /** True once nobody waits for a lock any more. */
  readonly ended: () => boolean
}

/** Brings sessions to life: what was prepared, or what is stored, for writing where that can be, else for reading. */
export class SessionOpener {
  readonly #options: OpenerOptions

  constructor(options: OpenerOptions) {
    this.#options = options
  }

  /** `onStale`: the next open of the session has to bring it to life anew. */
  async publish({ session, stored, seeded }: SessionPreparation, onStale: () => void): Promise<LiveSession> {
    if (stored === undefined) await this.#options.persistence.create(session.header)
    const live = this.#live(session, stored ?? 0, onStale)
    live.watchWriter()
    if (seeded && !endsSeed(session)) session.append('session/end-seed', {})
    return live
  }

  /** @throws as `SessionStore.open`. */
  async open(id: string, patient: boolean, onStale: () => void): Promise<LiveSession> {
    try {
      using preparation = await this.#untilFree(patient, () => this.#options.persistence.prepare(id))
      return await this.publish(preparation, onStale)
    } catch (error) {
      if (!(error instanceof PlanModeError) || !viewable.has(error.code)) throw error
      return error.code === storageCodes.writerBusy
        ? this.#openFollowing(id, error, onStale)
        : this.#openReadOnly(id, error, onStale)
    }
  }

  /** @throws as `SessionStore.takeOver`. */
  async takeOver(id: string, onStale: () => void): Promise<LiveSession> {
    using preparation = await this.#untilFree(true, () => this.#options.persistence.takeOver(id))
    return await this.publish(preparation, onStale)
  }

  /** The stored session, sealed with a reason; its events are made when they are asked for. */
  async snapshot(id: string, reason: string, signal?: AbortSignal): Promise<Session> {
    const { header, events } = await this.#options.persistence.view(id, signal)
    const session = new Session(header, events, this.#options.session)
    session.seal(reason)
    return session
  }

  async #openFollowing(id: string, readOnly: PlanModeError, onStale: () => void): Promise<LiveSession> {
    const followed = await this.#options.persistence.follow(id)
    const session = new Session(followed.header, followed.events, this.#options.session)
    const live = this.#live(session, session.length, onStale, { readOnly, followed })
    live.watchWriter()
    return live
  }

  async #openReadOnly(id: string, readOnly: PlanModeError, onStale: () => void): Promise<LiveSession> {
    const session = await this.snapshot(id, readOnly.message)
    // Nobody tells when a permission or the disk comes back, so the next open simply tries again.
    onStale()
    return this.#live(session, session.length, onStale, { readOnly })
  }

  /** A window reload opens the session before the old host has let go of it. */
  async #untilFree<T>(patient: boolean, act: () => Promise<T>): Promise<T> {
    const { lockWaitMs, timers, ended } = this.#options
    const tries = patient ? Math.ceil(lockWaitMs / LOCK_RETRY_MS) : 0
    for (let tried = 0; ; tried++) {
      try {
        return await act()
      } catch (error) {
        const busy = error instanceof PlanModeError && error.code === storageCodes.writerBusy
        if (!busy || tried >= tries || ended()) throw error
      }
      await new Promise<void>(resolve => timers.after(LOCK_RETRY_MS, resolve))
    }
  }

  #live(session: Session, durable: number, onStale: () => void, reading: Reading = {}): LiveSession {
    const { persistence, timers, windowMs, pollMs, followMs, onListenerError } = this.#options
    const common = { persistence, timers, windowMs, pollMs, followMs, onListenerError }
    return new LiveSession({ ...common, session, durable, onStale, ...reading })
  }
}

function endsSeed(session: Session): boolean {
  return session.length > 0 && session.at(session.length - 1).type === 'session/end-seed'
}

/** Of a session that is not written here. */
type Reading = Pick<LiveSessionOptions, 'readOnly' | 'followed'>

/** Reasons to show a session without being its writer. */
const viewable: ReadonlySet<string> = new Set([storageCodes.writerBusy, storageCodes.notWritable, storageCodes.storage])
