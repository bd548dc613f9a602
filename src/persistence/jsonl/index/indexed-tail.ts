import { dirname, join } from 'node:path'
import type { JsonObject, StoredEvent } from '../../../session/envelope.ts'
import type { SessionHeader } from '../../../session/header.ts'
import type { StoredLog } from '../../backend.ts'
import { corrupt } from '../../corrupt.ts'
import type { HeldFile } from '../../file-system.ts'
import { LineScan, type LineSink } from '../lines/line-scan.ts'
import { expandRow } from '../packed-rows.ts'
import { sizeOf } from './custody.ts'
import { FileBytes } from './file-bytes.ts'
import { columnsAt, decodeHead, GROUP_BYTES, type Head, headLength, PREFIX } from './index-file.ts'
import { INDEX_NAME, type IndexPlace } from './session-index.ts'

/** A group of lines, as its row in the index says. */
interface Group {
  readonly at: number
  readonly skip: number
  readonly seq: number
}

/** The largest head there may be: a few states and the names of the types. */
const LARGEST_HEAD = 4 << 20

/**
 * The events of a log from `fromSeq` on: of the index its head and one way through its groups is read, of the log its
 * first line and the end. Wrong places give no wrong events: the lines must be exactly the events up to the last one.
 * Undefined without an index of exactly this state of the log. @throws `CORRUPT` for lines that are not those.
 */
export async function readIndexedTail(
  { fs, encoding, file }: IndexPlace,
  { id, fromSeq }: { readonly id: string; readonly fromSeq: number },
  readHeader: () => Promise<SessionHeader>,
): Promise<StoredLog | undefined> {
  if (fs.hold === undefined) return undefined
  const { revision } = await fs.stat(file)
  const size = sizeOf(revision)
  const found = holding(fs.hold(join(dirname(file), INDEX_NAME)), index => {
    const head = headIn(index, { id, encoding: encoding.name, revision, size })
    if (head === undefined || head.head.groups === 0) return undefined
    return { head, group: groupOf(index, head, Math.min(fromSeq, head.head.events - 1)) }
  })
  if (found === undefined) return undefined
  const { head, group } = found
  const header = await readHeader()
  using bytes = new FileBytes(file, size, fs.hold(file))
  const tail = new Tail(group.seq)
  const lines = new LineScan(file, tail)
  lines.feed(encoding.textOf(bytes, file).between(group, head.head.end, size))
  lines.insist(true)
  if (tail.length !== head.head.events) corrupt(file, 'its index counts other events than it holds')
  if ((await fs.stat(file)).revision !== revision) return undefined
  return { file, header, events: tail.events.slice(Math.max(0, fromSeq - group.seq)), torn: false, revision }
}

interface FoundHead {
  readonly head: Head
  readonly columns: number
}

function headIn(index: HeldFile, state: Parameters<typeof decodeHead>[2]): FoundHead | undefined {
  const prefix = index.read(PREFIX, 0)
  const length = headLength(prefix)
  if (length === undefined || length > LARGEST_HEAD) return undefined
  const head = decodeHead(prefix, index.read(length, PREFIX), state)
  return head && { head, columns: columnsAt(length) }
}

/** The last group that begins at this seq or before it. */
function groupOf(index: HeldFile, { head, columns }: FoundHead, seq: number): Group {
  const groupAt = (k: number): Group => {
    const bytes = index.read(GROUP_BYTES, columns + k * GROUP_BYTES)
    const [at = 0, skip = 0, , first = 0] = new Float64Array(new Uint8Array(bytes).buffer)
    return { at, skip, seq: first }
  }
  let low = 0
  for (let high = head.groups - 1; low < high; ) {
    const middle = (low + high + 1) >> 1
    if (groupAt(middle).seq <= seq) low = middle
    else high = middle - 1
  }
  return groupAt(low)
}

function holding<T>(held: HeldFile, act: (held: HeldFile) => T): T {
  try {
    return act(held)
  } finally {
    held.close()
  }
}

/** Events from a seq on. */
class Tail implements LineSink {
  readonly events: StoredEvent[] = []
  readonly #from: number

  constructor(from: number) {
    this.#from = from
  }

  get length(): number {
    return this.#from + this.events.length
  }

  group(): void {}

  event(event: StoredEvent): void {
    this.events.push(event)
  }

  row(row: JsonObject): void {
    for (const member of expandRow(row) ?? []) this.events.push(member)
  }
}
