import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { z } from 'zod'
import { assertNever } from '../../session/errors.ts'
import type { Block, ImageAttachment, Message, ToolCallBlock, ToolResultBlock } from '../../session/messages.ts'
import type { ImageBytes } from '../attachments.ts'
import { parseArguments } from '../loop/arguments.ts'

/**
 * Maps the model-visible history to the provider interface. Pure, and one message never changes an earlier one, so
 * that requests grow by appending. Every call gets a result and every result has a call, whatever the log holds.
 * Pictures of user messages and of tool results go along as files with the bytes that `images` gives; without it they
 * are named in words.
 */
export function toPrompt(
  system: string | undefined,
  messages: readonly Message[],
  images?: ImageBytes,
): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = system === undefined ? [] : [{ role: 'system', content: system }]
  let open: ToolCallBlock[] = []
  let results: LanguageModelV4ToolResultPart[] = []
  const closeBatch = () => {
    results.push(...open.map(each => lostResult(each)))
    if (results.length > 0) prompt.push({ role: 'tool', content: results })
    open = []
    results = []
  }
  for (const message of messages) {
    const result = resultOf(message)
    if (result !== undefined) {
      const call = open.find(each => each.id === result.toolCallId)
      if (call === undefined) continue
      open = open.filter(each => each !== call)
      results.push(resultPart(call, result, images))
    } else {
      closeBatch()
      const mapped = message.role === 'assistant' ? assistantPart(message) : userPart(message.content, images)
      if (mapped.content.length > 0) prompt.push(mapped)
      if (message.role === 'assistant') open = message.content.filter(each => each.type === 'tool-call')
    }
  }
  closeBatch()
  return prompt
}

function resultOf(message: Message): ToolResultBlock | undefined {
  return message.content.find(each => each.type === 'tool-result')
}

type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number]

function userPart(
  content: readonly Block[],
  images: ImageBytes | undefined,
): LanguageModelV4Message & { role: 'user' } {
  return { role: 'user', content: content.flatMap((each): UserPart[] => imagePart(each, images) ?? textPart(each)) }
}

function imagePart(part: Block, images: ImageBytes | undefined): UserPart[] | undefined {
  if (part.type !== 'image' || images === undefined) return undefined
  const { attachment } = part
  const data = images(attachment)
  if (data === undefined) {
    const text = `[Image ${described(attachment)}: its bytes are not stored any more, so it cannot be shown.]`
    return [{ type: 'text', text }]
  }
  const { mediaType, name: filename } = attachment
  return [{ type: 'file', mediaType, data: { type: 'data', data }, ...(filename === undefined ? {} : { filename }) }]
}

function described({ attachmentId, name = attachmentId, mediaType, width, height }: ImageAttachment): string {
  return `${name}, ${mediaType}, ${width} x ${height}`
}

/** Words for a block that stands where only text goes; a picture is named. */
function textPart(part: Block): { type: 'text'; text: string }[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    case 'image':
      return [{ type: 'text', text: `[Image ${described(part.attachment)}]` }]
    case 'tool-call':
    case 'tool-result':
      return []
    default:
      return assertNever(part)
  }
}

/** Provider metadata of each content block, as the stream gave it; providers want it back with the block. */
export const replayState = z.object({
  blocks: z.array(z.record(z.string(), z.record(z.string(), z.json())).nullable()),
})

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]

function assistantPart(message: Message): LanguageModelV4Message & { role: 'assistant' } {
  const parsed = replayState.safeParse(message.source.replayState)
  const replay = parsed.success ? parsed.data.blocks : []
  const content = message.content.flatMap((part, index): AssistantPart[] => {
    const metadata = replay[index]
    const options = metadata ? { providerOptions: metadata } : {}
    if (part.type === 'reasoning') return [{ type: 'reasoning', text: part.text, ...options }]
    if (part.type === 'tool-call') return [{ ...callPart(part), ...options }]
    return textPart(part).map(each => ({ ...each, ...options }))
  })
  return { role: 'assistant', content }
}

function callPart(call: ToolCallBlock) {
  return { type: 'tool-call' as const, toolCallId: call.id, toolName: toolName(call), input: callInput(call.arguments) }
}

/** Some providers refuse a nameless call, and the history could then never be sent again. */
function toolName(call: ToolCallBlock): string {
  return call.name === '' ? 'unknown' : call.name
}

/** Text that is no JSON object is kept as `unparsed`, since providers take objects only. */
function callInput(text: string): Record<string, unknown> {
  const parsed = parseArguments(text)
  return parsed.kind === 'object' ? parsed.value : { unparsed: text }
}

function resultPart(call: ToolCallBlock, result: ToolResultBlock, images?: ImageBytes): LanguageModelV4ToolResultPart {
  return { type: 'tool-result', toolCallId: call.id, toolName: toolName(call), output: outputOf(result, images) }
}

type Output = LanguageModelV4ToolResultPart['output']

function outputOf({ content, isError }: ToolResultBlock, images: ImageBytes | undefined): Output {
  const shown = isError === true ? undefined : images
  const value = content.flatMap((each): UserPart[] => imagePart(each, shown) ?? textPart(each))
  if (value.some(({ type }) => type === 'file')) return { type: 'content', value }
  const text = value.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n')
  return { type: isError === true ? 'error-text' : 'text', value: text }
}

function lostResult(call: ToolCallBlock): LanguageModelV4ToolResultPart {
  return resultPart(call, {
    type: 'tool-result',
    toolCallId: call.id,
    content: [{ type: 'text', text: 'Error: no result of this call was recorded.' }],
    isError: true,
  })
}
