import { isObject, isSeq, type JsonObject, type StoredEvent } from '../../session/envelope.ts'
import type { SessionEvent } from '../../session/events.ts'

/**
 * Rows that stand for several consecutive `assistant/chunk` events (session-log format, section 5). Stream chunks
 * dominate a log, so this is most of its size.
 */
interface RowKind {
  readonly row: string
  readonly delta: string
  /** Key of the members' texts in the row, and of the text in each member. */
  readonly texts: 'texts' | 'args'
  readonly text: 'text' | 'argumentsDelta'
  readonly named: boolean
}

const kinds: readonly RowKind[] = [
  { row: 'text-chunks', delta: 'text-delta', texts: 'texts', text: 'text', named: false },
  { row: 'reasoning-chunks', delta: 'reasoning-delta', texts: 'texts', text: 'text', named: false },
  { row: 'tool-call-chunks', delta: 'tool-call-delta', texts: 'args', text: 'argumentsDelta', named: true },
]
const kindOfRow = new Map(kinds.map(kind => [kind.row, kind]))
const kindOfDelta = new Map(kinds.map(kind => [kind.delta, kind]))
const SHORTEST_RUN = 3

/** True for a line that is tagged as a row, well formed or not. */
export function isRow(line: JsonObject): boolean {
  const { type } = line
  // Of the usual types none ends in an s: most lines need no look at the table.
  return typeof type === 'string' && type.endsWith('s') && kindOfRow.has(type)
}

/** How many events a row stands for, or undefined when it breaks a rule of section 5. */
export function rowLength(row: JsonObject): number | undefined {
  const kind = kindOfRow.get(String(row.type))
  const { seq0, time0, data } = row
  if (kind === undefined || !isSeq(seq0) || !isTime(time0) || Object.keys(row).length !== 4) return undefined
  if (!isObject(data) || !rowDataFits(data, kind)) return undefined
  const texts = data[kind.texts]
  if (!isStrings(texts) || !isTimes(data.dt) || data.dt.length !== texts.length - 1) return undefined
  if (!isSeq(seq0 + (texts.length - 1))) return undefined
  let time = time0
  for (const step of data.dt) {
    time += step
    if (!isTime(time)) return undefined
  }
  return texts.length
}

/** The events a row stands for, or undefined when it breaks a rule of section 5. */
export function expandRow(row: JsonObject): StoredEvent[] | undefined {
  const kind = kindOfRow.get(String(row.type))
  const { seq0, time0, data } = row
  if (kind === undefined || rowLength(row) === undefined || !isObject(data)) return undefined
  const texts = data[kind.texts]
  if (!isSeq(seq0) || !isTime(time0) || !isStrings(texts) || !isTimes(data.dt)) return undefined
  const events: StoredEvent[] = []
  let time = time0
  for (const [k, text] of texts.entries()) {
    time += k === 0 ? 0 : (data.dt[k - 1] ?? 0)
    events.push({ type: 'assistant/chunk', seq: seq0 + k, time, data: memberData(data, kind, text) })
  }
  return events
}

function rowDataFits(data: JsonObject, kind: RowKind): boolean {
  const { turn, step, index, id, name } = data
  if (typeof turn !== 'number' || typeof step !== 'number' || typeof index !== 'number') return false
  if (!kind.named) return Object.keys(data).length === 5
  if (typeof id !== 'string' || (name !== undefined && typeof name !== 'string')) return false
  return Object.keys(data).length === (name === undefined ? 6 : 7)
}

function memberData(data: JsonObject, kind: RowKind, text: string): JsonObject {
  const { turn, step } = data
  return { turn, step, chunk: chunkOf(data, kind, text) }
}

/** Written out for each shape: most events of a log are made here, and spreading costs more than all the rest. */
function chunkOf({ index, id, name }: JsonObject, { delta: type, named }: RowKind, text: string): JsonObject {
  if (!named) return { type, index, text }
  return name === undefined
    ? { type, index, id, argumentsDelta: text }
    : { type, index, id, name, argumentsDelta: text }
}

/**
 * One line of JSON, without its LF, per event or per run of at least three deltas that fit one row. The lines read back
 * to exactly these events.
 */
export function encodeLines(events: readonly SessionEvent[], pack = true): string[] {
  if (!pack) return events.map(event => JSON.stringify(event))
  const lines: string[] = []
  for (let at = 0; at < events.length; ) {
    const run = runFrom(events, at)
    if (run.length < SHORTEST_RUN) lines.push(JSON.stringify(events[at++]))
    else {
      lines.push(JSON.stringify(packRun(run)))
      at += run.length
    }
  }
  return lines
}

/** An event that may be a member of a row: exactly these keys, and the one text of its kind. */
interface Member {
  readonly seq: number
  readonly time: number
  readonly data: { readonly turn: number; readonly step: number; readonly chunk: Delta }
}

interface Delta {
  readonly type: string
  readonly index: number
  readonly id?: string
  readonly name?: string
  readonly text?: string
  readonly argumentsDelta?: string
}

function runFrom(events: readonly unknown[], at: number): Member[] {
  const run: Member[] = []
  for (let previous: Member | undefined; ; at++) {
    const event = events[at]
    if (!isMember(event) || (previous !== undefined && !follows(event, previous))) return run
    run.push(event)
    previous = event
  }
}

/** Payloads of a log that was read are not judged, so this looks at them as a stranger's. */
function isMember(event: unknown): event is Member {
  if (!isObject(event) || event.type !== 'assistant/chunk' || !isObject(event.data)) return false
  const { turn, step, chunk } = event.data
  const kind = isObject(chunk) ? kindOfDelta.get(String(chunk.type)) : undefined
  if (kind === undefined || !isObject(chunk) || !isTime(event.time)) return false
  if (typeof turn !== 'number' || typeof step !== 'number' || typeof chunk.index !== 'number') return false
  if (typeof chunk[kind.text] !== 'string' || keysOf(event) !== 4 || keysOf(event.data) !== 3) return false
  if (!kind.named) return keysOf(chunk) === 3
  const { id, name } = chunk
  if (typeof id !== 'string' || (name !== undefined && typeof name !== 'string')) return false
  return keysOf(chunk) === (name === undefined ? 4 : 5)
}

function keysOf(value: JsonObject): number {
  return Object.keys(value).length
}

function follows({ seq, time, data }: Member, previous: Member): boolean {
  const { chunk } = data
  const { chunk: before } = previous.data
  return (
    chunk.type === before.type &&
    seq === previous.seq + 1 &&
    data.turn === previous.data.turn &&
    data.step === previous.data.step &&
    chunk.index === before.index &&
    chunk.id === before.id &&
    chunk.name === before.name &&
    isTime(time - previous.time)
  )
}

function packRun(run: readonly Member[]): JsonObject {
  const [first] = run
  const kind = kindOfDelta.get(first?.data.chunk.type ?? '')
  if (first === undefined || kind === undefined) return {}
  const { turn, step, chunk } = first.data
  const { index, id, name } = chunk
  const dt: number[] = []
  for (let k = 1; k < run.length; k++) dt.push((run[k]?.time ?? 0) - (run[k - 1]?.time ?? 0))
  const call = id === undefined ? {} : { id, ...(name === undefined ? {} : { name }) }
  const texts = run.map(({ data }) => data.chunk[kind.text])
  const data = { turn, step, index, dt, ...call, [kind.texts]: texts }
  return { type: kind.row, seq0: first.seq, time0: first.time, data }
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

// Plain loops: most of what is read passes here.
function isTimes(value: unknown): value is number[] {
  if (!Array.isArray(value)) return false
  for (let k = 0; k < value.length; k++) if (!Number.isSafeInteger(value[k])) return false
  return true
}

function isStrings(value: unknown): value is string[] {
  if (!Array.isArray(value)) return false
  for (let k = 0; k < value.length; k++) if (typeof value[k] !== 'string') return false
  return true
}
