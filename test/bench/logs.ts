// The logs that are measured: written once into the user's cache, the same for every contender.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import zlib from 'node:zlib'
import { encodeLines } from '../../src/persistence/jsonl/packed-rows.ts'
import { logPath } from '../../src/persistence/jsonl/paths.ts'
import type { SessionEvent } from '../../src/session/events.ts'
import { newHeader, type SessionHeader } from '../../src/session/header.ts'
import { type Store, schemaDigest } from './store.ts'
import { batches, events } from './workload.ts'

/** Grows when what is generated changes. */
const GENERATION = 1
export const CWD = '/home/dev/demo'
export const ID = 'bench'

export interface LogShape {
  readonly events: number
  readonly store: Store
  readonly packed: boolean
}

export interface BenchLog extends LogShape {
  /** A root of its own, in which this is the only session. */
  readonly root: string
  readonly file: string
}

export function benchFolder(): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  return join(cache, 'plan-mode', 'bench', `v${GENERATION}`)
}

export function fileIn(root: string, id: string, store: Store): string {
  if (store === 'sqlite') return join(root, 'sessions.db')
  return join(root, logPath(id, CWD, store === 'zstd' ? 'session.jsonl.zstd' : 'session.jsonl'))
}

/** The log of this shape, from the cache or made now. */
export async function logOf(shape: LogShape): Promise<BenchLog> {
  const kind = shape.store === 'sqlite' ? await schemaDigest() : shape.packed ? 'packed' : 'plain'
  const root = join(benchFolder(), `${shape.events}-${shape.store}-${kind}`)
  const file = fileIn(root, ID, shape.store)
  if (await exists(root)) return { ...shape, root, file }
  const temporary = `${root}.${process.pid}.tmp`
  if (shape.store === 'sqlite') await (await import('./database.ts')).fillDatabase(temporary, shape)
  else await writeFrom(pieces(shape), fileIn(temporary, ID, shape.store))
  await rename(temporary, root)
  return { ...shape, root, file }
}

/** A root of small sessions; their events are no JSON, so that nobody reads them for a listing unnoticed. */
export async function listedRoot(sessions: number, store: Exclude<Store, 'sqlite'>): Promise<string> {
  const root = join(benchFolder(), `list-${sessions}-${store}`)
  const done = join(benchFolder(), `list-${sessions}-${store}.done`)
  if (await exists(done)) return root
  await rm(root, { recursive: true, force: true })
  for (let k = 0; k < sessions; k++) {
    const id = `session-${k}`
    const file = fileIn(root, id, store)
    await mkdir(dirname(file), { recursive: true })
    const body = Buffer.from('not an event\n'.repeat(300))
    await writeFile(file, Buffer.concat([headerPiece(id), body].map(piece => encoded(piece, store))))
  }
  await writeFile(done, '')
  return root
}

/** One batch as it lies in a file. */
export function batchText(batch: readonly SessionEvent[], packed: boolean): Buffer {
  const lines = packed ? encodeLines(batch) : batch.map(event => JSON.stringify(event))
  return Buffer.from(`${lines.join('\n')}\n`)
}

export function benchHeader(id: string): SessionHeader {
  return newHeader({ id, cwd: CWD, createdAt: 1_760_000_000_000 }, () => 0)
}

export function headerPiece(id: string): Buffer {
  return Buffer.from(`${JSON.stringify(benchHeader(id))}\n`)
}

function* pieces({ events: count, store, packed }: LogShape): Generator<Buffer, void> {
  yield encoded(headerPiece(ID), store)
  for (const batch of batches(events(count))) yield encoded(batchText(batch, packed), store)
}

function encoded(text: Buffer, store: Store): Buffer {
  if (store !== 'zstd') return text
  return zlib.zstdCompressSync(text, { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } })
}

async function writeFrom(content: Iterable<Buffer>, file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const stream = createWriteStream(file)
  for (const piece of content) if (!stream.write(piece)) await once(stream, 'drain')
  stream.end()
  await finished(stream)
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
