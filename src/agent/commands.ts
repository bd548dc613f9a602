import type { Block } from '../session/messages.ts'
import type { Agent } from './agent.ts'

/**
 * What a command did; `text` is for the person, never for the model. `sourceEventSeq` names the event that holds what
 * came of it: an earlier one that is no command record.
 */
export type CommandOutcome =
  | { readonly kind: 'success'; readonly text?: string; readonly sourceEventSeq?: number }
  | { readonly kind: 'error'; readonly text?: string }

export interface CommandCall {
  readonly agent: Agent
  /** Of this run, as it is logged. */
  readonly commandId: string
  /** Everything after the name, verbatim, including the separating white space. */
  readonly args: string
  readonly attachments: readonly Extract<Block, { type: 'image' }>[]
}

/** A `/name` a person can type. `run` may throw: the command settles as an error with the message. */
export interface Command {
  /** Matches `/^[a-z][a-z0-9_-]*$/`. */
  readonly name: string
  readonly description: string
  /** Shown after the name while typing, such as `[off|message]`. */
  readonly input?: string
  run(call: CommandCall): Promise<CommandOutcome>
}

/**
 * The commands of a runtime. Every run is logged: `command/run` before the handler, `command/done` after it, and the
 * result is durable before it is reported (session-log format, section 13).
 */
export interface Commands {
  /** @throws PlanModeError `DUPLICATE_COMMAND` or `BAD_COMMAND_NAME`. */
  register(command: Command): Disposable
  list(): readonly Command[]
  /** Splits `/name rest`; undefined when the text is not a command by its syntax. An unknown name parses too. */
  parse(text: string): { readonly name: string; readonly args: string } | undefined
  /** @throws PlanModeError `UNKNOWN_COMMAND` (nothing is logged), or whatever made the log refuse the records. */
  run(agent: Agent, name: string, args: string, attachments?: CommandCall['attachments']): Promise<CommandOutcome>
}
