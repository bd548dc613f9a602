import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { Surface } from '../../../session/surface.ts'
import { checkpointList } from '../../reading/checkpoints.ts'
import { typeNames } from '../../type-codes.ts'
import type { KnownLines } from '../lines/judged-lines.ts'
import { LineMap } from '../lines/line-map.ts'

/**
 * The content of an index file: a head of JSON with its checksum, then the columns of the line map and the nodes of the
 * surface as numbers of this machine's byte order. Anything that is not exactly as expected makes no index at all.
 */

/** Which state of which log an index speaks of. */
export interface IndexedState {
  readonly id: string
  readonly encoding: string
  readonly revision: string
  /** Bytes of the log, all of which hold. */
  readonly size: number
}

const MAGIC = Buffer.from('PLMIDX1\n')
/** Magic, length and checksum of the head. */
export const PREFIX = 16
const count = z.int().nonnegative()

/** Grows when the form changes, or what is judged of an event before it is indexed. */
const INDEX_VERSION = 2

const headSchema = z.strictObject({
  version: z.literal(INDEX_VERSION),
  id: z.string(),
  encoding: z.string(),
  revision: z.string(),
  size: count,
  /** Codes are places in this list, and which types are known decides what may be opened. */
  types: z.string(),
  order: z.string(),
  lines: count,
  groups: count,
  events: count,
  nodes: count,
  end: z.strictObject({ at: count, skip: count }),
  turnOpen: z.boolean(),
  /** Checksum of all that follows the head. */
  columns: count,
  checkpoints: checkpointList,
})
export type Head = z.infer<typeof headSchema>

const order = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 'little' : 'big'

export function encodeIndex(state: IndexedState, { map, surface, turnOpen, checkpoints }: KnownLines): Buffer {
  const { types, counts, groups, length, end } = map.columns()
  const nodes = Float64Array.from(surface)
  const columns = Buffer.concat([bytesOf(groups), bytesOf(nodes), types, counts])
  const head = {
    version: INDEX_VERSION,
    ...state,
    types: typeNames.join(' '),
    order,
    lines: types.length,
    groups: groups.length / 4,
    events: length,
    nodes: nodes.length,
    end,
    turnOpen,
    columns: crc32(columns),
    checkpoints: checkpoints.filter(({ next }) => next <= length),
  }
  const json = Buffer.from(JSON.stringify(head))
  const prefix = Buffer.alloc(PREFIX)
  MAGIC.copy(prefix)
  prefix.writeUInt32LE(json.length, 8)
  prefix.writeUInt32LE(crc32(json), 12)
  return Buffer.concat([prefix, json, Buffer.alloc(paddingOf(json.length)), columns])
}

/** How long the head is that follows these bytes; undefined when none does. */
export function headLength(prefix: Buffer): number | undefined {
  if (prefix.length < PREFIX || !prefix.subarray(0, MAGIC.length).equals(MAGIC)) return undefined
  return prefix.readUInt32LE(8)
}

/** The head of an index of this state of the log. */
export function decodeHead(prefix: Buffer, json: Buffer, state: IndexedState): Head | undefined {
  if (headLength(prefix) !== json.length || crc32(json) !== prefix.readUInt32LE(12)) return undefined
  const head = headOf(json)
  return head !== undefined && isOf(head, state) ? head : undefined
}

/** Where the columns begin behind a head of this length; the groups come first, `GROUP_BYTES` each. */
export function columnsAt(length: number): number {
  return PREFIX + length + paddingOf(length)
}

export const GROUP_BYTES = 32

/** What is known of this state of the log; undefined unless the bytes are an index of exactly it. */
export function decodeIndex(bytes: Buffer, state: IndexedState): KnownLines | undefined {
  const length = headLength(bytes)
  if (length === undefined) return undefined
  const head = decodeHead(bytes.subarray(0, PREFIX), bytes.subarray(PREFIX, PREFIX + length), state)
  if (head === undefined) return undefined
  const columns = bytes.subarray(columnsAt(length))
  const { lines, groups, nodes, end, events, turnOpen, checkpoints } = head
  const nodesAt = groups * GROUP_BYTES
  if (columns.length !== nodesAt + nodes * 8 + lines * 2 || crc32(columns) !== head.columns) return undefined
  const { buffer, byteOffset: start } = aligned(columns)
  const typesAt = start + nodesAt + nodes * 8
  const map = LineMap.of({
    groups: new Float64Array(buffer, start, groups * 4),
    types: new Uint8Array(buffer, typesAt, lines),
    counts: new Uint8Array(buffer, typesAt + lines, lines),
    length: events,
    end,
    limit: state.size,
  })
  let surface: Surface | undefined
  return {
    map,
    // Nobody asks for it before the model does.
    get surface() {
      surface ??= new Surface(Array.from(new Float64Array(buffer, start + nodesAt, nodes)))
      return surface
    },
    turnOpen,
    checkpoints,
  }
}

/** Where numbers may stand: in their place when it is one, else in a copy. */
function aligned(columns: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = columns
  if (buffer instanceof ArrayBuffer && byteOffset % 8 === 0) return new Uint8Array(buffer, byteOffset, byteLength)
  return new Uint8Array(columns)
}

function headOf(json: Buffer): Head | undefined {
  try {
    return headSchema.safeParse(JSON.parse(json.toString('utf8'))).data
  } catch {
    return undefined
  }
}

function isOf(head: Head, { id, encoding, revision, size }: IndexedState): boolean {
  return (
    head.id === id &&
    head.encoding === encoding &&
    head.revision === revision &&
    head.size === size &&
    head.order === order &&
    head.types === typeNames.join(' ') &&
    head.checkpoints.every(({ next }) => next <= head.events)
  )
}

function paddingOf(length: number): number {
  return (8 - (length % 8)) % 8
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array<ArrayBuffer>): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
