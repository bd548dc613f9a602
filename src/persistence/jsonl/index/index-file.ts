import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { Surface } from '../../../session/surface.ts'
import type { KnownLines } from '../lines/judged-lines.ts'
import { LineMap, typeNames } from '../lines/line-map.ts'

/**
 * The content of an index file: a head of JSON behind a checksum, then the columns of the line map and the nodes of the
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
const PREFIX = 16
const count = z.int().nonnegative()

/** Grows when the form changes, or what is judged of an event before it is indexed. */
const INDEX_VERSION = 1

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
  checkpoints: z.array(z.strictObject({ key: z.string(), version: z.number(), next: count, state: z.json() })),
})
type Head = z.infer<typeof headSchema>

const order = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 'little' : 'big'

export function encodeIndex(state: IndexedState, { map, surface, turnOpen, checkpoints }: KnownLines): Buffer {
  const { types, counts, groups, length, end } = map.columns()
  const nodes = Float64Array.from(surface)
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
    checkpoints: checkpoints.filter(({ next }) => next <= length),
  }
  const json = Buffer.from(JSON.stringify(head))
  const prefix = Buffer.alloc(PREFIX)
  MAGIC.copy(prefix)
  const body = [json, Buffer.alloc(paddingOf(json.length)), bytesOf(groups), bytesOf(nodes), types, counts]
  const bytes = Buffer.concat([prefix, ...body])
  bytes.writeUInt32LE(json.length, 8)
  bytes.writeUInt32LE(crc32(bytes.subarray(PREFIX), json.length), 12)
  return bytes
}

/** What is known of this state of the log; undefined unless the bytes are an index of exactly it. */
export function decodeIndex(bytes: Buffer, state: IndexedState): KnownLines | undefined {
  if (bytes.length < PREFIX || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined
  const jsonLength = bytes.readUInt32LE(8)
  if (crc32(bytes.subarray(PREFIX), jsonLength) !== bytes.readUInt32LE(12)) return undefined
  const head = headOf(bytes.subarray(PREFIX, PREFIX + jsonLength))
  if (head === undefined || !isOf(head, state)) return undefined
  const columnsAt = PREFIX + jsonLength + paddingOf(jsonLength)
  const { lines, groups, nodes, end, events, turnOpen, checkpoints } = head
  if (bytes.length !== columnsAt + groups * 32 + nodes * 8 + lines * 2) return undefined
  // A copy of its own, where numbers may stand.
  const own = new Uint8Array(bytes.length - columnsAt)
  own.set(bytes.subarray(columnsAt))
  const { buffer } = own
  const nodesAt = groups * 32
  const typesAt = nodesAt + nodes * 8
  const map = LineMap.of({
    groups: new Float64Array(buffer, 0, groups * 4),
    types: new Uint8Array(buffer, typesAt, lines),
    counts: new Uint8Array(buffer, typesAt + lines, lines),
    length: events,
    end,
    limit: state.size,
  })
  const surface = new Surface(Array.from(new Float64Array(buffer, nodesAt, nodes)))
  return { map, surface, turnOpen, checkpoints }
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
