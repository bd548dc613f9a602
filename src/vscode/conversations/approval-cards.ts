import type { Agent } from '../../agent/agent.ts'
import type { ApprovalAnswerer, ApprovalOutcome, ApprovalRequest } from '../../agent/approvals.ts'
import { countLines } from '../../tools/files/line-counts.ts'
import { Signal } from '../signal.ts'

export type ApprovalCard = ApprovalRequest & { readonly id: string }

/** The approvals that wait for a human in this window. A card is answered once; later answers change nothing. */
export class ApprovalCards implements ApprovalAnswerer {
  /** Fired with each card that begins to wait. */
  readonly asked = new Signal<ApprovalCard>()
  /** Fired with each card that waits no more. */
  readonly settled = new Signal<ApprovalCard>()
  readonly #waiting = new Map<string, { card: ApprovalCard; settle: (outcome: ApprovalOutcome) => void }>()

  find(id: string): ApprovalCard | undefined {
    return this.#waiting.get(id)?.card
  }

  /** Whether any of an agent's acts waits for a human. */
  waitFor(agent: Agent): boolean {
    return [...this.#waiting.values()].some(({ card }) => card.call.agent === agent)
  }

  answer(card: ApprovalCard): Promise<ApprovalOutcome> {
    const { promise, resolve } = Promise.withResolvers<ApprovalOutcome>()
    const { signal } = card.call
    const cancel = () => resolve('cancelled')
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel, { once: true })
    this.#waiting.set(card.id, { card, settle: resolve })
    this.asked.fire(card)
    return promise.finally(() => {
      signal.removeEventListener('abort', cancel)
      this.#waiting.delete(card.id)
      this.settled.fire(card)
    })
  }

  /** False when the card waits no more. */
  decide(id: string, allow: boolean): boolean {
    const waiting = this.#waiting.get(id)
    waiting?.settle(allow ? 'allowed-once' : 'rejected')
    return waiting !== undefined
  }
}

/** What a card adds to its transcript entry: the path and line counts of the change, and the warning. */
export function describeCard({ change, warning }: ApprovalCard): {
  change?: { path: string; added: number; removed: number }
  warning?: string
} {
  return {
    ...(change === undefined ? {} : { change: { path: change.path, ...countLines(change.before, change.after) } }),
    ...(warning === undefined ? {} : { warning }),
  }
}
