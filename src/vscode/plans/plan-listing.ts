import { type ListedPlan, listPlans, type SessionPlans, waitingCount } from '../../review/plan-list.ts'
import { plansProjection } from '../../review/plans.ts'
import { title } from '../../session/title.ts'
import type { Conversations } from '../conversations/conversations.ts'
import type { Project } from '../conversations/project.ts'
import { Signal } from '../signal.ts'

/** How many logs are looked at side by side. */
const AT_ONCE = 4

export interface PlansOf {
  readonly projects: readonly Pick<Project, 'list' | 'describe'>[]
  readonly conversations: Pick<Conversations, 'all' | 'find'>
  report(error: unknown): void
}

interface Known {
  readonly mtimeMs: number
  readonly plans: SessionPlans
}

/**
 * All plans of a window's folders. A log is looked at once, and again only when it has changed; what is open here is read
 * from its session.
 */
export class PlanListing {
  /** Fired when the list is another one. */
  readonly changed = new Signal()
  readonly #of: PlansOf
  #known = new Map<string, Known>()
  #plans: readonly ListedPlan[] = []
  #reading: Promise<void> | undefined
  #again = false

  constructor(of: PlansOf) {
    this.#of = of
  }

  get plans(): readonly ListedPlan[] {
    return this.#plans
  }

  /** How many wait for a human. */
  get waiting(): number {
    return waitingCount(this.#plans)
  }

  /** Looks at what is open here; reads no log. */
  update(): void {
    const open = [...this.#of.conversations.all].map(({ session }) => ({
      sessionId: session.id,
      conversation: session.state(title) ?? 'New conversation',
      parent: session.header.parentSession,
      plans: session.state(plansProjection).plans,
    }))
    const ids = new Set(open.map(({ sessionId }) => sessionId))
    const stored = [...this.#known.values()].map(({ plans }) => plans).filter(({ sessionId }) => !ids.has(sessionId))
    const plans = listPlans([...open, ...stored].filter(each => each.plans.length > 0))
    if (JSON.stringify(plans) === JSON.stringify(this.#plans)) return
    this.#plans = plans
    this.changed.fire()
  }

  /** Reads the logs that have changed since the last look. Calls meanwhile lead to one more look. */
  refresh(): Promise<void> {
    this.#again = true
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #read(): Promise<void> {
    while (this.#again) {
      this.#again = false
      const known = new Map<string, Known>()
      for (const project of this.#of.projects) {
        try {
          const { sessions } = await project.list()
          await inTurn(sessions, async ({ header, mtimeMs }) => {
            const before = this.#known.get(header.id)
            const now = before?.mtimeMs === mtimeMs ? before : await this.#look(project, header.id, mtimeMs)
            if (now !== undefined) known.set(header.id, now)
          })
        } catch (error) {
          this.#of.report(error)
        }
      }
      this.#known = known
      this.update()
    }
  }

  /** A log that cannot be read has no plans here; opening it tells why. */
  async #look(project: Pick<Project, 'describe'>, id: string, mtimeMs: number): Promise<Known | undefined> {
    try {
      const { title: named, session } = await project.describe(id)
      const { plans } = session.state(plansProjection)
      const { parentSession: parent } = session.header
      return { mtimeMs, plans: { sessionId: id, conversation: named ?? 'New conversation', parent, plans } }
    } catch {
      return undefined
    }
  }
}

/** Does something for each of them, a few at once. */
async function inTurn<T>(all: readonly T[], act: (each: T) => Promise<void>): Promise<void> {
  const rest = all.values()
  const worker = async () => {
    for (const each of rest) await act(each)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
