import type { Agent } from '../agent.ts'

/** `root`: works for a person. `owned`: a child of another live agent. `gone`: not the live agent of its session. */
export type Standing = 'root' | 'owned' | 'gone'

/**
 * Who is at work now, and for whom. The agent opened last on a session is its live one; who owns whom is decided here,
 * at run time, and never by a header's `parentSession`: a former child that a person opens is a root.
 */
export class LiveAgents {
  readonly #live = new Map<string, { readonly agent: Agent; readonly owner: Agent | undefined }>()

  enter(agent: Agent, owner?: Agent): void {
    this.#live.set(agent.session.id, { agent, owner })
  }

  /** Does nothing when another agent has taken over the session meanwhile. */
  leave(agent: Agent): void {
    if (this.#isLive(agent)) this.#live.delete(agent.session.id)
  }

  /** The live agent of a session. */
  find(sessionId: string): Agent | undefined {
    return this.#live.get(sessionId)?.agent
  }

  /** A child whose owner is gone belongs to nobody: it stands for itself. */
  standing(agent: Agent): Standing {
    if (!this.#isLive(agent)) return 'gone'
    return this.ownerOf(agent) === undefined ? 'root' : 'owned'
  }

  /** The live agent that started this live one. */
  ownerOf(agent: Agent): Agent | undefined {
    const owner = this.#isLive(agent) ? this.#live.get(agent.session.id)?.owner : undefined
    return owner !== undefined && this.#isLive(owner) ? owner : undefined
  }

  /** The live children of an agent, in the order in which they were started. */
  childrenOf(owner: Agent): readonly Agent[] {
    return [...this.#live.values()].flatMap(({ agent }) => (this.ownerOf(agent) === owner ? [agent] : []))
  }

  #isLive(agent: Agent): boolean {
    return this.#live.get(agent.session.id)?.agent === agent
  }
}
