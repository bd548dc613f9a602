import { z } from 'zod'
import { resultText, skipped, stopped, unsaved } from '../../agent/loop/tool-results.ts'
import { EXIT_PLAN_MODE } from '../../plan/words.ts'
import type { EventData, SessionEvent } from '../../session/events.ts'
import type { Block, ToolMessage } from '../../session/messages.ts'
import { ASK_USER_QUESTION } from '../../tools/ask-words.ts'
import type { Item } from '../../webview/transcript-messages.ts'
import { boundedText } from './bounded-text.ts'
import type { Entries } from './entries.ts'
import { answeredItem, type QuestionEnd, questionItem } from './question-entries.ts'
import { programOf, toolInput, toolTitle } from './tool-title.ts'

type ToolItem = Extract<Item, { kind: 'tool' }>

interface Call {
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** Seq of the `tool/call`; undefined for a call that was announced and never began. */
  readonly seq?: number
  /** The entry of the program that made the call. */
  readonly parent?: string
  /** The session of the explorer that it sent out. */
  readonly explorer?: string
}

type Dispatch = SessionEvent<'tool/code-dispatch-start' | 'tool/code-dispatch'>['data']

const OUTPUT_LIMIT = 8_000

/** The call never ran, was stopped, or was cut by the end of the program. */
const stoppedCodes: ReadonlySet<string> = new Set([
  'ABORTED',
  'ABORTED_BEFORE_DISPATCH',
  'TOOL_NOT_STARTED',
  'TOOL_OUTCOME_UNKNOWN',
])

/** How the records of a program's calls say the same: they carry no code. */
const stoppedTexts: ReadonlySet<string> = new Set([stopped, skipped, unsaved].map(resultText))

/** What a program's result says of the calls it made, by their ids. */
const callsMeta = z.object({ calls: z.record(z.string(), z.unknown()) })
const changeMeta = z.object({ path: z.string(), added: z.int().nonnegative(), removed: z.int().nonnegative() })

/**
 * The tool calls of the open turn. A call of the exit tool has no entry of its own unless it ends without having put a
 * plan before anyone (`isPlan` tells, by the seq of the call).
 */
export class ToolCalls {
  readonly #entries: Entries
  readonly #isPlan: (callSeq: number) => boolean
  readonly #open = new Map<string, Call>()
  /** Of the open turn: entries of the calls that programs made, by the ids of those calls. */
  readonly #inner = new Map<string, string>()

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

  explorer({ data: { callId, childId } }: SessionEvent<'subagent/started'>): void {
    const known = this.#open.get(callId)
    if (known?.seq === undefined) return
    const call = { ...known, explorer: childId }
    this.#open.set(callId, call)
    this.#entries.put(toolItem(call, 'running', ''))
  }

  /** A later replacement of a result (by compaction) leaves the entry as it was. */
  result({ data, surfaceOp }: SessionEvent<'tool/result'>): void {
    const call = this.#open.get(data.message.source.callId)
    if (call === undefined || surfaceOp !== 'append') return
    this.#open.delete(data.message.source.callId)
    if (call.seq !== undefined && this.#isPlan(call.seq)) return
    const item = this.#ended(call, { status: statusOf(data), output: outputOf(data.message), code: data.error?.code })
    const change = changeMeta.safeParse(data.meta).data
    this.#entries.put(item.kind === 'tool' && change !== undefined ? { ...item, change } : item)
    this.#tellOfInner(data)
  }

  /** A program calls a tool. */
  dispatched(seq: number, data: Dispatch): void {
    const parent = this.#open.get(data.parentCallId)?.id
    const args = JSON.stringify(data.arguments)
    const call: Call = {
      id: `tool-${seq}`,
      name: data.name,
      arguments: args,
      seq,
      ...(parent === undefined ? {} : { parent }),
    }
    this.#open.set(data.subCallId, call)
    this.#inner.set(data.subCallId, call.id)
    if (call.name !== EXIT_PLAN_MODE) this.#entries.put(questionOf(call) ?? toolItem(call, 'running', ''))
  }

  settled({ subCallId, isError, content }: EventData<'tool/code-dispatch'>): void {
    const call = this.#open.get(subCallId)
    this.#open.delete(subCallId)
    if (call?.seq === undefined || this.#isPlan(call.seq)) return
    const output = textOf(content)
    const status = !isError ? 'done' : stoppedTexts.has(output) ? 'stopped' : 'failed'
    this.#entries.put(this.#ended(call, { status, output }))
  }

  /** The turn is over: what still runs in the log was stopped. */
  close(): void {
    for (const { id } of this.#open.values()) this.#stop(id)
    this.#open.clear()
    this.#inner.clear()
  }

  #ended(call: Call, end: QuestionEnd): ToolItem | Extract<Item, { kind: 'question' }> {
    const question = this.#entries.get(call.id)
    if (question?.kind === 'question') return answeredItem(question, end)
    return toolItem(call, end.status, boundedText(end.output, OUTPUT_LIMIT))
  }

  /** The program is over: what it changed is known, and what it left open will not end any more. */
  #tellOfInner({ message, meta }: EventData<'tool/result'>): void {
    const calls = callsMeta.safeParse(meta).data?.calls ?? {}
    for (const [subCallId, told] of Object.entries(calls)) {
      const item = this.#entries.get(this.#inner.get(subCallId) ?? '')
      const change = changeMeta.safeParse(told).data
      if (item?.kind === 'tool' && change !== undefined) this.#entries.put({ ...item, change })
    }
    for (const [subCallId, { id }] of this.#open) {
      if (!subCallId.startsWith(`${message.source.callId}:code:`)) continue
      this.#open.delete(subCallId)
      this.#stop(id)
    }
  }

  #stop(id: string): void {
    const item = this.#entries.get(id)
    if (item?.kind === 'tool') this.#entries.put({ ...item, status: 'stopped' })
    if (item?.kind === 'question') this.#entries.put({ ...item, state: 'stopped' })
  }
}

function questionOf({ id, name, arguments: raw }: Call): Item | undefined {
  return name === ASK_USER_QUESTION ? questionItem(id, raw) : undefined
}

function toolItem(call: Call, status: ToolItem['status'], output: string): ToolItem {
  const { id, name, parent, explorer } = call
  const code = programOf(name, call.arguments)
  return {
    kind: 'tool',
    id,
    name,
    title: toolTitle(name, call.arguments),
    status,
    input: toolInput(call.arguments, code === undefined ? undefined : 'code'),
    output,
    ...(code === undefined ? {} : { code }),
    ...(parent === undefined ? {} : { parent }),
    ...(explorer === undefined ? {} : { explorer: { sessionId: explorer, activity: null } }),
  }
}

function statusOf({ message, error }: EventData<'tool/result'>): QuestionEnd['status'] {
  if (error !== undefined && stoppedCodes.has(error.code)) return 'stopped'
  return message.content.some(part => part.type === 'tool-result' && part.isError === true) ? 'failed' : 'done'
}

function outputOf(message: ToolMessage): string {
  return textOf(message.content.flatMap(part => (part.type === 'tool-result' ? part.content : [])))
}

function textOf(content: readonly Block[]): string {
  return content.flatMap(part => (part.type === 'image' ? '[image]' : 'text' in part ? part.text : [])).join('\n')
}
