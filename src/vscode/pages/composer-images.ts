import * as vscode from 'vscode'
import { messageOf } from '../../session/errors.ts'
import type { FromConversation, ToConversation } from '../../webview/messages.ts'
import { findImage, imageFile } from '../images.ts'
import type { PlanWindow } from '../window.ts'
import { composerPlace } from './typed-for.ts'

type Of<Kind extends FromConversation['kind']> = Extract<FromConversation, { kind: Kind }>

/** The images of the conversation page: into the store, out of it for the eye, and into an editor tab. */
export class ComposerImages {
  readonly #window: PlanWindow
  readonly #post: (message: ToConversation) => void

  constructor(window: PlanWindow, post: (message: ToConversation) => void) {
    this.#window = window
    this.#post = post
  }

  /** Stores an image and puts it to the draft it was added to; what is refused is told beside the composer. */
  async add({ sessionId, key, name, data }: Of<'addImage'>): Promise<void> {
    const { conversations, drafts, projects } = this.#window
    const project = conversations.find(sessionId ?? '')?.project ?? conversations.shown?.project ?? projects[0]
    if (project === undefined) {
      return this.#post({ kind: 'imageRefused', key, text: 'Open a folder first: images are kept beside its log.' })
    }
    try {
      const image = await project.attachments.put(Buffer.from(data, 'base64'), name)
      drafts.addImage(composerPlace(sessionId), image)
      this.#post({ kind: 'imageAdded', key, image })
    } catch (error) {
      this.#post({ kind: 'imageRefused', key, text: messageOf(error) })
    }
  }

  /** Gives the page the bytes of a picture, null when they are missing. */
  async load({ attachmentId }: Of<'loadImage'>): Promise<void> {
    const found = await findImage(this.#window.projects, attachmentId).catch((error: unknown) => {
      this.#window.report(error)
      return undefined
    })
    const data = found === undefined ? null : Buffer.from(found.bytes).toString('base64')
    this.#post({ kind: 'imageBytes', attachmentId, data })
  }

  /** Opens the picture as VS Code shows pictures. @throws `IMAGE_GONE`. */
  async open({ attachmentId }: Of<'openImage'>): Promise<void> {
    const file = await imageFile(this.#window.projects, attachmentId)
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file), { preview: true })
  }
}
