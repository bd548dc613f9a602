import type { Agent } from '../../../../src/agent/agent.ts'
import { PersistenceCoordinator } from '../../../../src/persistence/coordinator.ts'
import { type OpenSession, SessionStore } from '../../../../src/persistence/store.ts'
import { ReviewDesk } from '../../../../src/review/review-desk.ts'
import type { Session } from '../../../../src/session/session.ts'
import type { Conversation } from '../../../../src/vscode/conversations/conversation.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import type { TestRuntime } from '../../../support/runtime.ts'
import { ManualTimers } from '../../persistence/manual-timers.ts'
import { AskedModel } from './asked-model.ts'
import { beginLife, type Life } from './life.ts'

/** Every usage counted here is 42 tokens: so tight a window is summarised before nearly every step. */
const windows = { wide: 64_000, tight: 50 }

/**
 * One conversation in one process after the other. Whatever happens in one, it happens until everything waits for the
 * test; a process may end at any of its flushes, and nobody in it hears of that.
 */
export class Lives {
  readonly model = new AskedModel(() => this.wake())
  readonly desk = new ReviewDesk(() => this.wake())
  window: keyof typeof windows = 'wide'
  /** Calls of the tool `hold` that run: what ends each. */
  held: (() => void)[] = []
  readonly #backend = new MemoryBackend()
  #watchers: (() => void)[] = []
  #life!: Life
  #dies: 'no' | 'unsaved' | 'saved' = 'no'
  #dead = false
  #death = Promise.withResolvers<void>()

  async begin(): Promise<void> {
    await this.#next(store => store.create())
    this.session.append('session/title', { title: 'Limits', messageSeqs: [], source: { kind: 'user' } })
    await this.flush()
  }

  get life(): Life {
    return this.#life
  }

  get session(): Session {
    return this.#life.open.session
  }

  get agent(): Agent {
    return this.#life.agent
  }

  get conversation(): Conversation {
    return this.#life.conversation
  }

  get runtime(): TestRuntime {
    return this.#life.runtime
  }

  /** Does a deed until everything waits, then `judge`; gives `died` when its process ended, and another took over. */
  async live(deed: () => unknown, judge: () => void): Promise<unknown> {
    const outcome = await Promise.race([deed(), this.#death.promise])
    const waits = () => this.model.isAsked || this.held.length > 0 || this.desk.isLive(this.agent)
    await this.until(() => this.#dead || this.agent.status === 'idle' || waits())
    const dead = this.#dead
    judge()
    if (dead) await this.crash()
    return dead ? 'died' : outcome
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>(resolve => this.#watchers.push(resolve))
  }

  wake(): void {
    for (const watcher of this.#watchers.splice(0)) watcher()
  }

  flush(): Promise<void> {
    return this.#flush(this.#life.open)
  }

  dieAtFlush(how: 'unsaved' | 'saved'): void {
    this.#dies = how
  }

  /** The window reloads: everything is saved, whatever runs is cut. */
  reload(): Promise<void> {
    return this.#leave((store, id) => store.open(id))
  }

  fork(): Promise<void> {
    return this.#leave((store, id) => store.fork(id))
  }

  /** The process ends and loses what was not saved; another one takes over. */
  async crash(): Promise<void> {
    const { id } = this.session
    // Its promises never settle in a process that is gone; here its agent has to let go, without a write.
    this.forget()
    void this.agent.dispose()
    await this.#next(store => store.takeOver(id))
  }

  async end(): Promise<void> {
    await this.conversation.dispose()
    await this.#life.store.dispose()
  }

  /** Nothing that was waited for goes on. */
  forget(): void {
    this.model.forget()
    this.held = []
  }

  async #leave(open: (store: SessionStore, id: string) => Promise<OpenSession>): Promise<void> {
    const { id } = this.session
    await this.end()
    await this.#next(store => open(store, id))
  }

  async #next(open: (store: SessionStore) => Promise<OpenSession>): Promise<void> {
    this.forget()
    const persistence = new PersistenceCoordinator(this.#backend)
    const store = new SessionStore({ root: '/nowhere', persistence, timers: new ManualTimers() })
    const opened = await open(store)
    this.#dies = 'no'
    this.#dead = false
    this.#death = Promise.withResolvers()
    const { model, desk } = this
    this.#life = beginLife({
      ...{ store, open: opened, model: model.begin(), desk, window: () => windows[this.window] },
      hold: () => this.#hold(),
      flush: flushed => this.#flush(flushed),
    })
    opened.session.observe(() => this.wake())
    this.agent.onStatus(() => this.wake())
  }

  #hold(): Promise<void> {
    return new Promise(resolve => {
      this.held.push(resolve)
      this.wake()
    })
  }

  async #flush(open: OpenSession): Promise<void> {
    const mine = open === this.#life.open
    if (!mine || (!this.#dead && this.#dies === 'no')) return await open.flush()
    if (!this.#dead && this.#dies === 'saved') await open.flush()
    this.#dead = true
    this.#death.resolve()
    this.wake()
    await new Promise(() => {})
  }
}
