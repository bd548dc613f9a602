import { type Block, newUserMessage, type UserMessage } from '../session/messages.ts'
import type { Remark } from '../session/reviews.ts'
import { imagesOfRemark, PLUGIN, REMARK_IMAGES } from './words.ts'

/** A message of the review to the model: its words, then the pictures of the remarks, each after its remark's id. */
export function relay(text: string, reviewId: string, remarks: readonly Remark[] = []): UserMessage {
  return withPictures(newUserMessage(text, { kind: 'plugin', plugin: PLUGIN, form: 'relay', reviewId }), remarks)
}

/**
 * The pictures of remarks whose words the model reads in the result of a call, which holds text alone; undefined when
 * there are none.
 */
export function pictureMessage(reviewId: string, remarks: readonly Remark[] = []): UserMessage | undefined {
  if (remarks.every(({ images = [] }) => images.length === 0)) return undefined
  return withPictures(
    newUserMessage(REMARK_IMAGES, { kind: 'plugin', plugin: PLUGIN, form: 'images', reviewId }),
    remarks,
  )
}

/** A message with the pictures of remarks behind what it says. */
export function withPictures(message: UserMessage, remarks: readonly Remark[]): UserMessage {
  const pictures = remarks.flatMap(({ id, images = [] }): Block[] =>
    images.length === 0
      ? []
      : [
          { type: 'text', text: imagesOfRemark(id, images.length) },
          ...images.map((attachment): Block => ({ type: 'image', attachment })),
        ],
  )
  return { ...message, content: [...message.content, ...pictures] }
}
