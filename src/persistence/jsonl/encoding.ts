import type { StoredEvent } from '../../session/envelope.ts'
import type { SessionHeader } from '../../session/header.ts'

/** How logs lie on disk; the words of the setting `planMode.log.compression`. */
export type Encoding = 'none' | 'zstd'

/** Between the text of a log (a header line, then lines of events) and the bytes of its file. */
export interface LogEncoding {
  readonly name: Encoding
  /** Base name of each log's file. */
  readonly logName: string

  /** The bytes that are appended at once for each piece of text, one behind the other. */
  encode(pieces: readonly Uint8Array[]): Promise<Uint8Array>

  /** A whole file. @throws `CORRUPT` or `FORMAT_UNSUPPORTED` naming `file` and the line or frame. */
  decode(bytes: Buffer, file: string, signal?: AbortSignal): Promise<DecodedLog>

  /** The header line, from the first bytes of a file; undefined when it needs more of them. @throws `CORRUPT`. */
  headerLine(bytes: Buffer, file: string): string | undefined

  /** The text as it was written, not judged. A frame that was never finished is left out. @throws `CORRUPT`. */
  text(bytes: Buffer, file: string, signal?: AbortSignal): Promise<string>
}

export interface DecodedLog {
  readonly header: SessionHeader
  readonly events: StoredEvent[]
  /** Bytes of the file that hold; anything behind them is a torn tail. */
  readonly end: number
  /** Whole lines that were found in the torn tail. Their events are in `events`; they are to be written again. */
  readonly salvaged?: Uint8Array
}

/** No header comes near this; a longer first line is no log of ours. */
export const LONGEST_HEADER = 1 << 20
