import type { LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'

type UserContent = Extract<LanguageModelV4Prompt[number], { role: 'user' }>['content']

/**
 * A prompt as chat completions take it: there a tool message holds text only, so the images of tool results come in a
 * user message right behind their batch, each named by its call. One message never changes an earlier one.
 */
export function withImagesApart(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt.flatMap((message): LanguageModelV4Prompt => {
    if (message.role !== 'tool') return [message]
    const images = message.content.flatMap(part => (part.type === 'tool-result' ? imagesOf(part) : []))
    if (images.length === 0) return [message]
    const content = message.content.map(part => (part.type === 'tool-result' ? asText(part) : part))
    return [
      { ...message, content },
      { role: 'user', content: images },
    ]
  })
}

function imagesOf({ toolName, toolCallId, output }: LanguageModelV4ToolResultPart): UserContent {
  if (output.type !== 'content') return []
  const files = output.value.flatMap(part => (part.type === 'file' ? [part] : []))
  if (files.length === 0) return []
  return [{ type: 'text', text: `[What the call ${toolCallId} of ${toolName} shows:]` }, ...files]
}

function asText(part: LanguageModelV4ToolResultPart): LanguageModelV4ToolResultPart {
  const { output } = part
  if (output.type !== 'content') return part
  const value = output.value.flatMap(each => (each.type === 'text' ? [each.text] : [])).join('\n\n')
  return { ...part, output: { type: 'text', value } }
}
