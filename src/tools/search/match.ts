/** What a search looks for. `glob` is checked already; a leading `!` leaves out what it matches. */
export interface SearchQuery {
  readonly pattern: string
  readonly literal: boolean
  readonly ignoreCase: boolean
  readonly glob?: string
}

/** One matching line. `line` counts from 1; `start` is where the first match begins, in UTF-16 units of `text`. */
export interface Match {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly start: number
}

/** Matches of one file kept at most; a result never shows more. */
export const maxMatchesPerFile = 500

/** Bytes; larger files are not searched. */
export const maxSearchedBytes = 2 * 1024 * 1024
