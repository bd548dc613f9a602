import { assertNever, PlanModeError } from '../../session/errors.ts'
import type { ImageAttachment } from '../../session/messages.ts'
import { imageLimits } from '../../webview/image-messages.ts'
import type { FromReview } from '../../webview/review-messages.ts'
import type { Conversation } from '../conversations/conversation.ts'

type Of<Kind extends FromReview['kind']> = Extract<FromReview, { kind: Kind }>

/** What a person does with a remark as a whole. Settling one resolves once it is durable. */
export async function turnRemark(
  conversation: Pick<Conversation, 'review' | 'flush'>,
  { id, to }: Of<'turnRemark'>,
): Promise<void> {
  const { review } = conversation
  if (to === 'removed') return review.remove(id)
  if (to === 'again') return review.sendAgain(id)
  review.settle(id, to)
  await conversation.flush()
}

/** What a person does with a question to an explorer. @throws as `Asks.ask` */
export async function turnAsk({ asks, review }: Pick<Conversation, 'asks' | 'review'>, { id, to }: Of<'turnAsk'>) {
  switch (to) {
    case 'asked':
      asks.ask(id)
      break
    case 'stopped':
      asks.stop(id)
      break
    case 'attached':
    case 'detached':
      asks.attach(id, to === 'attached')
      break
    case 'dropped':
      asks.drop(id)
      break
    default:
      assertNever(to)
  }
  await review.flush()
}

/** Puts a stored picture to a remark that is not sent. @throws PlanModeError `TOO_MANY_IMAGES` */
export function addImage({ review }: Pick<Conversation, 'review'>, id: string, image: ImageAttachment): void {
  const images = imagesOf(review, id)
  if (images.some(({ attachmentId }) => attachmentId === image.attachmentId)) return
  if (images.length >= imageLimits.count) {
    throw new PlanModeError('TOO_MANY_IMAGES', `At most ${imageLimits.count} images go along with a remark.`)
  }
  review.edit(id, { images: [...images, image] })
}

export function removeImage({ review }: Pick<Conversation, 'review'>, { id, attachmentId }: Of<'removeImage'>): void {
  review.edit(id, { images: imagesOf(review, id).filter(each => each.attachmentId !== attachmentId) })
}

function imagesOf(review: Conversation['review'], id: string): readonly ImageAttachment[] {
  return review.draft.remarks.find(({ remark }) => remark.id === id)?.remark.images ?? []
}
