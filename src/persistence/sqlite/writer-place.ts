import { PlanModeError } from '../../session/errors.ts'
import { storageCodes } from '../errors.ts'
import { Heartbeat } from '../heartbeat.ts'
import {
  isAbandoned,
  isSilent,
  type LockOptions,
  type LockRecord,
  lockRecord,
  ownerLives,
  ownRecord,
} from '../lock-owner.ts'
import type { Connection, Row } from './connection.ts'
import type { SessionDatabase } from './session-database.ts'
import { keyOf } from './text-key.ts'

/**
 * One writer per session, across processes: the session's row in `writers`, claimed in a transaction of its own and
 * asked for inside the transaction of every append. Epochs only grow: a released row stays, a dead owner's is outbid.
 */
export class WriterPlace {
  readonly epoch: number
  readonly #database: SessionDatabase
  readonly #id: string
  readonly #record: LockRecord
  readonly #options: LockOptions
  readonly #heartbeat: Heartbeat
  #lost = false

  /** Only `claimPlace` makes one. */
  constructor(database: SessionDatabase, id: string, record: LockRecord, options: LockOptions) {
    this.#database = database
    this.#id = id
    this.#record = record
    this.#options = options
    this.epoch = record.epoch
    // A lost place shows at the next append.
    this.#heartbeat = new Heartbeat(() => database.write(connection => this.#touch(connection)), options.timers)
  }

  /**
   * Inside the transaction that relies on it. @throws `WRITER_LOST` when the row is another's; for good then. `LOG_GONE`
   * when there is no row.
   */
  assertHeld(connection: Connection): void {
    if (!this.#lost && this.#touch(connection) === 0) this.#missed(connection)
    this.#assertNotLost()
  }

  /** Without a change of the database. @throws as `assertHeld`. */
  async confirm(): Promise<void> {
    await this.#database.read(connection => {
      const holder = holderOf(connection, this.#id)
      if (holder !== undefined && holder.record?.owner !== this.#record.owner) this.#giveUp()
    })
    this.#assertNotLost()
  }

  /** Puts the row back where something else removed it. Inside a transaction. @throws `WRITER_LOST`. */
  restore(connection: Connection): void {
    this.#assertNotLost()
    if (holderOf(connection, this.#id) === undefined) put(connection, this.#id, this.#record)
    this.assertHeld(connection)
  }

  #missed(connection: Connection): void {
    if (holderOf(connection, this.#id) === undefined) throw this.#gone()
    this.#giveUp()
  }

  #gone(): PlanModeError {
    return new PlanModeError(
      storageCodes.logGone,
      `The conversation "${this.#id}" is not in ${this.#database.file} any more: something else deleted it. All of it is still here; try again to write it anew.`,
    )
  }

  #assertNotLost(): void {
    if (!this.#lost) return
    throw new PlanModeError(
      storageCodes.writerLost,
      `Another window took over writing the conversation "${this.#id}" in ${this.#database.file}. Nothing more is written from here; reopen the conversation to go on.`,
    )
  }

  /** Leaves the row, so that the next claim gets a higher epoch. Never throws. */
  async release(): Promise<void> {
    const held = !this.#lost
    this.#giveUp()
    if (!held) return
    try {
      await this.#database.write(connection =>
        connection.run(
          'UPDATE writers SET released = 1 WHERE session_id = ? AND epoch = ? AND owner = ?',
          ...this.#self,
        ),
      )
    } catch {
      // For other processes the place then falls free when this one ends.
      this.#options.abandoned?.add(this.#record.owner)
    }
  }

  get #self(): [string, number, string] {
    return [keyOf(this.#id), this.epoch, this.#record.owner]
  }

  #touch(connection: Connection): number {
    const { now = Date.now } = this.#options
    return connection.run(
      'UPDATE writers SET touched_at = ? WHERE session_id = ? AND epoch = ? AND owner = ? AND released = 0',
      now(),
      ...this.#self,
    )
  }

  #giveUp(): void {
    this.#lost = true
    this.#heartbeat[Symbol.dispose]()
  }
}

/**
 * By force also from a live owner, whose every later transaction then finds the row another's.
 * @throws `WRITER_BUSY` while a live owner holds the place, and what `SessionDatabase.write` does.
 */
export async function claimPlace(
  database: SessionDatabase,
  id: string,
  options: LockOptions,
  claiming: 'when-free' | 'by-force' = 'when-free',
): Promise<WriterPlace> {
  const record = await database.write(connection => {
    const holder = holderOf(connection, id)
    if (claiming === 'when-free' && !isFree(holder, options)) {
      throw new PlanModeError(
        storageCodes.writerBusy,
        'Another window is writing this conversation. It is read-only here.',
      )
    }
    const claim = ownRecord((holder?.epoch ?? 0) + 1, options)
    put(connection, id, claim)
    return claim
  })
  return new WriterPlace(database, id, record, options)
}

/** True when nobody alive holds the place, or there is none. */
export function isPlaceFree(connection: Connection, id: string, options: LockOptions): boolean {
  return isFree(holderOf(connection, id), options)
}

interface Holder {
  readonly epoch: number
  readonly released: boolean
  readonly touchedAt: number
  /** Undefined when the row says nothing that can be understood. */
  readonly record: LockRecord | undefined
}

function holderOf(connection: Connection, id: string): Holder | undefined {
  const row = connection.row('SELECT * FROM writers WHERE session_id = ?', keyOf(id))
  return row && toHolder(row)
}

function toHolder(row: Row): Holder {
  const { epoch, owner, pid, host, claimed_at: claimedAt, start_time: startTime, pid_space: pidSpace } = row
  const record = lockRecord.safeParse({
    ...{ epoch, owner, pid, host, claimedAt },
    ...(startTime === null ? {} : { startTime }),
    ...(pidSpace === null ? {} : { pidSpace }),
  })
  return {
    epoch: Number.isSafeInteger(epoch) ? Number(epoch) : 0,
    released: row.released === 1,
    touchedAt: Number(row.touched_at),
    record: record.data,
  }
}

function isFree(holder: Holder | undefined, options: LockOptions): boolean {
  if (holder === undefined || holder.released || isAbandoned(holder.record, options)) return true
  const lives = ownerLives(holder.record, options)
  return lives === undefined ? isSilent(holder.touchedAt, options) : !lives
}

function put(connection: Connection, id: string, claim: LockRecord): void {
  const { epoch, owner, pid, startTime = null, host, pidSpace = null, claimedAt } = claim
  connection.run(
    'INSERT OR REPLACE INTO writers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)',
    ...[keyOf(id), epoch, owner, pid, startTime, host, pidSpace, claimedAt, claimedAt],
  )
}
