import { compactionOf } from '../agent/compaction/bracket.ts'
import { EXIT_PLAN_MODE } from '../plan/words.ts'
import { assertNever } from '../session/errors.ts'
import type { SessionEvent } from '../session/events.ts'
import { type ImageAttachment, imagesOf, textOf } from '../session/messages.ts'
import type { Session } from '../session/session.ts'
import { title } from '../session/title.ts'
import type { TurnEndReason } from '../session/turn-end.ts'

/** A session as a person reads it, in plain text: one paragraph for each thing that happened. */
export function transcriptOf(session: Session): string {
  const head = `${session.state(title) ?? session.id}\n${session.id} · ${new Date(session.header.createdAt).toISOString()}`
  const paragraphs = [...session.from()].flatMap(event => paragraphOf(event) ?? [])
  return `${[head, ...paragraphs].join('\n\n')}\n`
}

function paragraphOf(event: SessionEvent): string | undefined {
  switch (event.type) {
    case 'user/message': {
      // The summary has a paragraph of its own.
      if (compactionOf(event) !== undefined) return undefined
      const who = event.data.source.kind === 'user' ? 'User' : 'Notice to the model'
      return `${who}: ${[...imagesOf(event.data).map(imageMark), textOf(event.data)].filter(part => part !== '').join('\n')}`
    }
    case 'assistant/message': {
      const text = textOf(event.data.message)
      return text === '' ? undefined : `Agent: ${text}`
    }
    case 'tool/call':
      if (event.data.name === EXIT_PLAN_MODE) return '> presents a plan'
      return `> ${event.data.name} ${event.data.arguments}`
    case 'tool/code-dispatch-start':
      if (event.data.name === EXIT_PLAN_MODE) return '> > presents a plan'
      return `> > ${event.data.name} ${JSON.stringify(event.data.arguments)}`
    case 'tool/result':
      return event.data.error === undefined ? undefined : `> failed: ${event.data.error.code}`
    case 'plan/mode':
      return `* plan mode ${event.data.active ? 'on' : 'off'}`
    case 'review/presented':
      return `* plan presented (${event.data.planHash.slice(0, 12)})`
    case 'review/decided':
      return `* review ${event.data.decision}${event.data.feedback === undefined ? '' : `: ${event.data.feedback}`}`
    case 'command/run':
      return `* /${event.data.name}${event.data.args ?? ''}`
    case 'approval/decided':
      return `* edit ${event.data.outcome}`
    case 'compaction/summary': {
      const { shadowedSeqs, shadowedTokenCount: tokens, summary } = event.data
      return `* ${shadowedSeqs.length} messages summarised for the model (about ${tokens} tokens):\n\n${textOf({ content: summary })}`
    }
    case 'compaction/end':
      return event.data.error === undefined ? undefined : `* not summarised: ${event.data.error}`
    case 'turn/end':
      return endOf(event.data.reason)
    default:
      return undefined
  }
}

/** "[image board.png, image/png, 320 x 200, 3f2a…]": the id names its file among the root's attachments. */
function imageMark({ attachmentId, name, mediaType, width, height }: ImageAttachment): string {
  const called = name === undefined ? '' : ` ${name},`
  return `[image${called} ${mediaType}, ${width} x ${height}, ${attachmentId.slice(0, 12)}]`
}

function endOf(reason: TurnEndReason): string | undefined {
  switch (reason.kind) {
    case 'completed':
      return undefined
    case 'aborted':
      return `* stopped (${reason.reason.kind})`
    case 'blocked':
      return '* not started: a check refused it'
    case 'error':
      return `* failed: ${reason.error.message}`
    case 'max-tokens':
      return '* cut at the limit of the answer'
    case 'interrupted':
      return '* interrupted'
    default:
      return assertNever(reason)
  }
}
