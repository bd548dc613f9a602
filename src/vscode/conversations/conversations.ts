import type { Agent } from '../../agent/agent.ts'
import { messageOf, PlanModeError } from '../../session/errors.ts'
import type { NewSession } from '../../session/header.ts'
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
  /** Fired with a conversation that this window wrote until another one took over. */
  readonly lost = new Signal<Conversation>()
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

  /** The open conversation of an agent. */
  of(agent: Agent): Conversation | undefined {
    return [...this.#open.values()].find(conversation => conversation.agent === agent)
  }

  async create(project: Project, given: NewSession = {}): Promise<Conversation> {
    return this.#show(this.#adopt(await project.create(given)))
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

  /**
   * Begins a conversation that goes on from the end of a turn of another, and shows it. The other one stays as it is, and
   * may be one that another window writes. Durable when it resolves. @throws what the store says, such as `OPEN_TURN`.
   */
  async fork({ project, id }: Conversation, turn: number): Promise<Conversation> {
    const fork = this.#adopt(await project.fork(id, { turn }))
    await fork.flush()
    return this.#show(fork)
  }

  /** Goes on with a conversation that another window writes; that one turns read-only. @throws what the store says. */
  continueHere(conversation: Conversation): Promise<Conversation> {
    return this.#replace(conversation, conversation.project.takeOver(conversation.id))
  }

  /** Opens again what is open already: its log or who may write it is not what it was. @throws what the store says. */
  reopen(conversation: Conversation): Promise<Conversation> {
    return this.#replace(conversation, conversation.project.open(conversation.id, { patient: false }))
  }

  /** Shows what the window showed before a reload; undefined when there is nothing to show. */
  async restore(projects: Iterable<Project>): Promise<Conversation | undefined> {
    const { project, id } = this.#lastShown(projects) ?? {}
    if (project === undefined || id === undefined || !(await project.has(id))) return undefined
    return this.show(project, id)
  }

  /** The conversation shown before a reload, of which nothing was stored: it never began. Its id, or undefined. */
  async neverBegun(projects: Iterable<Project>): Promise<string | undefined> {
    const { project, id } = this.#lastShown(projects) ?? {}
    return project === undefined || id === undefined || (await project.has(id)) ? undefined : id
  }

  #lastShown(projects: Iterable<Project>): { readonly project: Project; readonly id: string } | undefined {
    const shown = this.#remembered.get(SHOWN)
    if (typeof shown !== 'object' || shown === null || !('id' in shown) || !('folder' in shown)) return undefined
    const { id, folder } = shown
    const project = [...projects].find(each => each.folder === folder)
    return typeof id === 'string' && project !== undefined ? { project, id } : undefined
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
    conversation.stale.on(() => void this.#renew(conversation))
    return conversation
  }

  #show(conversation: Conversation): Conversation {
    this.#shown = conversation
    void this.#remembered.update(SHOWN, { id: conversation.id, folder: conversation.project.folder })
    this.changed.fire()
    return conversation
  }

  /** What was open no longer stands for its log: read it again, as its writer where this window may be that. */
  async #renew(stale: Conversation): Promise<void> {
    const { lost } = stale
    // Its turn ends here, without another event.
    if (lost) void stale.agent.dispose()
    try {
      const fresh = await this.reopen(stale)
      if (lost && fresh.writtenElsewhere) this.lost.fire(fresh)
    } catch (error) {
      stale.report(error instanceof PlanModeError ? error : new PlanModeError('UNKNOWN', messageOf(error)))
    }
  }

  /** Puts what is opened anew in the stale one's place, unless that has gone meanwhile. */
  async #replace(stale: Conversation, opening: Promise<Conversation>): Promise<Conversation> {
    const fresh = await opening
    const current = this.#open.get(stale.id)
    if (current !== stale) {
      await fresh.dispose()
      return current ?? stale
    }
    this.#open.delete(stale.id)
    this.#adopt(fresh)
    if (stale === this.#shown) this.#show(fresh)
    this.anyChanged.fire(fresh)
    await stale.dispose()
    return fresh
  }
}
