import { join } from 'node:path'
import { type FileSystem, nodeFileSystem } from '../file-system.ts'
import type { Encoding } from './encoding.ts'
import { encodingOfFile } from './encodings.ts'
import { entriesIn, foldersIn } from './find-log.ts'

/** That many logs tell for all: one root holds one encoding, but for what was put there by hand. */
const TELLING = 100

/** The encoding that a root's logs have already, most of them; undefined for a root without logs. @throws `STORAGE`. */
export async function rootEncoding(root: string, fs: FileSystem = nodeFileSystem): Promise<Encoding | undefined> {
  let raw = 0
  let compressed = 0
  for (const project of await foldersIn(fs, root)) {
    for (const session of await foldersIn(fs, join(root, project))) {
      if (raw + compressed === TELLING) break
      for (const { name } of await entriesIn(fs, join(root, project, session))) {
        const encoding = encodingOfFile(name)?.name
        if (encoding === 'none') raw++
        else if (encoding === 'zstd') compressed++
      }
    }
  }
  if (raw + compressed === 0) return undefined
  return compressed > raw ? 'zstd' : 'none'
}
