import type { Failure, UserMessage } from '../session/messages.ts'
import type { ProjectionRegistry } from '../session/projection-registry.ts'
import type { EpochHeader } from '../session/request-header.ts'
import type { Session } from '../session/session.ts'
import type { Agent } from './agent.ts'
import type { Attachments } from './attachments.ts'
import type { Commands } from './commands.ts'
import type { LiveAgents } from './live/live-agents.ts'
import type { TurnWork } from './loop/work.ts'
import type { ModelRoute, Models } from './model.ts'
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

/** A text that no compaction may summarise away: it stays exactly as it is, under its title (one line). */
export interface KeptText {
  readonly title: string
  readonly text: string
}

/**
 * Asked at each compaction for the texts that its message has to carry. `stays` tells whether the message at a seq
 * remains before the model as it is: a text that is in one needs no carrying.
 */
export type KeptTexts = (agent: Agent, stays: (seq: number) => boolean) => readonly KeptText[]

/** What a step asks the model with; frozen for the step. */
export interface StepRequest {
  readonly route: ModelRoute
  readonly header: EpochHeader
}

/** Keeps a conversation within its model's context window. Neither method loops; both leave the log balanced. */
export interface Compactor {
  /** Before `step/start`: makes room when the request, with the step's `input`, would come near the window. */
  beforeStep(work: TurnWork, request: StepRequest, input: readonly UserMessage[]): Promise<void>
  /**
   * After a failed request: undefined when room was made and the request may be sent once more, else the failure that
   * ends the turn. `again`: this was the second sending.
   */
  recover(work: TurnWork, request: StepRequest, failure: Failure, again: boolean): Promise<Failure | undefined>
}

/** Everything variable that the loop speaks through, handed in once. Rooms above register into it. */
export interface AgentRuntime {
  readonly models: Models
  readonly tools: Tools
  readonly prompt: Prompt
  readonly questions: Questions
  /** Absent when a composition has no commands; everything else still works. */
  readonly commands?: Commands
  /** What may be read of a log through `ProjectionRegistry.state`; begins with `agentProjections`. */
  readonly projections: ProjectionRegistry
  /** Who is at work; a runtime and the runtimes of the children it starts share one. */
  readonly agents: LiveAgents
  /** Absent when a composition keeps no pictures; they are then named in words. */
  readonly attachments?: Attachments
  readonly stepBoundary: Set<StepBoundaryListener>
  readonly preStep: Set<PreStepListener>
  readonly turnEnd: Set<TurnEndListener>
  readonly kept: Set<KeptTexts>
  /** Absent: a conversation that outgrows its window ends there. */
  readonly compactor?: Compactor
  /** Resolves when every event of the session is durable; rejects with the storage error. */
  flush(session: Session): Promise<void>
  /** Epoch milliseconds. */
  now(): number
  /** Resolves after `ms`; rejects when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Failures that no turn can carry (a checkpoint after a turn's end, say). */
  onError(agent: Agent, error: unknown): void
}
