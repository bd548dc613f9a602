import type { Agent } from '../agent/agent.ts'
import type { StepProposal } from '../agent/runtime.ts'
import { newUserMessage, type UserMessage } from '../session/messages.ts'
import { turnBoundary } from '../session/turns.ts'
import { endsTurn, recordDecision } from './decision.ts'
import { type PlanState, type PlanView, planProjection, planView, waitingSelection } from './projection.ts'
import { reviewProjection } from './review.ts'
import { planTold } from './told.ts'
import { noticeOff, noticeOn, PLUGIN } from './words.ts'

/** `committed`: logged now. `queued`: the next step boundary commits it. `cancelled`: a waiting one was taken back. */
export type SetOutcome = 'committed' | 'queued' | 'cancelled' | 'noop'

/**
 * Reads and selects plan mode. Owns no state: the mode and a waiting selection are folds of the log. `set` returns
 * after the in-memory append; who reports it awaits a flush first.
 */
export class PlanModeController {
  /**
   * The logged mode and, when one waits, the selection's target; `pending` is absent otherwise and may be false.
   * @throws PlanModeError `UNKNOWN_PROJECTION` when the composition lacks `plan` or `turnBoundary`.
   */
  get(agent: Agent): { active: boolean; pending?: boolean } {
    const state = stateOf(agent)
    const pending = waitingSelection(state)
    return pending === undefined ? { active: state.active } : { active: state.active, pending }
  }

  view(agent: Agent): PlanView {
    return planView(stateOf(agent))
  }

  /**
   * Selects whether plan mode should be active. Leaving while a review waits withdraws the review, whatever the outcome.
   * @throws PlanModeError when the log refuses the append; nothing has changed then.
   */
  set(agent: Agent, active: boolean): SetOutcome {
    const outcome = this.#select(agent, active)
    if (!active) this.#withdraw(agent)
    return outcome
  }

  /**
   * The step boundary: commits a waiting selection, then returns the notice that is due when what the model was told
   * differs from the committed mode. A refused append leaves the selection waiting and fails the proposal. A review that
   * still waits when plan mode is left is withdrawn.
   */
  commit({ agent }: Pick<StepProposal, 'agent'>): readonly UserMessage[] {
    const { session, runtime } = agent
    const waiting = waitingSelection(stateOf(agent))
    if (waiting !== undefined) session.append('plan/mode', { active: waiting })
    if (waiting === false) this.#withdraw(agent)
    const { told, active } = runtime.projections.state(session, planTold)
    return told === null || told === active ? [] : [notice(active)]
  }

  /**
   * The end of a turn: an approved plan that is not carried out in this turn ends plan mode here, since no step follows
   * whose boundary would do it. A selection of the user's waits for the next boundary as ever.
   */
  endTurn({ session }: Agent): void {
    const { selected } = session.state(planProjection)
    const { decided } = session.state(reviewProjection)
    if (selected?.by !== 'review' || selected.active || !endsTurn(decided?.next)) return
    session.append('plan/mode', { active: false })
  }

  #select(agent: Agent, active: boolean): SetOutcome {
    const { session } = agent
    const state = stateOf(agent)
    const waiting = waitingSelection(state)
    if (active === (waiting ?? state.active)) return 'noop'
    if (waiting !== undefined) {
      session.append('plan/selected', { active, by: 'user' })
      return 'cancelled'
    }
    if (session.state(turnBoundary).turnOpen) {
      session.append('plan/selected', { active, by: 'user' })
      return 'queued'
    }
    session.append('plan/mode', { active })
    const { running } = session.state(planProjection)
    // A command that still runs would otherwise have the last word at its end.
    if (running !== null && running.wanted !== active) session.append('plan/selected', { active, by: 'user' })
    return 'committed'
  }

  #withdraw({ session, runtime }: Agent): void {
    const { waiting } = runtime.projections.state(session, reviewProjection)
    if (waiting !== null) recordDecision(session, waiting, 'withdrawn')
  }
}

/** Where plan mode stands in the agent's log; what `set` reads beside it has to be there, too. */
function stateOf({ session, runtime }: Agent): PlanState {
  runtime.projections.require(turnBoundary)
  return runtime.projections.state(session, planProjection)
}

function notice(active: boolean): UserMessage {
  const summary = active ? noticeOn : noticeOff
  return newUserMessage(summary, { kind: 'plugin', plugin: PLUGIN, form: 'notice', summary })
}
