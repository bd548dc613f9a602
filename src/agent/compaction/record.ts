import { assertNever } from '../../session/errors.ts'
import { type Block, textOf } from '../../session/messages.ts'
import type { Session } from '../../session/session.ts'
import { messageOfEvent } from '../../session/surface.ts'
import { compactionOf } from './bracket.ts'
import { textTokens } from './tokens.ts'
import * as words from './words.ts'

/** Characters of one entry, tried in turn until the record fits. */
const CAPS = [Number.POSITIVE_INFINITY, 20_000, 5_000, 1_200, 300] as const

/** One thing that was said. `head` stands at the margin and all of `text` is indented: none of it can look like a head. */
interface Entry {
  readonly head: string
  readonly text: string
}

/**
 * The messages at these seqs as one text that a model is to summarise, in at most `room` measured tokens: long entries
 * lose their middle, and if that is not enough the oldest are left out; both are said in the text.
 */
export function recordOf(session: Session, seqs: readonly number[], room: number): string {
  const names = callNames(session, seqs)
  const entries = seqs.flatMap(seq => entriesOf(session, seq, names))
  for (const cap of CAPS) {
    const text = joined(entries.map(entry => written(entry, cap)))
    if (textTokens(text) <= room) return text
  }
  const short = entries.map(entry => written(entry, CAPS.at(-1) ?? 0))
  let first = 0
  let left = short.reduce((sum, entry) => sum + textTokens(entry) + 1, 0)
  while (left > room && first < short.length - 1) left -= textTokens(short[first++] ?? '') + 1
  return joined([words.messagesLeftOut(first), ...short.slice(first)])
}

function joined(entries: readonly string[]): string {
  return entries.join('\n\n')
}

function written({ head, text }: Entry, cap: number): string {
  return `${head}\n${shortened(text, cap).replace(/^/gm, '  ')}`
}

function entriesOf(session: Session, seq: number, names: ReadonlyMap<string, string>): Entry[] {
  const event = session.at(seq)
  const { content } = messageOfEvent(event) ?? { content: [] }
  if (event.type !== 'user/message') return content.flatMap(block => entryOf(block, names))
  const head =
    event.data.source.kind === 'user'
      ? words.roles.user
      : compactionOf(event) === undefined
        ? words.roles.host
        : words.roles.checkpoint
  const images = content.flatMap(block => (block.type === 'image' ? [imageOf(block)] : []))
  return [{ head, text: [...images, textOf(event.data)].filter(part => part !== '').join('\n') }]
}

/** What the model thought stays out: it is no part of what was said or done. */
function entryOf(block: Block, names: ReadonlyMap<string, string>): Entry[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [{ head: words.roles.agent, text: block.text }]
    case 'reasoning':
      return []
    case 'image':
      return [{ head: words.roles.agent, text: imageOf(block) }]
    case 'tool-call':
      return [{ head: words.callHead(oneLine(block.name)), text: block.arguments }]
    case 'tool-result': {
      const text = block.content.map(part => (part.type === 'image' ? imageOf(part) : part.text)).join('\n')
      const name = oneLine(names.get(block.toolCallId) ?? 'a call')
      return [{ head: words.resultHead(name, block.isError === true), text }]
    }
    default:
      return assertNever(block)
  }
}

function imageOf({ attachment }: Extract<Block, { type: 'image' }>): string {
  return words.imageMark(attachment.name ?? attachment.attachmentId)
}

function callNames(session: Session, seqs: readonly number[]): ReadonlyMap<string, string> {
  const blocks = seqs.flatMap(seq => messageOfEvent(session.at(seq))?.content ?? [])
  return new Map(blocks.flatMap(block => (block.type === 'tool-call' ? [[block.id, block.name] as const] : [])))
}

/** A name is the model's own text. */
function oneLine(name: string): string {
  return name.replace(/\s+/g, ' ')
}

/** Keeps the beginning and the end, never half a character. */
function shortened(text: string, cap: number): string {
  if (text.length <= cap) return text
  const head = text.slice(0, Math.ceil(cap * 0.7)).replace(/[\uD800-\uDBFF]$/, '')
  const tail = text.slice(text.length - Math.floor(cap * 0.3)).replace(/^[\uDC00-\uDFFF]/, '')
  return `${head}\n${words.leftOut(text.length - head.length - tail.length)}\n${tail}`
}
