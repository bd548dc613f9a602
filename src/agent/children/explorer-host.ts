import type { NewSession } from '../../session/header.ts'
import type { Session } from '../../session/session.ts'
import type { PromptSection } from '../prompt.ts'
import type { Tool } from '../tool.ts'

/** What explorers are made of: the seam between the explore tool and whatever keeps sessions. */
export interface ExplorerHost {
  /** All that an explorer can do; nothing among it changes anything. */
  readonly tools: readonly Tool[]
  /** What an explorer is told beside its own base text: where it works. */
  readonly sections: readonly PromptSection[]
  /** A new session of its own log, which the parent's `flush` makes durable. @throws what the store says. */
  create(header: NewSession): Promise<ChildSession>
}

export interface ChildSession {
  readonly session: Session
  /** Makes everything durable and lets go of the log. @throws what the last write gave. */
  close(): Promise<void>
}

/** What one explorer may take. */
export interface ExplorerLimits {
  readonly steps: number
  /** Milliseconds from its first step to its report. */
  readonly ms: number
  /** Characters of a report that reach the parent. */
  readonly report: number
  /** Explorers of one agent that run side by side. */
  readonly atOnce: number
  /** The greatest `delegationDepth`: with 1, a child starts no children. */
  readonly depth: number
}

export const explorerLimits: ExplorerLimits = { steps: 30, ms: 600_000, report: 20_000, atOnce: 6, depth: 1 }
