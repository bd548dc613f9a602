import type { Command, CommandOutcome } from '../commands.ts'
import type { TurnWork } from '../loop/work.ts'
import { compact } from './compact.ts'
import { rangeOf } from './range.ts'
import { contextSize } from './tokens.ts'

/**
 * `/compact [what to keep in mind]`: summarises the older part of the conversation now. Refused while the agent works:
 * what it works with would change under it, at a moment nobody chose; near the window a turn does this by itself.
 */
export const compactCommand: Command = {
  name: 'compact',
  description: 'Summarise the older part of the conversation to save room. What you write after it is kept in mind.',
  input: '[what to keep in mind]',
  async run({ agent, args, commandId }) {
    if (agent.status === 'running') {
      return error('The agent is working. Wait until it has finished, or stop it, and send /compact again.')
    }
    return await agent.betweenTurns(work => compactNow(work, commandId, args.trim()))
  },
}

async function compactNow(work: TurnWork, sourceCommandId: string, focus: string): Promise<CommandOutcome> {
  const route = await work.runtime.models.choose(work.session)
  const size = contextSize(work.session, undefined, [])
  const range = rangeOf(work.session, size)
  if (range === undefined) return error('There is nothing to summarise yet.')
  const end = await compact(work, { route, range, scale: size.scale, turn: null, sourceCommandId, focus })
  if (end.kind === 'failed') return error(`Nothing was summarised. ${end.failure.message}`)
  const text = 'The agent goes on with a summary of the older part. Everything stays readable here.'
  return { kind: 'success', text, sourceEventSeq: end.summarySeq }
}

function error(text: string): CommandOutcome {
  return { kind: 'error', text }
}
