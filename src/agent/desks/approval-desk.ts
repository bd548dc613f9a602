import { type ApprovalPolicy, approvalPolicy, type SessionEvent } from '../../session/events.ts'
import type { Projection } from '../../session/projections.ts'
import type { Session } from '../../session/session.ts'
import type { Agent } from '../agent.ts'
import type { ApprovalAnswerer, ApprovalOutcome, ApprovalRequest, Approvals } from '../approvals.ts'

/** The projection `approvalPolicy`: the last logged policy; `ask` while there is none. */
export const loggedPolicy: Projection<ApprovalPolicy> = {
  key: 'approvalPolicy',
  version: 1,
  owner: 'The agent runtime (agentProjections)',
  initial: 'ask',
  stored: approvalPolicy,
  types: ['approval/policy'],
  apply: (state: ApprovalPolicy, event: SessionEvent) => (event.type === 'approval/policy' ? event.data.policy : state),
}

export interface ApprovalDeskOptions {
  /** Reads the setting, anew for each question. */
  readonly policy: () => ApprovalPolicy
}

/** Asks for approvals and keeps their records: one `approval/decided` for each `approval/asked`. */
export class ApprovalDesk implements Approvals {
  readonly #policy: () => ApprovalPolicy
  #answerer: ApprovalAnswerer | undefined

  constructor({ policy }: ApprovalDeskOptions) {
    this.#policy = policy
  }

  policyOf(agent: Agent): ApprovalPolicy {
    return isDelegated(agent) ? 'never' : this.#policy()
  }

  /** Takes the place of an earlier answerer; disposing it leaves later questions unavailable. */
  provide(answerer: ApprovalAnswerer): Disposable {
    this.#answerer = answerer
    return {
      [Symbol.dispose]: () => {
        if (this.#answerer === answerer) this.#answerer = undefined
      },
    }
  }

  async ask(request: ApprovalRequest): Promise<ApprovalOutcome> {
    const { call, toolName, reason } = request
    const { session } = call.agent
    const policy = this.policyOf(call.agent)
    if (call.signal.aborted) return 'cancelled'
    if (session.state(loggedPolicy) !== policy) {
      session.append('approval/policy', { policy, ...(isDelegated(call.agent) ? { source: 'delegation' } : {}) })
    }
    if (policy === 'never') return 'rejected'
    const id = crypto.randomUUID()
    session.append('approval/asked', { id, toolName, callId: call.callId, reason })
    const outcome = await decision(this.#answerer, { ...request, id })
    // A disposed agent writes nothing more; an approval that the log does not know is none.
    if (call.agent.status === 'disposed') return 'cancelled'
    session.append('approval/decided', { id, outcome })
    await flushApproved(request, session, outcome)
    return outcome
  }
}

function isDelegated(agent: Agent): boolean {
  return agent.runtime.agents.standing(agent) === 'owned'
}

/** An approved act happens only once its approval is durable. */
async function flushApproved({ call }: ApprovalRequest, session: Session, outcome: ApprovalOutcome): Promise<void> {
  if (outcome === 'allowed-once') await call.agent.runtime.flush(session)
}

/** Settles on abort at once, so that the record falls into the turn that asked. */
async function decision(
  answerer: ApprovalAnswerer | undefined,
  request: ApprovalRequest & { readonly id: string },
): Promise<ApprovalOutcome> {
  if (answerer === undefined) return 'unavailable'
  const { signal } = request.call
  const settled = new AbortController()
  const { promise: cancelled, resolve } = Promise.withResolvers<'cancelled'>()
  signal.addEventListener('abort', () => resolve('cancelled'), { once: true, signal: settled.signal })
  const asked = (async () => answerer.answer(request))().catch(() => 'unavailable' as const)
  const outcome = await Promise.race([cancelled, asked])
  settled.abort()
  return signal.aborted ? 'cancelled' : outcome
}
