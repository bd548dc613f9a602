import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { z } from 'zod'
import { systemCode } from './errors.ts'
import type { Timers } from './timers.ts'

/** Who holds a writer's place, as it is stored; and whether that process still lives. For every kind of store. */

/** The claim of a process that cannot be looked at falls free when its owner has said nothing for this long. */
const SILENT_MS = 120_000

export interface LockOptions {
  readonly timers?: Timers
  readonly now?: () => number
  readonly processes?: ProcessTable
  /** Claims of this process that it gave up but could not take back; they count as free here. */
  readonly abandoned?: Set<string>
}

export const lockRecord = z.object({
  epoch: z.int().positive(),
  pid: z.int().positive(),
  /** When the process started, in the system's own unit; absent where the system does not tell. */
  startTime: z.string().optional(),
  host: z.string(),
  /** Names what gives the pid its meaning (boot and process namespace); absent where the system does not tell. */
  pidSpace: z.string().optional(),
  /** Unique per claim. */
  owner: z.string().min(1),
  claimedAt: z.int(),
  /** The owner before may still be at work: nobody else may take the place until what he has under way is fenced off. */
  takesOver: z.literal(true).optional(),
})
export type LockRecord = z.infer<typeof lockRecord>

export type ProcessIdentity = Pick<LockRecord, 'pid' | 'startTime' | 'host' | 'pidSpace'>

/** What is known of processes; exchanged in tests. */
export interface ProcessTable {
  self(): ProcessIdentity
  /** Whether a pid of this host runs, and since when if the system tells. */
  look(pid: number): { readonly alive: boolean; readonly startTime?: string }
}

export const processTable: ProcessTable = {
  self() {
    const { startTime } = lookAtProc(process.pid) ?? {}
    const pidSpace = readPidSpace()
    return {
      pid: process.pid,
      host: hostname(),
      ...(startTime === undefined ? {} : { startTime }),
      ...(pidSpace === undefined ? {} : { pidSpace }),
    }
  },
  look: pid => lookAtProc(pid) ?? { alive: answersSignal(pid) },
}

/** A claim of this process, as it is stored. */
export function ownRecord(epoch: number, { now = Date.now, processes = processTable }: LockOptions): LockRecord {
  return { ...processes.self(), epoch, owner: crypto.randomUUID(), claimedAt: now() }
}

/** True when this process gave the claim up and could not say so in the store. */
export function isAbandoned(record: LockRecord | undefined, { abandoned }: LockOptions): boolean {
  return record !== undefined && abandoned?.has(record.owner) === true
}

/** Whether the owner of a claim lives; undefined when only its silence can tell. */
export function ownerLives(record: LockRecord | undefined, options: LockOptions): boolean | undefined {
  return record && runsHere(record, options.processes ?? processTable)
}

/** Whether so much time has gone by since an owner's last word that he counts as dead. */
export function isSilent(lastWord: number, { now = Date.now }: LockOptions): boolean {
  return now() - lastWord > SILENT_MS
}

/** Whether the owner runs on this host; undefined when that cannot be known from here. */
function runsHere(record: LockRecord, table: ProcessTable): boolean | undefined {
  const here = table.self()
  if (record.host !== here.host || record.pidSpace !== here.pidSpace) return undefined
  const found = table.look(record.pid)
  if (!found.alive) return false
  return record.startTime === undefined || found.startTime === undefined || record.startTime === found.startTime
}

/** Undefined where there is no /proc. */
function lookAtProc(pid: number): { readonly alive: boolean; readonly startTime?: string } | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    // Without /proc the caller asks another way; with it, a missing entry is found dead there too.
    return undefined
  }
  // The second field is the program's name in parentheses and may hold anything, so count from its end.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const startTime = fields[18]
  const alive = state !== 'Z' && state !== 'X'
  return startTime === undefined ? { alive } : { alive, startTime }
}

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return systemCode(error) === 'EPERM'
  }
}

function readPidSpace(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    // Only Linux tells; elsewhere the host name has to do.
    return undefined
  }
}
