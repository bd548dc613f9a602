import { messageOf, PlanModeError } from '../../session/errors.ts'
import type { Session } from '../../session/session.ts'
import type { Agent } from '../agent.ts'
import type { Availability, Command, CommandCall, CommandOutcome, Commands } from '../commands.ts'

const nameForm = /^[a-z][a-z0-9_-]*$/
/** A first word that a person meant as a command: one slash, in front. */
const commandLike = /^\/([^\s/]*)(?=$|\s)/
const commandForm = /^\/([a-z][a-z0-9_-]*)(?=$|[\t\n\r ])/

/** The commands of a runtime, by unique name; logs each run (session-log format, section 13). */
export class CommandRegistry implements Commands {
  readonly #commands = new Map<string, Command>()
  /** Ids are unique over every log this registry writes into, also after a restart. */
  readonly #prefix = `cmd-${crypto.randomUUID().slice(0, 8)}`
  #runs = 0

  register(command: Command): Disposable {
    const { name } = command
    if (!nameForm.test(name)) {
      throw new PlanModeError('BAD_COMMAND_NAME', `"${name}" is no command name: use lower case, digits, - and _.`)
    }
    if (this.#commands.has(name)) {
      throw new PlanModeError('DUPLICATE_COMMAND', `A command named /${name} is registered already.`)
    }
    this.#commands.set(name, command)
    return {
      [Symbol.dispose]: () => {
        if (this.#commands.get(name) === command) this.#commands.delete(name)
      },
    }
  }

  list(): readonly Command[] {
    return [...this.#commands.values()]
  }

  parse(text: string): { readonly name: string; readonly args: string } | undefined {
    const match = commandForm.exec(text)
    if (match?.[1] === undefined) return undefined
    return { name: match[1], args: text.slice(match[0].length) }
  }

  read(text: string): { readonly name: string; readonly args: string } | undefined {
    const parsed = this.parse(text)
    const [word] = commandLike.exec(text) ?? []
    if (parsed !== undefined || word === undefined) return parsed
    const meant = nearest(word, this.#commands.keys())
    throw new PlanModeError(
      'BAD_COMMAND_NAME',
      `"${word}" is no command.${meant} Type / to see the commands; to send it as a message, begin with another word.`,
    )
  }

  availability(command: Command, agent: Agent): Availability {
    try {
      return command.available?.(agent) ?? { kind: 'available' }
    } catch (error) {
      return { kind: 'unavailable', why: messageOf(error) }
    }
  }

  async run(
    agent: Agent,
    name: string,
    args: string,
    attachments: CommandCall['attachments'] = [],
  ): Promise<CommandOutcome> {
    const command = this.#commands.get(name)
    if (command === undefined) {
      throw new PlanModeError(
        'UNKNOWN_COMMAND',
        `There is no command /${name}. Type / to see the commands; to send it as a message, begin with another word.`,
      )
    }
    assertLive(agent)
    this.#assertRuns(command, agent, attachments)
    const commandId = `${this.#prefix}-${++this.#runs}`
    agent.session.append('command/run', { commandId, name, args, source: { kind: 'user' } })
    const outcome = await settled(command, { agent, commandId, args, attachments })
    assertLive(agent)
    agent.session.append('command/done', { commandId, ...outcome })
    await agent.runtime.flush(agent.session)
    return outcome
  }

  #assertRuns(command: Command, agent: Agent, attachments: CommandCall['attachments']): void {
    const availability = this.availability(command, agent)
    if (availability.kind === 'unavailable') {
      throw new PlanModeError('COMMAND_UNAVAILABLE', `/${command.name} cannot run now. ${availability.why}`)
    }
    if (attachments.length === 0 || command.images === true) return
    throw new PlanModeError('NO_IMAGES', `/${command.name} takes no images. Remove them, or send them in a message.`)
  }
}

/** " Did you mean /plan?" for a word that differs from a command's name in case or in what stands around it. */
function nearest(word: string, names: Iterable<string>): string {
  const plain = word.toLowerCase().replace(/[^a-z0-9_-]/g, '')
  const name = [...names].find(each => each === plain || (plain !== '' && plain.startsWith(each)))
  return name === undefined ? '' : ` Did you mean /${name}?`
}

/** Settles as an error every `command/run` that an ended life of the session left open. */
export function settleOpenCommands(session: Session): void {
  const open = new Set<string>()
  for (const event of session.from(0)) {
    if (event.type === 'command/run') open.add(event.data.commandId)
    else if (event.type === 'command/done') open.delete(event.data.commandId)
  }
  for (const commandId of open) session.append('command/done', { commandId, kind: 'error', text: 'interrupted' })
}

async function settled(command: Command, call: CommandCall): Promise<CommandOutcome> {
  try {
    const outcome = await command.run(call)
    const { text } = outcome
    const said = text === undefined ? {} : { text }
    if (outcome.kind === 'error') return { kind: 'error', ...said }
    const { sourceEventSeq: seq } = outcome
    if (seq !== undefined) assertSource(call, seq)
    return { kind: 'success', ...said, ...(seq === undefined ? {} : { sourceEventSeq: seq }) }
  } catch (error) {
    return { kind: 'error', text: messageOf(error) }
  }
}

function assertSource({ agent }: CommandCall, seq: number): void {
  if (!agent.session.at(seq).type.startsWith('command/')) return
  throw new PlanModeError('BAD_COMMAND_SOURCE', `Event ${seq} is a command record and holds nothing else.`)
}

/** The log of a disposed agent may be somebody else's by now; the next opening settles the run. */
function assertLive(agent: Agent): void {
  if (agent.status !== 'disposed') return
  throw new PlanModeError('AGENT_DISPOSED', 'This conversation is closed here. Open it again to run commands.')
}
