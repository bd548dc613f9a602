import * as z from 'zod'

/** What crosses between the extension host and both pages about images. */
const text = z.string()
const id = z.string().min(1)

/** What one image and one message with images may be: bytes of a file, images of a message. */
export const imageLimits = { bytes: 5 * 1024 * 1024, count: 8 } as const

/** A picture that is stored; `attachmentId` is the SHA-256 (hex) of its bytes. Sizes in bytes and pixels. */
export const image = z.strictObject({
  attachmentId: id,
  mediaType: z.enum(['image/png', 'image/jpeg', 'image/webp', 'image/gif']),
  bytes: z.int().nonnegative(),
  width: z.int().nonnegative(),
  height: z.int().nonnegative(),
  name: text.optional(),
})
export type Image = z.infer<typeof image>
export const images = z.array(image)
/** Bytes as base64; a page's are bounded here and judged by the store. */
const base64 = z.string().max(Math.ceil(imageLimits.bytes / 3) * 4)
const imageKey = z.string().min(1).max(64)

/** What the host says of images, to both pages: what became of one that was added, and the bytes of one. */
export const toImages = [
  z.strictObject({ kind: z.literal('imageAdded'), key: imageKey, image }),
  z.strictObject({ kind: z.literal('imageRefused'), key: imageKey, text }),
  /** The bytes for `loadImage`; null when they are not stored any more. */
  z.strictObject({ kind: z.literal('imageBytes'), attachmentId: id, data: z.string().nullable() }),
] as const
/** A picture that a page hands over to be stored at once. */
export const addedImage = { key: imageKey, name: z.string().max(1000).optional(), data: base64 }
export const fromImages = [
  /** Asks for the bytes of a picture that is shown. */
  z.strictObject({ kind: z.literal('loadImage'), attachmentId: id }),
  /** Opens a picture in an editor tab. */
  z.strictObject({ kind: z.literal('openImage'), attachmentId: id }),
] as const
