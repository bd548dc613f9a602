import zlib from 'node:zlib'

/** Frames as the writers make them, and frames made by hand for what no writer makes. */
export interface FrameOptions {
  readonly checksum?: boolean
  readonly level?: number
  /** Written into the frame's header. */
  readonly contentSize?: boolean
}

export function frame(text: string | Uint8Array, { checksum = true, level, contentSize = false }: FrameOptions = {}) {
  const bytes = Buffer.from(text)
  return zlib.zstdCompressSync(bytes, {
    params: {
      [zlib.constants.ZSTD_c_checksumFlag]: checksum ? 1 : 0,
      ...(level === undefined ? {} : { [zlib.constants.ZSTD_c_compressionLevel]: level }),
    },
    ...(contentSize ? { pledgedSrcSize: bytes.length } : {}),
  })
}

const CHECKSUM_BYTES = 4

/** A frame whose end was never written: all of its text can still be had. */
export function unfinished(text: string | Uint8Array): Buffer {
  return frame(text).subarray(0, -CHECKSUM_BYTES)
}

interface Block {
  readonly type: 0 | 1 | 2 | 3
  readonly size: number
  readonly content: Uint8Array
}

/** Blocks in a frame with a window of 8 MiB and no checksum. */
export function frameOf(blocks: readonly Block[]): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 13 << 3])
  const parts = blocks.map(({ type, size, content }, k) => {
    const header = Buffer.alloc(3)
    header.writeUIntLE((k === blocks.length - 1 ? 1 : 0) | (type << 1) | (size << 3), 0, 3)
    return Buffer.concat([header, content])
  })
  return Buffer.concat([head, ...parts])
}

/** Text in one block that is stored as it is. */
export function storedFrame(text: string): Buffer {
  const content = Buffer.from(text)
  return frameOf([{ type: 0, size: content.length, content }])
}

/** One byte over and over, 128 KiB for each four bytes of the frame. */
export function bomb(byte: number, blocks: number): Buffer {
  const block = { type: 1, size: 128 * 1024, content: Uint8Array.of(byte) } as const
  return frameOf(Array.from({ length: blocks }, () => block))
}

/** A raw log as a compressed one: the header alone, then a frame for each few lines, all of them whole. */
export function compressed(raw: Buffer, linesPerFrame = 3): Buffer {
  const [header, ...lines] = linesOf(raw)
  if (header === undefined) return Buffer.alloc(0)
  const frames = [frame(header)]
  for (let at = 0; at < lines.length; at += linesPerFrame) {
    frames.push(frame(Buffer.concat(lines.slice(at, at + linesPerFrame))))
  }
  return Buffer.concat(frames)
}

/** The same with every line behind the header in one frame that was never finished. */
export function compressedUnfinished(raw: Buffer): Buffer {
  const [header, ...lines] = linesOf(raw)
  if (header === undefined) return Buffer.alloc(0)
  return Buffer.concat([frame(header), lines.length === 0 ? Buffer.alloc(0) : unfinished(Buffer.concat(lines))])
}

function linesOf(raw: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let at = 0; at < raw.length; ) {
    const end = raw.indexOf(10, at) + 1 || raw.length
    lines.push(raw.subarray(at, end))
    at = end
  }
  return lines
}
