import type { ChildSession, ExplorerHost } from '../../agent/children/explorer-host.ts'
import type { PromptSection } from '../../agent/prompt.ts'
import type { Tool } from '../../agent/tool.ts'
import type { OpenSession, SessionStore } from '../../persistence/store.ts'
import type { NewSession } from '../../session/header.ts'
import type { Session } from '../../session/session.ts'
import { Signal } from '../signal.ts'
import { explorerActivity } from './explorer-activity.ts'

export interface ExplorersOptions {
  readonly store: SessionStore
  readonly tools: readonly Tool[]
  readonly sections: readonly PromptSection[]
  /** Told of each session before anything is said in it. */
  readonly adopt: (open: OpenSession) => void
  readonly onError: (error: unknown) => void
}

/** The explorers of a folder: their logs lie beside the conversations', and what each does now can be asked. */
export class Explorers implements ExplorerHost {
  readonly tools: readonly Tool[]
  readonly sections: readonly PromptSection[]
  /** Fired with the session id of an explorer that does something else now, or is over. */
  readonly changed: Signal<string>
  readonly #options: ExplorersOptions
  readonly #live = new Map<string, Session>()

  constructor(options: ExplorersOptions) {
    this.#options = options
    this.tools = options.tools
    this.sections = options.sections
    this.changed = new Signal(options.onError)
  }

  /** What an explorer that runs in this window does now, in a few words; undefined for any other. */
  activityOf(sessionId: string): string | undefined {
    const session = this.#live.get(sessionId)
    return session && explorerActivity(session)
  }

  async create(header: NewSession): Promise<ChildSession> {
    const open = await this.#options.store.create(header)
    const { session } = open
    this.#options.adopt(open)
    this.#live.set(session.id, session)
    let shown: string | undefined
    const observing = session.observe(() => {
      const activity = explorerActivity(session)
      if (activity === shown) return
      shown = activity
      this.changed.fire(session.id)
    })
    const close = async () => {
      observing[Symbol.dispose]()
      this.#live.delete(session.id)
      this.changed.fire(session.id)
      await open.dispose()
    }
    return { session, close }
  }
}
