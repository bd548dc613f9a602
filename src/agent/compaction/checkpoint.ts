import type { TextBlock, UserMessage } from '../../session/messages.ts'
import type { KeptText } from '../runtime.ts'
import { COMPACT } from './bracket.ts'
import { CHECKPOINT_BEFORE, keptTitle, SUMMARY_TITLE } from './words.ts'

/**
 * The message that stands for what was summarised. Every text is a block of its own, exactly, between a heading with a
 * fence and its closing: a fence is longer than any in its text, so that no text can end it.
 */
export function checkpointMessage(
  ids: { readonly compactionId: string; readonly sourceCommandId?: string },
  summary: string,
  kept: readonly KeptText[],
): UserMessage {
  const sections = kept.flatMap(({ title, text }) => fenced(keptTitle(title), text))
  return {
    id: crypto.randomUUID(),
    role: 'user',
    content: [block(CHECKPOINT_BEFORE), ...fenced(SUMMARY_TITLE, summary), ...sections],
    source: { kind: 'plugin', plugin: COMPACT, ...ids },
  }
}

/** The texts that such a message carries word for word; none for any other message. */
export function keptTexts({ source, content }: UserMessage): readonly KeptText[] {
  if (source.kind !== 'plugin' || source.plugin !== COMPACT) return []
  const [before, ...sections] = content.map(part => (part.type === 'text' ? part.text : ''))
  if (before !== CHECKPOINT_BEFORE) return []
  const kept: KeptText[] = []
  for (let at = SECTION; at + 1 < sections.length; at += SECTION) {
    const title = headingForm.exec(sections[at] ?? '')?.[1]
    if (title !== undefined) kept.push({ title, text: sections[at + 1] ?? '' })
  }
  return kept
}

/** A fence of backticks longer than any run of them in the text. */
export function fenceFor(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)
  return '`'.repeat(Math.max(3, longest + 1))
}

/** Blocks of a section: heading with fence, text, closing. */
const SECTION = 3
const headingForm = new RegExp(`^\n\n## (.*)${keptTitle('').replace(/[()]/g, '\\$&')}\n\n\`{3,}\n$`)

function fenced(title: string, text: string): TextBlock[] {
  const fence = fenceFor(text)
  return [block(`\n\n## ${title}\n\n${fence}\n`), block(text), block(`\n${fence}`)]
}

function block(text: string): TextBlock {
  return { type: 'text', text }
}
