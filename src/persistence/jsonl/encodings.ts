import type { Encoding, LogEncoding } from './encoding.ts'
import { rawEncoding } from './raw-encoding.ts'
import { zstdEncoding } from './zstd-encoding.ts'

/** Every encoding there is, by its name in the settings. */
export const encodings: Readonly<Record<Encoding, LogEncoding>> = { none: rawEncoding, zstd: zstdEncoding }

/** The encoding whose logs have this file name. */
export function encodingOfFile(name: string): LogEncoding | undefined {
  return Object.values(encodings).find(encoding => encoding.logName === name)
}
