import { z } from 'zod'
import { EXIT_PLAN_MODE } from '../../plan/words.ts'
import type { EventData, SessionEvent } from '../../session/events.ts'
import type { ToolMessage } from '../../session/messages.ts'
import { ASK_USER_QUESTION } from '../../tools/ask-words.ts'
import type { Item } from '../../webview/messages.ts'
import { boundedText } from './bounded-text.ts'
import type { Entries } from './entries.ts'
import { answeredItem, questionItem } from './question-entries.ts'
import { toolInput, toolTitle } from './tool-title.ts'

type ToolItem = Extract<Item, { kind: 'tool' }>

interface Call {
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** Seq of the `tool/call`; undefined for a call that was announced and never began. */
  readonly seq?: number
}

const OUTPUT_LIMIT = 8_000

/** The call never ran, was stopped, or was cut by the end of the program. */
const stoppedCodes: ReadonlySet<string> = new Set([
  'ABORTED',
  'ABORTED_BEFORE_DISPATCH',
  'TOOL_NOT_STARTED',
  'TOOL_OUTCOME_UNKNOWN',
])

const changeMeta = z.object({ path: z.string(), added: z.int().nonnegative(), removed: z.int().nonnegative() })

/**
 * The tool calls of the open turn. A call of the exit tool has no entry of its own unless it ends without having put a
 * plan before anyone (`isPlan` tells, by the seq of the call).
 */
export class ToolCalls {
  readonly #entries: Entries
  readonly #isPlan: (callSeq: number) => boolean
  readonly #open = new Map<string, Call>()

  constructor(entries: Entries, isPlan: (callSeq: number) => boolean) {
    this.#entries = entries
    this.#isPlan = isPlan
  }

  announce({ seq, data }: SessionEvent<'assistant/message'>): void {
    for (const [index, part] of data.message.content.entries()) {
      if (part.type === 'tool-call') this.#open.set(part.id, { ...part, id: `tool-${seq}.${index}` })
    }
  }

  call({ seq, data }: SessionEvent<'tool/call'>): void {
    const call: Call = { id: `tool-${seq}`, name: data.name, arguments: data.arguments, seq }
    this.#open.set(data.callId, call)
    if (call.name !== EXIT_PLAN_MODE) this.#entries.put(questionOf(call) ?? toolItem(call, 'running', ''))
  }

  /** The id of the entry of a call that has no result yet. */
  entryOf(callId: string): string | undefined {
    const call = this.#open.get(callId)
    return call?.seq === undefined ? undefined : call.id
  }

  /** A later replacement of a result (by compaction) leaves the entry as it was. */
  result({ data, surfaceOp }: SessionEvent<'tool/result'>): void {
    const call = this.#open.get(data.message.source.callId)
    if (call === undefined || surfaceOp !== 'append') return
    this.#open.delete(data.message.source.callId)
    if (call.seq !== undefined && this.#isPlan(call.seq)) return
    const question = this.#entries.get(call.id)
    if (question?.kind === 'question') {
      const failed = statusOf(data) !== 'done'
      this.#entries.put(answeredItem(question, data, failed, outputOf(data.message)))
      return
    }
    const output = boundedText(outputOf(data.message), OUTPUT_LIMIT)
    const { success, data: change } = changeMeta.safeParse(data.meta)
    this.#entries.put({ ...toolItem(call, statusOf(data), output), ...(success ? { change } : {}) })
  }

  /** The turn is over: what still runs in the log was stopped. */
  close(): void {
    for (const { id } of this.#open.values()) {
      const item = this.#entries.get(id)
      if (item?.kind === 'tool') this.#entries.put({ ...item, status: 'stopped' })
      if (item?.kind === 'question') this.#entries.put({ ...item, state: 'stopped' })
    }
    this.#open.clear()
  }
}

function questionOf({ id, name, arguments: raw }: Call): Item | undefined {
  return name === ASK_USER_QUESTION ? questionItem(id, raw) : undefined
}

function toolItem(call: Call, status: ToolItem['status'], output: string): ToolItem {
  const { id, name } = call
  return {
    kind: 'tool',
    id,
    name,
    title: toolTitle(name, call.arguments),
    status,
    input: toolInput(call.arguments),
    output,
  }
}

function statusOf({ message, error }: EventData<'tool/result'>): ToolItem['status'] {
  if (error !== undefined && stoppedCodes.has(error.code)) return 'stopped'
  return message.content.some(part => part.type === 'tool-result' && part.isError === true) ? 'failed' : 'done'
}

function outputOf(message: ToolMessage): string {
  const parts = message.content.flatMap(part => (part.type === 'tool-result' ? part.content : []))
  return parts.map(part => (part.type === 'image' ? '[image]' : part.text)).join('\n')
}
