// What a screen reader hears beside the messages themselves: that something waits for the person.
import type { Item } from '../transcript-messages.ts'
import type { TranscriptMessage } from './transcript.ts'
import { words } from './words.ts'

/** The sentence for what a message newly brings to wait; null when it brings nothing. */
export function announcement(items: readonly Item[], message: TranscriptMessage): string | null {
  if (message.kind !== 'upsert') return null
  const known = new Set(items.map(item => item.id))
  const added = message.items.findLast(item => !known.has(item.id) && 'state' in item && item.state === 'waiting')
  if (added?.kind === 'plan') return words.planReady(added.title)
  return added?.kind === 'approval' ? words.approvalNeeded(added.title) : null
}
