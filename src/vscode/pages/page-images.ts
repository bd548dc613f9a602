import * as vscode from 'vscode'
import { messageOf } from '../../session/errors.ts'
import type { ImageAttachment } from '../../session/messages.ts'
import type { Image } from '../../webview/image-messages.ts'
import type { ToConversation } from '../../webview/messages.ts'
import type { Project } from '../conversations/project.ts'
import { findImage, imageFile } from '../images.ts'
import { shownImage } from '../transcript/shown-images.ts'
import type { PlanWindow } from '../window.ts'

/** What a page is told of images. */
type Told = Extract<ToConversation, { kind: 'imageAdded' | 'imageRefused' | 'imageBytes' }>

/** A picture as a page hands it over: `data` is base64. */
interface Added {
  readonly key: string
  readonly name?: string | undefined
  readonly data: string
}

/** The images of a page: into the store, out of it for the eye, and into an editor tab. */
export class PageImages {
  readonly #window: PlanWindow
  readonly #post: (message: Told) => void

  constructor(window: PlanWindow, post: (message: Told) => void) {
    this.#window = window
    this.#post = post
  }

  /** Stores an image and puts it to what it was added to, by `keep`; what is refused is told where it was added. */
  async add(
    project: Project | undefined,
    { key, name, data }: Added,
    keep: (image: ImageAttachment) => void,
  ): Promise<void> {
    if (project === undefined) {
      return this.#post({ kind: 'imageRefused', key, text: 'Open a folder first: images are kept beside its log.' })
    }
    try {
      const stored = await project.attachments.put(Buffer.from(data, 'base64'), name)
      keep(stored)
      const image: Image = shownImage(stored)
      this.#post({ kind: 'imageAdded', key, image })
    } catch (error) {
      this.#post({ kind: 'imageRefused', key, text: messageOf(error) })
    }
  }

  /** Gives the page the bytes of a picture, null when they are missing. */
  async load(attachmentId: string): Promise<void> {
    const found = await findImage(this.#window.projects, attachmentId).catch((error: unknown) => {
      this.#window.report(error)
      return undefined
    })
    const data = found === undefined ? null : Buffer.from(found.bytes).toString('base64')
    this.#post({ kind: 'imageBytes', attachmentId, data })
  }

  /** Opens the picture as VS Code shows pictures. @throws `IMAGE_GONE`. */
  async open(attachmentId: string): Promise<void> {
    const file = await imageFile(this.#window.projects, attachmentId)
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file), { preview: true })
  }
}
