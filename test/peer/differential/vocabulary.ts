import { type ModelRequest, SECTION } from './program.ts'

/** Every program words its notices and results itself; a vocabulary gives their meaning. The group is what varies. */
export type Vocabulary = readonly (readonly [meaning: string, text: RegExp])[]

interface Message {
  readonly role: string
  readonly content: readonly Block[]
}

interface Block {
  readonly type: string
  readonly text?: string
  readonly name?: string
  readonly arguments?: string
  readonly content?: readonly Block[]
}

interface LoggedEvent {
  readonly type: string
  readonly data: unknown
}

interface Splice {
  readonly target: string
  readonly removedCount?: number
  readonly inserted: readonly Message[]
}

interface LoggedHeader {
  readonly reason: string
  readonly header: { readonly tools?: readonly { readonly name: string }[] }
}

/** Tools that only this project has. */
export const OWN_TOOLS: ReadonlySet<string> = new Set(['revise_plan', 'plan_progress'])

/** What both programs can say in a header; one that only follows a restart is a header of its own. */
function shared({ header, reason }: LoggedHeader): string {
  const tools = header.tools?.filter(({ name }) => !OWN_TOOLS.has(name))
  return JSON.stringify([reason === 'change' ? 'initial' : reason, { ...header, tools }])
}

/** Matches exactly this text; `<…>` in it stands for anything. */
export function exactly(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace('<…>', '([^]*)')}$`)
}

export function eventsIn(words: Vocabulary, events: Iterable<LoggedEvent>): string[] {
  let header = ''
  const named = [...events].map(({ type, data }) => {
    if (type === 'agent/inbox/spliced') return `${type} ${spliced(words, data as Splice)}`
    if (type !== 'request/header') return type
    const before = header
    header = shared(data as LoggedHeader)
    return header === before ? `${type} of own tools` : type
  })
  return named.filter((type, index) => type !== 'assistant/chunk' || named[index - 1] !== type)
}

function spliced(words: Vocabulary, { target, removedCount = 0, inserted }: Splice): string {
  const added = inserted.map(message => `+ ${told(words, message).join(' ')}`)
  return [target, ...(removedCount === 0 ? [] : [`- ${removedCount}`]), ...added].join(' ')
}

/** The system text, the declared tools and the history that a model gets. */
export function requestIn(
  words: Vocabulary,
  system: string | undefined,
  tools: readonly { readonly name: string }[] | undefined,
  messages: readonly unknown[],
): ModelRequest {
  return {
    guidance: system?.includes(SECTION) ?? false,
    tools: (tools ?? []).map(({ name }) => name),
    messages: messages.flatMap(message => told(words, message as Message)),
  }
}

function told(words: Vocabulary, { role, content }: Message): string[] {
  return content.map(block => {
    if (block.type === 'tool-call') return `call ${block.name} ${block.arguments}`
    if (block.type === 'tool-result') return `result ${meaning(words, (block.content ?? []).map(textOf).join(''))}`
    return `${block.type === 'text' ? role : block.type} ${meaning(words, textOf(block))}`
  })
}

function textOf({ text = '' }: Block): string {
  return text
}

function meaning(words: Vocabulary, text: string): string {
  for (const [name, pattern] of words) {
    const found = pattern.exec(text)
    if (found !== null) return `{${[name, ...found.slice(1)].join(': ')}}`
  }
  return text
}
