// Pictures for tests, made byte by byte: real PNGs, and the heads of the other kinds.
import { crc32, deflateSync } from 'node:zlib'

/** A whole PNG of one colour, which any program shows. */
export function png(
  width: number,
  height: number,
  colour: readonly [number, number, number] = [30, 120, 200],
): Uint8Array {
  const pixel = Buffer.from(colour)
  // Each line begins with its filter: none.
  const line = Buffer.concat([Buffer.from([0]), ...Array.from({ length: width }, () => pixel)])
  const size = Buffer.alloc(13)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  size.set([8, 2, 0, 0, 0], 8)
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)))
  return Uint8Array.from(
    Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      chunk('IHDR', size),
      chunk('IDAT', pixels),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  )
}

/** A PNG that says it has this size, without the pixels. */
export function pngOfSize(width: number, height: number): Uint8Array {
  const bytes = png(1, 1)
  const view = new DataView(bytes.buffer)
  view.setUint32(16, width)
  view.setUint32(20, height)
  return bytes
}

export function gif(width: number, height: number): Uint8Array {
  const bytes = Buffer.from('GIF89a\0\0\0\0\0\0\0;', 'latin1')
  bytes.writeUInt16LE(width, 6)
  bytes.writeUInt16LE(height, 8)
  return Uint8Array.from(bytes)
}

/** A comment segment and a fill byte before the frame, as cameras and editors write them. */
export function jpeg(width: number, height: number, frame = 0xc2): Uint8Array {
  const head = [0xff, 0xd8, 0xff, 0xfe, 0, 6, 1, 2, 3, 4, 0xff, 0xff, frame, 0, 11, 8]
  return Uint8Array.from([...head, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0, 0xff, 0xd9])
}

export function webp(kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Uint8Array {
  const bytes = Buffer.alloc(30)
  bytes.write(`RIFF\0\0\0\0WEBP${kind}`, 'latin1')
  if (kind === 'VP8 ') {
    bytes.set([0x9d, 0x01, 0x2a], 23)
    bytes.writeUInt16LE(width, 26)
    bytes.writeUInt16LE(height, 28)
  } else if (kind === 'VP8L') {
    bytes[20] = 0x2f
    bytes.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21)
  } else {
    bytes.writeUIntLE(width - 1, 24, 3)
    bytes.writeUIntLE(height - 1, 27, 3)
  }
  return Uint8Array.from(bytes)
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const head = Buffer.alloc(4)
  head.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([head, body, sum])
}
