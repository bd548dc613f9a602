import type { ImageAttachment } from './messages.ts'

/** What the bytes of a picture say of it; sizes in pixels, as stored (a JPEG's orientation is not applied). */
export type ImageFacts = Pick<ImageAttachment, 'mediaType' | 'width' | 'height'>

/** The kind and size of a picture by its bytes alone, never by a name; undefined for anything that is no such picture. */
export function imageFacts(bytes: Uint8Array): ImageFacts | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const facts = png(view) ?? jpeg(view) ?? gif(view) ?? webp(view)
    return facts !== undefined && facts.width > 0 && facts.height > 0 ? facts : undefined
  } catch (error) {
    // It ends before its size is told.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Signature, then IHDR as the first chunk (PNG, third edition, 5.2 and 11.2.1). */
function png(view: DataView): ImageFacts | undefined {
  if (!is(view, 0, '\x89PNG\r\n\x1a\n') || !is(view, 12, 'IHDR')) return undefined
  return { mediaType: 'image/png', width: view.getUint32(16), height: view.getUint32(20) }
}

/** Signature, then the logical screen (GIF89a, 17 and 18). */
function gif(view: DataView): ImageFacts | undefined {
  if (!is(view, 0, 'GIF87a') && !is(view, 0, 'GIF89a')) return undefined
  return { mediaType: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) }
}

/** Segments from the start of the image to its frame header (ITU-T T.81, annex B). */
function jpeg(view: DataView): ImageFacts | undefined {
  if (!is(view, 0, '\xff\xd8\xff')) return undefined
  for (let at = 2; at < view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) at += 1
    else if (isFrame(marker)) {
      return { mediaType: 'image/jpeg', height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    } else if (isBare(marker)) at += 2
    else if (marker === 0xd9 || marker === 0xda) return undefined
    else at += 2 + Math.max(2, view.getUint16(at + 2))
  }
  return undefined
}

/** SOF0 to SOF15 without DHT, JPG and DAC. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

/** Markers without a length: TEM, and the restarts. */
function isBare(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)
}

/** RIFF, then a lossy, lossless or extended header (RFC 9649, 2.5 to 2.7). */
function webp(view: DataView): ImageFacts | undefined {
  if (!is(view, 0, 'RIFF') || !is(view, 8, 'WEBP')) return undefined
  const mediaType = 'image/webp'
  if (is(view, 12, 'VP8X')) return { mediaType, width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 }
  if (is(view, 12, 'VP8L') && view.getUint8(20) === 0x2f) {
    const size = view.getUint32(21, true)
    return { mediaType, width: (size & 0x3fff) + 1, height: ((size >>> 14) & 0x3fff) + 1 }
  }
  if (!is(view, 12, 'VP8 ') || !is(view, 23, '\x9d\x01\x2a')) return undefined
  return { mediaType, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
}

/** Whether these bytes (Latin-1) stand there; false where the file is shorter. */
function is(view: DataView, at: number, text: string): boolean {
  if (view.byteLength < at + text.length) return false
  for (let index = 0; index < text.length; index++) {
    if (view.getUint8(at + index) !== text.charCodeAt(index)) return false
  }
  return true
}
