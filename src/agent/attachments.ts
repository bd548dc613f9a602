import type { ImageAttachment } from '../session/messages.ts'

/**
 * Where the bytes of a log's pictures lie. Content-addressed: one id stands for the same bytes for ever, or for none,
 * so that a request is a function of the log and this store.
 */
export interface Attachments {
  /** Undefined when the bytes are missing or damaged; the model is then told so in words. @throws the storage error. */
  read(attachment: ImageAttachment): Promise<Uint8Array | undefined>
}

/** Where a tool puts a picture that it shows the model. */
export interface ImageStore {
  /** Durable when it resolves, so that an event may name it. @throws PlanModeError for what is no picture, or too large. */
  put(bytes: Uint8Array, name?: string): Promise<ImageAttachment>
}

/** The bytes of the pictures of one request, read before it is built. */
export type ImageBytes = (attachment: ImageAttachment) => Uint8Array | undefined
