import { PlanModeError } from '../session/errors.ts'
import type { ImageAttachment, ImageBlock } from '../session/messages.ts'
import type { Project } from './conversations/project.ts'

/** Pictures of a window's conversations, by the hash of their bytes: whichever folder's store holds them is right. */
export type ImageRef = Pick<ImageAttachment, 'attachmentId' | 'name'>

/**
 * A stored picture as a block of a message of this project's logs, judged anew by its bytes: what a page says of it is
 * not believed. It is kept under the project's own root, whichever root it was put into before.
 * @throws PlanModeError `IMAGE_GONE`, and what the store says.
 */
export async function attach(project: Project, others: readonly Project[], image: ImageRef): Promise<ImageBlock> {
  const { attachmentId, name } = image
  const found = await findImage([project, ...others], attachmentId)
  if (found !== undefined) return { type: 'image', attachment: await project.attachments.put(found.bytes, name) }
  throw new PlanModeError(
    'IMAGE_GONE',
    `The image ${name ?? attachmentId.slice(0, 12)} is not stored any more. Remove it and add it again.`,
  )
}

/** The bytes of a picture and their file; undefined when no folder of the window has them. @throws what a store says. */
export async function findImage(
  projects: readonly Project[],
  attachmentId: string,
): Promise<{ readonly bytes: Uint8Array; readonly file: string } | undefined> {
  for (const { attachments } of projects) {
    const found = await attachments.find(attachmentId)
    if (found !== undefined) return found
  }
  return undefined
}

/** The file of a picture, to be opened: one that the store wrote and whose bytes are whole. @throws `IMAGE_GONE`. */
export async function imageFile(projects: readonly Project[], attachmentId: string): Promise<string> {
  const found = await findImage(projects, attachmentId)
  if (found !== undefined) return found.file
  throw new PlanModeError('IMAGE_GONE', 'The bytes of this image are not stored any more.')
}
