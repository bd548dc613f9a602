import { isSeq, type StoredEvent } from '../../session/envelope.ts'
import { PlanModeError } from '../../session/errors.ts'
import type { SessionEvent } from '../../session/events.ts'
import type { Row } from './connection.ts'
import { keyOf, textOf } from './text-key.ts'

/** An event and its row, one to one. */
export type EventRow = readonly [
  seq: number,
  type: string,
  time: number,
  data: string,
  sourceEventSeqs: string | null,
  surfaceOp: string | null,
  ignorable: 1 | null,
]

export const EVENT_COLUMNS = 'seq, type, time, data, source_event_seqs, surface_op, ignorable'
/** For reading: an integer that JavaScript cannot hold makes the whole statement fail, so it is read as NULL. */
export const EVENT_VALUES = `seq, type, ${safe('time')}, data, source_event_seqs, surface_op, ${safe('ignorable')}`

/** A column's integers from -(2^53 - 1) to 2^53 - 1. */
export function safe(column: string): string {
  return `CASE WHEN ${column} BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER} THEN ${column} END AS ${column}`
}

/** @throws `NOT_JSON` or `INVALID_EVENT`, naming the event, for what no row can give back. */
export function toRow(event: SessionEvent): EventRow {
  const { type, seq, time, data, sourceEventSeqs, surfaceOp, ignorable, ...rest } = event
  const [surplus] = Object.keys(rest)
  if (surplus !== undefined) refuse(event, `it has the key ${surplus}, which no event has`)
  if (typeof type !== 'string') refuse(event, 'its type is not a string')
  if (!Number.isSafeInteger(time)) refuse(event, 'its time is not a whole number of milliseconds')
  if (ignorable !== undefined && ignorable !== true) refuse(event, 'ignorable may only be true')
  const text: string | undefined = JSON.stringify(data)
  if (text === undefined)
    throw new PlanModeError('NOT_JSON', `${type} (event ${seq}) holds no data that JSON can keep.`)
  return [seq, keyOf(type), time, text, optional(sourceEventSeqs), optional(surfaceOp), ignorable ? 1 : null]
}

/** The event of a row of `EVENT_VALUES`; undefined when the row cannot be one. */
export function toEvent(row: Row): StoredEvent | undefined {
  const { seq, time, data, source_event_seqs: sources, surface_op: op, ignorable } = row
  const type = textOf(row.type)
  if (!isSeq(seq) || type === undefined || !Number.isSafeInteger(time) || typeof data !== 'string') return undefined
  if (ignorable !== null && ignorable !== 1) return undefined
  try {
    return {
      type,
      seq,
      time,
      data: JSON.parse(data),
      ...(op === null ? {} : { surfaceOp: JSON.parse(String(op)) }),
      ...(sources === null ? {} : { sourceEventSeqs: JSON.parse(String(sources)) }),
      ...(ignorable === null ? {} : { ignorable: true }),
    }
  } catch {
    // Text that is no JSON is an answer here, not a failure.
    return undefined
  }
}

function optional(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

function refuse(event: { readonly seq: number }, what: string): never {
  throw new PlanModeError('INVALID_EVENT', `Event ${event.seq} cannot be stored: ${what}.`)
}
