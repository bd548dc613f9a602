import type { Agent } from '../agent/agent.ts'
import type { Command, CommandOutcome } from '../agent/commands.ts'
import { assertNever } from '../session/errors.ts'
import { newUserMessage } from '../session/messages.ts'
import type { PlanModeController, SetOutcome } from './controller.ts'

/** `/plan [off|message]`: bare selects plan mode, a message selects it and steers the message, exactly `off` leaves. */
export function planCommand(controller: PlanModeController): Command {
  return {
    name: 'plan',
    description: 'Turn plan mode on, or off with "off". A message goes to the agent under plan guidance.',
    input: '[off|message]',
    images: true,
    async run({ agent, args, attachments }) {
      const text = args.trim()
      if (text === 'off') {
        if (attachments.length > 0)
          return { kind: 'error', text: 'Images cannot come with /plan off. Remove them, or leave out "off".' }
        return { kind: 'success', text: left(controller.set(agent, false), controller, agent) }
      }
      const outcome = controller.set(agent, true)
      if (text !== '' || attachments.length > 0) {
        agent.steer(newUserMessage(text, { kind: 'user' }, attachments))
      }
      return { kind: 'success', text: entered(outcome, controller, agent) } satisfies CommandOutcome
    },
  }
}

/** The sentence a person reads after asking for plan mode; the same for the command and the palette. */
export function entered(outcome: SetOutcome, controller: PlanModeController, agent: Agent): string {
  const waits = controller.get(agent).pending !== undefined
  switch (outcome) {
    case 'committed':
      return 'Plan mode is on. /plan off leaves it.'
    case 'queued':
      return 'Plan mode begins with the next step. /plan off takes that back.'
    case 'cancelled':
      return 'Plan mode stays on.'
    case 'noop':
      return waits
        ? 'Plan mode begins with the next step already. /plan off takes that back.'
        : 'Plan mode is on already. /plan off leaves it.'
    default:
      return assertNever(outcome)
  }
}

/** The sentence a person reads after leaving plan mode; the same for the command and the palette. */
export function left(outcome: SetOutcome, controller: PlanModeController, agent: Agent): string {
  const waits = controller.get(agent).pending !== undefined
  switch (outcome) {
    case 'committed':
      return 'Plan mode is off.'
    case 'queued':
      return 'Plan mode ends with the next step.'
    case 'cancelled':
      return 'Plan mode stays off.'
    case 'noop':
      return waits ? 'Plan mode ends with the next step already.' : 'Plan mode is off already.'
    default:
      return assertNever(outcome)
  }
}
