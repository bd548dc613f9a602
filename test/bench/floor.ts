// The floor: reads the file, decompresses it, parses each line; appends by open, one write, sync, close.
import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { walkFrames } from '../../src/persistence/jsonl/frames.ts'
import { type Contender, nothing } from './contender.ts'
import { batchText, fileIn, headerPiece, ID } from './logs.ts'

const LF = 10
const compress = promisify(zlib.zstdCompress)
const checksummed = { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } }

export const floor: Contender = {
  open: async ({ file, store }) => ({
    run: async () => {
      const bytes = await readFile(file)
      return store === 'none' ? parseLines(bytes) : parseFrames(bytes, file)
    },
    end: nothing,
  }),

  list: async (root, store) => ({
    run: async () => {
      let sessions = 0
      for (const project of await readdir(root)) {
        for (const session of await readdir(join(root, project))) {
          const name = store === 'none' ? 'session.jsonl' : 'session.jsonl.zstd'
          const bytes = await readFile(join(root, project, session, name))
          if (store === 'none') JSON.parse(bytes.toString('utf8', 0, bytes.indexOf(LF)))
          else parseLines(decompress(bytes.subarray(0, walkFrames(bytes, 0, name, 1).ends[0])))
          sessions++
        }
      }
      return sessions
    },
    end: nothing,
  }),

  append: async (root, store, batches) => {
    const file = fileIn(root, ID, store)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, headerPiece(ID))
    const texts = batches.map(batch => batchText(batch, true))
    return {
      run: async () => {
        const text = texts.shift()
        if (text === undefined) return 0
        const bytes = store === 'none' ? text : await compress(text, checksummed)
        const handle = await open(file, 'a')
        await handle.write(bytes)
        await handle.sync()
        await handle.close()
        return bytes.length
      },
      end: nothing,
    }
  },
}

/** Each line is thrown away as soon as it is parsed. */
function parseLines(text: Buffer): number {
  let lines = 0
  let start = 0
  for (let stop = text.indexOf(LF); stop >= 0; stop = text.indexOf(LF, start)) {
    JSON.parse(text.toString('utf8', start, stop))
    start = stop + 1
    lines++
  }
  return lines
}

function parseFrames(bytes: Buffer, file: string): number {
  let lines = 0
  let start = 0
  for (const end of walkFrames(bytes, 0, file, 1).ends) {
    lines += parseLines(decompress(bytes.subarray(start, end)))
    start = end
  }
  return lines
}

function decompress(frame: Buffer): Buffer {
  return zlib.zstdDecompressSync(frame)
}
