// What the scripted model reads out of a prompt: the task at hand, what its tools found, what became of its plan.
import type { LanguageModelV4FilePart, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { z } from 'zod'
import { CHECKPOINT_BEFORE } from '../../agent/compaction/words.ts'
import { imageFacts } from '../../session/image-facts.ts'

export interface CallEntry {
  readonly kind: 'call'
  readonly id: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly result: { readonly text: string; readonly failed: boolean }
}

export type Entry =
  /** `images`: each in words, such as "an image 320 x 200". */
  | { readonly kind: 'user'; readonly text: string; readonly images?: readonly string[] }
  | { readonly kind: 'model'; readonly text: string }
  | CallEntry

const input = z.record(z.string(), z.unknown()).catch({})

/** The prompt as one flat list; a call stands where it was made and carries its result. */
export function readEntries(prompt: LanguageModelV4Prompt): readonly Entry[] {
  const results = new Map<string, CallEntry['result']>()
  for (const message of prompt) {
    if (message.role !== 'tool') continue
    for (const part of message.content) if (part.type === 'tool-result') results.set(part.toolCallId, resultOf(part))
  }
  return prompt.flatMap((message): Entry[] => {
    if (message.role === 'user') {
      return [
        {
          kind: 'user',
          text: message.content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n'),
          images: message.content.flatMap(part => (part.type === 'file' ? [imageText(part)] : [])),
        },
      ]
    }
    if (message.role !== 'assistant') return []
    return message.content.flatMap((part): Entry[] => {
      if (part.type === 'text') return [{ kind: 'model', text: part.text }]
      if (part.type !== 'tool-call') return []
      const result = results.get(part.toolCallId) ?? { text: 'no result', failed: true }
      return [{ kind: 'call', id: part.toolCallId, tool: part.toolName, input: input.parse(part.input), result }]
    })
  })
}

function imageText({ data }: LanguageModelV4FilePart): string {
  const facts = data.type === 'data' && typeof data.data !== 'string' ? imageFacts(data.data) : undefined
  return facts === undefined ? 'a file' : `an image ${facts.width} x ${facts.height}`
}

/** What came along with the messages that wait for an answer; undefined when they are words only. */
export function imagesIn(entries: readonly Entry[]): string | undefined {
  const answered = entries.findLastIndex(entry => entry.kind !== 'user')
  const images = entries.slice(answered + 1).flatMap(entry => (entry.kind === 'user' ? (entry.images ?? []) : []))
  return images.length === 0 ? undefined : images.join(' and ')
}

function resultOf({ output }: LanguageModelV4ToolResultPart): CallEntry['result'] {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return { text: output.value, failed: output.type === 'error-text' || output.value.startsWith('Error: ') }
    case 'json':
    case 'error-json':
      return { text: JSON.stringify(output.value), failed: output.type === 'error-json' }
    case 'content':
      return { text: output.value.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n'), failed: false }
    case 'execution-denied':
      return { text: output.reason ?? 'denied', failed: true }
  }
}

export const isEdit = (entry: Entry): entry is CallEntry =>
  entry.kind === 'call' && (entry.tool === 'edit_file' || entry.tool === 'write_file')

export const isPresentation = (entry: Entry): entry is CallEntry =>
  entry.kind === 'call' && entry.tool === 'exit_plan_mode'

/** Words of the host about the mode or about what was summarised, as opposed to words of the person. */
function isNotice(text: string): boolean {
  return (
    /^(The user turned plan mode|Plan mode is (on|off)|The images that come with)/.test(text) ||
    text.startsWith(CHECKPOINT_BEFORE)
  )
}

/** A message that hands over an approved plan, made in another conversation or saved for later. */
export const isHandedOver = (entry: Entry): boolean =>
  entry.kind === 'user' && /^Carry out this plan\. The user approved it/.test(entry.text)

export function isPrompt(entry: Entry): boolean {
  return entry.kind === 'user' && !isNotice(entry.text)
}

export type Verdict =
  | { readonly kind: 'none' }
  /** `at` is the entry that said so. */
  | { readonly kind: 'approved'; readonly at: number }
  | { readonly kind: 'kept' }
  | { readonly kind: 'dismissed' }
  | { readonly kind: 'failed'; readonly reason: string }

/**
 * What became of the plan that was presented last, by its result and by what the person said after it. While plan mode
 * is on (`planning`) words never approve: then only the review does.
 */
export function verdictOf(task: readonly Entry[], planning: boolean): Verdict {
  const at = task.findLastIndex(isPresentation)
  const presented = task[at]
  if (presented?.kind !== 'call') return { kind: 'none' }
  const { text, failed } = presented.result
  if (!failed && saysApproved(text)) return { kind: 'approved', at }
  const later = task.map((entry, index) => (index > at && isPrompt(entry) && entry.kind === 'user' ? entry.text : ''))
  const approval = later.findLastIndex(saysApproved)
  if (approval >= 0 && !planning) return { kind: 'approved', at: approval }
  const words = later.findLast(text => text !== '')
  if (words !== undefined) return saysDismissed(words) ? { kind: 'dismissed' } : { kind: 'kept' }
  if (!failed) return { kind: 'dismissed' }
  return saysKept(text) ? { kind: 'kept' } : { kind: 'failed', reason: text.replace(/^Error: /, '') }
}

/** Everything the person asked to be changed in the plan, oldest first. */
export function feedbackIn(task: readonly Entry[]): readonly string[] {
  const first = task.findIndex(isPresentation)
  if (first < 0) return []
  return task.slice(first).flatMap(entry => {
    if (isPresentation(entry))
      return entry.result.failed && saysKept(entry.result.text) ? [feedbackOf(entry.result.text)] : []
    if (entry.kind !== 'user' || !isPrompt(entry)) return []
    return saysApproved(entry.text) || saysDismissed(entry.text) ? [] : [feedbackOf(entry.text)]
  })
}

function saysApproved(text: string): boolean {
  return (
    /\bapproved the plan\b|\bplan (was|is|has been) approved\b|"?approved"?: ?true/i.test(text) &&
    !/not approved/i.test(text)
  )
}

function saysDismissed(text: string): boolean {
  return /closed the review/i.test(text)
}

function saysKept(text: string): boolean {
  return /keeps? planning|feedback|remarks/i.test(text)
}

/** The person's own words, without the sentences that a host puts around them. */
function feedbackOf(text: string): string {
  const framed = /feedback[^:\n]*:\s*\n*([\s\S]*?)(?:\n\nWork it in[^\n]*)?$/i.exec(text)?.[1]
  const words = (framed ?? text.replace(/^Error: /, '')).trim()
  return /gave no remarks/.test(words) || words === '' ? 'No remarks were given.' : words
}
