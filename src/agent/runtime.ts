import type { UserMessage } from '../session/messages.ts'
import type { Session } from '../session/session.ts'
import type { Agent } from './agent.ts'
import type { Commands } from './commands.ts'
import type { Models } from './model.ts'
import type { Prompt } from './prompt.ts'
import type { Questions } from './questions.ts'
import type { Tools } from './tool.ts'

/** A proposed step whose input is claimed; the model is not chosen yet. */
export interface StepProposal {
  readonly agent: Agent
  readonly turn: number
  readonly step: number
  readonly claimed: readonly UserMessage[]
}

/**
 * Runs once per proposed step, after the claim and before the model is chosen; never on a same-step retry. What it
 * returns goes last into the step, if the step is admitted. A throw fails the proposal: the turn ends with the error.
 */
export type StepBoundaryListener = (proposal: StepProposal) => readonly UserMessage[]

export type PreStepDecision =
  | { readonly kind: 'enter'; readonly messages: readonly UserMessage[] }
  | { readonly kind: 'refuse'; readonly reason: string }

/** An onion around "enter with these messages", after the step boundary; a refusal ends the turn `blocked`. */
export type PreStepListener = (proposal: StepProposal, next: () => Promise<PreStepDecision>) => Promise<PreStepDecision>

/** Runs when a turn has ended, before it is made durable; what it throws is reported and changes nothing. */
export type TurnEndListener = (agent: Agent) => void

/** Everything variable that the loop speaks through, handed in once. Rooms above register into it. */
export interface AgentRuntime {
  readonly models: Models
  readonly tools: Tools
  readonly prompt: Prompt
  readonly questions: Questions
  /** Absent when a composition has no commands; everything else still works. */
  readonly commands?: Commands
  readonly stepBoundary: Set<StepBoundaryListener>
  readonly preStep: Set<PreStepListener>
  readonly turnEnd: Set<TurnEndListener>
  /** Resolves when every event of the session is durable; rejects with the storage error. */
  flush(session: Session): Promise<void>
  /** Epoch milliseconds. */
  now(): number
  /** Resolves after `ms`; rejects when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Failures that no turn can carry (a checkpoint after a turn's end, say). */
  onError(agent: Agent, error: unknown): void
}
