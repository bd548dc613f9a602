import { textOf } from '../../session/messages.ts'
import type { Session } from '../../session/session.ts'
import type { Item } from '../../webview/transcript-messages.ts'
import { Transcript } from '../transcript/transcript.ts'
import { explorerActivity } from './explorer-activity.ts'
import { explorerLabel } from './explorer-label.ts'

/** What an explorer was asked, did and said, as a text to read. */
export function transcriptText(session: Session): string {
  const transcript = new Transcript(session)
  transcript.dispose()
  const doing = explorerActivity(session)
  const parts = [
    `# Explorer: ${explorerLabel(session) ?? 'no label'}`,
    doing === undefined ? 'It is over.' : `It works: ${doing}`,
    `## Task\n\n${taskOf(session) ?? 'Nothing was asked yet.'}`,
    ...transcript.items.flatMap(entryText),
  ]
  return `${parts.join('\n\n')}\n`
}

function taskOf(session: Session): string | undefined {
  for (const event of session.from()) if (event.type === 'user/message') return textOf(event.data)
  return undefined
}

function entryText(item: Item): string[] {
  switch (item.kind) {
    case 'assistant':
      return item.text.trim() === '' ? [] : [`## Said\n\n${item.text.trim()}`]
    case 'tool':
      return [`- ${item.title}${item.status === 'done' ? '' : ` (${item.status})`}`]
    case 'notice':
      return [item.text]
    case 'user':
      return [`## Asked\n\n${item.text}`]
    default:
      return []
  }
}
