import type { ApprovalPolicy } from '../session/events.ts'
import type { Agent } from './agent.ts'
import type { ToolCall } from './tool.ts'

export type ApprovalOutcome = 'allowed-once' | 'rejected' | 'cancelled' | 'unavailable'

/** One act that needs a yes. `reason` is one sentence; `warning` is shown with emphasis (an edit of `.vscode/`, say). */
export interface ApprovalRequest {
  readonly toolName: string
  readonly call: ToolCall
  readonly reason: string
  readonly warning?: string
  /** The whole file before (undefined: it does not exist) and after, for the diff. `path` is workspace-relative. */
  readonly change?: { readonly path: string; readonly before: string | undefined; readonly after: string }
}

/** Shows an approval to a human. Must settle when the call's signal aborts (`cancelled`). */
export interface ApprovalAnswerer {
  answer(request: ApprovalRequest & { readonly id: string }): Promise<ApprovalOutcome>
}

/**
 * The approval knob: its own policy, which never reads plan state. `never` refuses without asking; nothing allows
 * unasked. Logs `approval/policy` when the setting differs from the logged one, `approval/asked` and
 * `approval/decided` around each question (session-log format, section 14).
 */
export interface Approvals {
  /** The policy in force for an agent; `never` for one that works for another agent, whatever is set. */
  policyOf(agent: Agent): ApprovalPolicy
  ask(request: ApprovalRequest): Promise<ApprovalOutcome>
}
