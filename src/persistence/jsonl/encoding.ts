import type { StoredEvent } from '../../session/envelope.ts'
import type { SessionHeader } from '../../session/header.ts'
import { decodeHeader } from '../decode-header.ts'
import { EventList } from './lines/event-list.ts'
import type { LineSink } from './lines/line-scan.ts'
import type { LogBytes, LogText } from './lines/log-text.ts'

/** How logs lie on disk; the words of the setting `planMode.log.compression`. */
export type Encoding = 'none' | 'zstd'

/** Between the text of a log (a header line, then lines of events) and the bytes of its file. */
export interface LogEncoding {
  readonly name: Encoding
  /** Base name of each log's file. */
  readonly logName: string

  /** The bytes that are appended at once for each piece of text, one behind the other. */
  encode(pieces: readonly Uint8Array[]): Promise<Uint8Array>

  /** As `encode` of the one piece that a later append adds; a small one is ready when this returns. */
  encodeBatch(text: Uint8Array): Uint8Array | Promise<Uint8Array>

  /** A whole file. @throws `CORRUPT` or `FORMAT_UNSUPPORTED` naming `file` and the line or frame. */
  decode(bytes: Buffer, file: string, signal?: AbortSignal): Promise<DecodedLog>

  /** As `decode`, but hands the lines on to what `sinkOf` makes for the header. */
  scan<S extends LineSink>(bytes: Buffer, file: string, sinkOf: SinkOf<S>, signal?: AbortSignal): Promise<ScannedLog<S>>

  /** Hands on the lines of a part that begins with one. @throws `CORRUPT`. */
  scanOn(part: FilePart, file: string, sink: LineSink): Promise<ReadEnd>

  /** The log's text by places. */
  textOf(bytes: LogBytes, file: string): LogText

  /** The header line, from the first bytes of a file; undefined when it needs more of them. @throws `CORRUPT`. */
  headerLine(bytes: Buffer, file: string): string | undefined

  /** The text as it was written, not judged. A frame that was never finished is left out. @throws `CORRUPT`. */
  text(bytes: Buffer, file: string, signal?: AbortSignal): Promise<string>
}

export type SinkOf<S extends LineSink> = (header: SessionHeader) => S

/** What lies in `bytes` from `from` on; `bytes` begin at `base` in the file. */
export interface FilePart {
  readonly bytes: Buffer
  readonly from: number
  readonly base: number
}

/** Where a log ends that was read. */
export interface ReadEnd {
  /** Bytes of the file that hold; anything behind them is a torn tail. */
  readonly end: number
  /** Whole lines that were found in the torn tail. Their events are in `events`; they are to be written again. */
  readonly salvaged?: Uint8Array
}

export interface DecodedLog extends ReadEnd {
  readonly header: SessionHeader
  readonly events: StoredEvent[]
}

export interface ScannedLog<S extends LineSink> {
  readonly header: SessionHeader
  readonly sink: S
  readonly end: ReadEnd
}

/** The header line of a log, and where its events begin in the file. */
export interface HeaderPart {
  readonly line: string
  readonly end: number
}

/** How a log is read whole, of what its encoding knows: where the header ends, and how the lines behind it lie. */
export function readingWith(
  headerOf: (bytes: Buffer, file: string) => HeaderPart,
  scanOn: (part: FilePart, file: string, sink: LineSink, signal?: AbortSignal) => Promise<ReadEnd>,
): Pick<LogEncoding, 'decode' | 'scan' | 'scanOn'> {
  const scan: LogEncoding['scan'] = async (bytes, file, sinkOf, signal) => {
    const { line, end: from } = headerOf(bytes, file)
    const header = decodeHeader(line, file)
    const sink = sinkOf(header)
    const end = await scanOn({ bytes, from, base: 0 }, file, sink, signal)
    return { header, sink, end }
  }
  const decode: LogEncoding['decode'] = async (bytes, file, signal) => {
    const { header, sink, end } = await scan(bytes, file, () => new EventList(), signal)
    return { header, events: sink.events, ...end }
  }
  return { decode, scan, scanOn }
}

/** No header comes near this; a longer first line is no log of ours. */
export const LONGEST_HEADER = 1 << 20
