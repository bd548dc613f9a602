import type { Item } from '../../webview/transcript-messages.ts'
import { shortText } from '../transcript/bounded-text.ts'

/** A turn that has ended, and the first words that a person said in it. */
export interface FinishedTurn {
  readonly turn: number
  /** Undefined for a turn that nobody's words began, such as one after a late verdict. */
  readonly words: string | undefined
}

/** The finished turns of a transcript, newest first. */
export function finishedTurns(items: readonly Item[]): readonly FinishedTurn[] {
  const turns: FinishedTurn[] = []
  let words: string | undefined
  for (const item of items) {
    if (item.kind === 'user') words ??= firstLine(item.text)
    if (item.turn === undefined) continue
    turns.push({ turn: item.turn, words })
    words = undefined
  }
  return turns.reverse()
}

function firstLine(text: string): string | undefined {
  const line = text
    .split(/[\r\n]+/)
    .map(each => each.replace(/\s+/g, ' ').trim())
    .find(each => each !== '')
  return line && shortText(line, 120)
}
