import type { ImageBlock } from '../session/messages.ts'
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
  /** Kept already; a command without `images` never gets any. */
  readonly attachments: readonly ImageBlock[]
}

/** `why` is a sentence for the person: why not now, and what to do. */
export type Availability = { readonly kind: 'available' } | { readonly kind: 'unavailable'; readonly why: string }

/** A `/name` a person can type. `run` may throw: the command settles as an error with the message. */
export interface Command {
  /** Matches `/^[a-z][a-z0-9_-]*$/`. */
  readonly name: string
  readonly description: string
  /** Shown after the name while typing, such as `[off|message]`. */
  readonly input?: string
  /** Whether images may come along. */
  readonly images?: true
  /**
   * Whether it can run for this agent now; absent: always. Pure and quick: asked at each drawing of the list, and again
   * before each run.
   */
  available?(agent: Agent): Availability
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
  /** What the command says of itself for this agent; one that cannot say is unavailable. */
  availability(command: Command, agent: Agent): Availability
  /**
   * As `parse`, for what a person sends: text that begins like a command and is none is refused, so that a slip of the
   * hand never goes to the model. A path ("/usr/bin") or a comment ("// why") is a message.
   * @throws PlanModeError `BAD_COMMAND_NAME`.
   */
  read(text: string): { readonly name: string; readonly args: string } | undefined
  /** Splits `/name rest`; undefined when the text is not a command by its syntax. An unknown name parses too. */
  parse(text: string): { readonly name: string; readonly args: string } | undefined
  /**
   * @throws PlanModeError `UNKNOWN_COMMAND`, `COMMAND_UNAVAILABLE` or `NO_IMAGES` (nothing is logged then), or whatever
   * made the log refuse the records.
   */
  run(agent: Agent, name: string, args: string, attachments?: CommandCall['attachments']): Promise<CommandOutcome>
}
