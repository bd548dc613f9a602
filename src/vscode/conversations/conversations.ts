import { Signal } from '../signal.ts'
import type { Conversation } from './conversation.ts'
import type { Project } from './project.ts'

/** Where the window remembers which conversation it showed last (a Memento, in VS Code). */
export interface Remembered {
  get(key: string): unknown
  update(key: string, value: unknown): PromiseLike<void>
}

const SHOWN = 'planMode.shown'

/**
 * The conversations of this window. One is shown; status bar, commands and views follow it. The others stay open while
 * their turns run on.
 */
export class Conversations {
  /** Fired when another conversation is shown, or the shown one changed. */
  readonly changed = new Signal()
  /** Fired when any open conversation changed. */
  readonly anyChanged = new Signal<Conversation>()
  readonly #open = new Map<string, Conversation>()
  readonly #remembered: Remembered
  #shown: Conversation | undefined

  constructor(remembered: Remembered) {
    this.#remembered = remembered
  }

  get shown(): Conversation | undefined {
    return this.#shown
  }

  get all(): Iterable<Conversation> {
    return this.#open.values()
  }

  find(id: string): Conversation | undefined {
    return this.#open.get(id)
  }

  async create(project: Project): Promise<Conversation> {
    return this.#show(this.#adopt(await project.create()))
  }

  /** Opens a stored conversation, or the one that is open already, and shows it. @throws what the store says. */
  async show(project: Project, id: string): Promise<Conversation> {
    return this.#show(await this.open(project, id))
  }

  /** Shows a conversation that is open. */
  reveal(conversation: Conversation): void {
    this.#show(conversation)
  }

  /** Opens without showing. */
  async open(project: Project, id: string): Promise<Conversation> {
    return this.#open.get(id) ?? this.#adopt(await project.open(id))
  }

  /** Shows what the window showed before a reload; undefined when there is nothing to show. */
  async restore(projects: Iterable<Project>): Promise<Conversation | undefined> {
    const shown = this.#remembered.get(SHOWN)
    if (typeof shown !== 'object' || shown === null || !('id' in shown) || !('folder' in shown)) return undefined
    const { id, folder } = shown
    if (typeof id !== 'string') return undefined
    for (const project of projects) {
      if (project.folder === folder && (await project.has(id))) return this.show(project, id)
    }
    return undefined
  }

  /** Closes the conversations of a folder that left the window. */
  async closeOf(project: Project): Promise<void> {
    const gone = [...this.#open.values()].filter(conversation => conversation.project === project)
    for (const conversation of gone) {
      this.#open.delete(conversation.id)
      await conversation.dispose()
    }
    if (this.#shown === undefined || !gone.includes(this.#shown)) return
    this.#shown = undefined
    this.changed.fire()
  }

  async dispose(): Promise<void> {
    const open = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(open.map(conversation => conversation.dispose()))
  }

  #adopt(conversation: Conversation): Conversation {
    const twin = this.#open.get(conversation.id)
    if (twin !== undefined) {
      void conversation.dispose()
      return twin
    }
    this.#open.set(conversation.id, conversation)
    conversation.changed.on(() => {
      if (conversation === this.#shown) this.changed.fire()
      this.anyChanged.fire(conversation)
    })
    conversation.writable.on(() => void this.#reopen(conversation))
    return conversation
  }

  #show(conversation: Conversation): Conversation {
    this.#shown = conversation
    void this.#remembered.update(SHOWN, { id: conversation.id, folder: conversation.project.folder })
    this.changed.fire()
    return conversation
  }

  /** The log moved on while another window wrote it: read it again, now as its writer. */
  async #reopen(stale: Conversation): Promise<void> {
    if (this.#open.get(stale.id) !== stale) return
    this.#open.delete(stale.id)
    await stale.dispose()
    const fresh = this.#adopt(await stale.project.open(stale.id))
    if (stale === this.#shown) this.#show(fresh)
    this.anyChanged.fire(fresh)
  }
}
