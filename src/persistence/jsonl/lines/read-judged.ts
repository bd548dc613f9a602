import type { SessionHeader } from '../../../session/header.ts'
import type { StoredLog } from '../../backend.ts'
import type { FileSystem } from '../../file-system.ts'
import { Folding, type Wanted } from '../../reading/folding.ts'
import type { LogEncoding, ReadEnd } from '../encoding.ts'
import { readStable } from '../stable-read.ts'
import { JudgedLines } from './judged-lines.ts'
import { HeldBytes } from './log-text.ts'

/** A log that was read whole and judged on the way; its events are made of the bytes when they are asked for. */
export interface ReadLines {
  readonly log: StoredLog & { readonly judged: JudgedLines }
  readonly bytes: Buffer
  readonly end: ReadEnd
}

export interface ReadingOptions {
  readonly wanted?: Wanted | undefined
  readonly signal?: AbortSignal | undefined
}

/** @throws `CORRUPT` or `FORMAT_UNSUPPORTED` for what cannot be read; what was judged waits to be asked. */
export async function readJudged(
  fs: FileSystem,
  encoding: LogEncoding,
  file: string,
  { wanted, signal }: ReadingOptions = {},
): Promise<ReadLines> {
  const { bytes, revision, settled } = await readStable(fs, file, signal)
  const text = encoding.textOf(new HeldBytes(bytes), file)
  const sinkOf = (header: SessionHeader) =>
    new JudgedLines(file, header.id, text, bytes.length, wanted && new Folding(header, wanted))
  const { header, sink: judged, end } = await encoding.scan(bytes, file, sinkOf, signal)
  const log = {
    file,
    header,
    judged,
    torn: end.end < bytes.length,
    revision,
    settled,
    get events() {
      return [...judged.stored()]
    },
  }
  return { log, bytes, end }
}
