import { type ImageAttachment, imagesOf, type UserMessage } from '../../session/messages.ts'
import type { Image } from '../../webview/image-messages.ts'

/** The pictures of a message as a page shows them; no key for a message of words only. */
export function shownImages(message: UserMessage): { images?: Image[] } {
  const images = imagesOf(message).map(shownImage)
  return images.length === 0 ? {} : { images }
}

export function shownImage({ attachmentId, mediaType, bytes, width, height, name }: ImageAttachment): Image {
  return { attachmentId, mediaType, bytes, width, height, ...(name === undefined ? {} : { name }) }
}
