import { z } from 'zod'

/**
 * Shapes of what a model sees (session-log format, section 4). Block and source sets are open: logs of other programs
 * hold kinds that this build only carries along.
 */
const id = z.string().min(1)
const count = z.int().nonnegative()

export const textBlock = z.strictObject({ type: z.literal('text'), text: z.string() })
export const reasoningBlock = z.strictObject({ type: z.literal('reasoning'), text: z.string() })
/** `arguments` is the model's raw JSON string and may be invalid. */
export const toolCallBlock = z.strictObject({
  type: z.literal('tool-call'),
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
})
/** A picture whose bytes lie outside the log, under its id; sizes in bytes and pixels. */
export const imageAttachment = z.strictObject({
  attachmentId: id,
  mediaType: z.enum(['image/png', 'image/jpeg', 'image/webp', 'image/gif']),
  bytes: count,
  width: count,
  height: count,
  name: z.string().optional(),
  originalDimensions: z.strictObject({ width: count, height: count }).optional(),
})
export const imageBlock = z.strictObject({ type: z.literal('image'), attachment: imageAttachment })
export const toolResultBlock = z.strictObject({
  type: z.literal('tool-result'),
  toolCallId: z.string(),
  content: z.array(z.discriminatedUnion('type', [textBlock, reasoningBlock, imageBlock])),
  isError: z.boolean().optional(),
})

export const block = z.discriminatedUnion('type', [
  textBlock,
  reasoningBlock,
  toolCallBlock,
  imageBlock,
  toolResultBlock,
])

/** `plugin` sources carry more keys by their form; they are kept as they are. */
export const source = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('user') }),
  z.looseObject({ kind: z.literal('plugin'), plugin: id, form: z.string().optional(), summary: z.string().optional() }),
  z.looseObject({ kind: z.literal('model'), provider: id, model: id }),
  z.looseObject({ kind: z.literal('tool'), callId: id }),
])

const messageOf = <R extends string, S extends z.ZodType>(role: R, from: S) =>
  z.strictObject({ id, role: z.literal(role), content: z.array(block), source: from })

export const userMessage = messageOf('user', source)
export const assistantMessage = messageOf(
  'assistant',
  z.looseObject({ kind: z.literal('model'), provider: id, model: id }),
)
export const toolMessage = messageOf('user', z.looseObject({ kind: z.literal('tool'), callId: id }))

export type Block = z.infer<typeof block>
export type TextBlock = z.infer<typeof textBlock>
export type ImageAttachment = z.infer<typeof imageAttachment>
export type ImageBlock = z.infer<typeof imageBlock>
export type ToolCallBlock = z.infer<typeof toolCallBlock>
export type ToolResultBlock = z.infer<typeof toolResultBlock>
export type MessageSource = z.infer<typeof source>
export type UserMessage = z.infer<typeof userMessage>
export type AssistantMessage = z.infer<typeof assistantMessage>
export type ToolMessage = z.infer<typeof toolMessage>
export type Message = UserMessage | AssistantMessage | ToolMessage

/** Counts are tokens and disjoint: `inputTokens` excludes what came from a cache. */
export const usage = z.strictObject({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count.optional(),
  cacheWriteTokens: count.optional(),
  reasoningTokens: count.optional(),
})
export type Usage = z.infer<typeof usage>

export const failure = z.strictObject({
  message: z.string(),
  code: z.string(),
  status: z.int().optional(),
  providerRetryAfterMs: z.number().nonnegative().optional(),
  requestId: z.string().optional(),
})
/** Why a model request failed; codes of section 4.2. */
export type Failure = z.infer<typeof failure>

export const finishReason = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('stop') }),
  z.strictObject({ kind: z.literal('tool-calls') }),
  z.strictObject({ kind: z.literal('max-tokens') }),
  z.strictObject({ kind: z.literal('aborted'), failure }),
  z.strictObject({ kind: z.literal('error'), failure }),
])
export type FinishReason = z.infer<typeof finishReason>

/** Stream chunks (section 4.3). A `block-end` carries the assembled block and wins over its deltas. */
export const chunk = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('block-start'),
    index: count,
    blockType: z.enum(['text', 'reasoning', 'tool-call']),
  }),
  z.strictObject({ type: z.literal('text-delta'), index: count, text: z.string() }),
  z.strictObject({ type: z.literal('reasoning-delta'), index: count, text: z.string() }),
  z.strictObject({
    type: z.literal('tool-call-delta'),
    index: count,
    id: z.string(),
    name: z.string().optional(),
    argumentsDelta: z.string(),
  }),
  z.strictObject({ type: z.literal('block-end'), index: count, block }),
  z.strictObject({ type: z.literal('usage'), usage }),
  z.strictObject({ type: z.literal('finish'), reason: finishReason, replayState: z.json().optional() }),
])
export type Chunk = z.infer<typeof chunk>

/** The text of a message's text blocks, joined by blank lines. */
export function textOf(message: { readonly content: readonly Block[] }): string {
  return message.content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n')
}

/** The pictures of a message, in order. */
export function imagesOf(message: { readonly content: readonly Block[] }): ImageAttachment[] {
  return message.content.flatMap(part => (part.type === 'image' ? [part.attachment] : []))
}

/** The pictures of a message and of the tool results in it, in order. */
export function allImagesOf(message: { readonly content: readonly Block[] }): ImageAttachment[] {
  return message.content.flatMap(part => (part.type === 'tool-result' ? imagesOf(part) : imagesOf({ content: [part] })))
}

/** A new user-role message, images first; `id` is a fresh UUID. Images may come without words, nothing else may. */
export function newUserMessage(
  text: string,
  from: MessageSource = { kind: 'user' },
  images: readonly ImageBlock[] = [],
): UserMessage {
  const words: Block[] = text === '' && images.length > 0 ? [] : [{ type: 'text', text }]
  return { id: crypto.randomUUID(), role: 'user', content: [...images, ...words], source: from }
}
