// A long conversation of an agent that reads and edits files, the same on every run: about 70 % of it stream chunks.
import type { EventData, EventType, SessionEvent } from '../../src/session/events.ts'
import type { Block, Chunk } from '../../src/session/messages.ts'

type Draft = { [T in EventType]: readonly [type: T, data: EventData<T>, more?: Partial<SessionEvent>] }[EventType]

const words =
  'the file reads a list of orders and groups them by day before it prints each total so we could move that rule into its own function then test it against an empty order const order = await readOrder(path) if (order.total === 0) return [] é ü “quoted” {"key": [1, 2]}'.split(
    ' ',
  )
const LONGEST_TURN = 600
const model = { provider: 'demo', model: 'demo-large' }

/** Exactly `count` events, no turn left open; `seq` from 0, times as a stream would have them. */
export function* events(count: number): Generator<SessionEvent, void> {
  const random = randomFrom(20250101)
  let seq = 0
  let time = 1_760_000_000_000
  let turn = 0
  const next = ([type, data, more]: Draft): SessionEvent => {
    time += gapBefore(type, random)
    // A draft's parts belong together by its type.
    return { type, seq: seq++, time, data, ...more } as SessionEvent
  }
  while (count - seq > LONGEST_TURN) for (const draft of turnOf(++turn, random, () => seq)) yield next(draft)
  for (let active = true; seq < count; active = !active) yield next(['plan/mode', { active }])
}

/** The batches a write-behind queue with a window of 200 ms makes of them. */
export function* batches(source: Iterable<SessionEvent>): Generator<SessionEvent[], void> {
  let batch: SessionEvent[] = []
  for (const event of source) {
    if (event.time - (batch[0]?.time ?? event.time) > 200) {
      yield batch
      batch = []
    }
    batch.push(event)
  }
  if (batch.length > 0) yield batch
}

/** The data of so many text deltas of one answer, each a new object. */
export function* chunks(count: number): Generator<EventData<'assistant/chunk'>, void> {
  for (const text of tokenTexts(count)) yield { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text } }
}

/** The texts of so many tokens of one answer. */
export function* tokenTexts(count: number): Generator<string, void> {
  const random = randomFrom(7)
  for (let k = 0; k < count; k++) yield `${textOf(1, random)} `
}

type Random = () => number

function* turnOf(turn: number, random: Random, seq: () => number): Generator<Draft, void> {
  yield ['turn/start', { turn }]
  if (turn % 9 === 1) yield ['plan/mode', { active: turn % 18 === 1 }]
  const steps = 2 + Math.floor(random() * 6)
  for (let step = 1; step <= steps; step++) {
    yield ['step/start', { turn, step }]
    if (step === 1) yield* opening(turn, random)
    yield* stepOf(turn, step, step < steps ? 1 + Math.floor(random() * 2) : 0, random, seq)
    yield ['step/end', { turn, step }]
  }
  yield ['turn/end', { turn, reason: { kind: 'completed' } }]
}

function* opening(turn: number, random: Random): Generator<Draft, void> {
  const content: Block[] = [{ type: 'text', text: textOf(30, random) }]
  const message = { id: `user-${turn}`, role: 'user' as const, content, source: { kind: 'user' as const } }
  yield ['user/message', message, { surfaceOp: 'append' }]
  if (turn > 1) return
  const tools = [{ name: 'read_file', description: textOf(20, random), parameters: { type: 'object' } }]
  yield ['request/header', { reason: 'initial', header: { config: model, system: textOf(200, random), tools } }]
  yield ['request/context', { ...model, contextWindow: 200_000 }]
}

function* stepOf(turn: number, step: number, calls: number, random: Random, seq: () => number): Generator<Draft, void> {
  const first = seq()
  const content: Block[] = []
  yield* streamed(turn, step, 'reasoning', content, 3 + Math.floor(random() * 3), random)
  if (calls !== 1) yield* streamed(turn, step, 'text', content, 3 + Math.floor(random() * 4), random)
  for (let call = 0; call < calls; call++) yield* callChunks(turn, step, content, random)
  const usage = { inputTokens: 1000 + turn, outputTokens: 200, cacheReadTokens: 30_000 }
  yield ['assistant/chunk', { turn, step, chunk: { type: 'usage', usage } }]
  const reason = { kind: calls > 0 ? ('tool-calls' as const) : ('stop' as const) }
  yield ['assistant/chunk', { turn, step, chunk: { type: 'finish', reason } }]
  const sources = Array.from({ length: seq() - first }, (_, k) => first + k)
  const message = {
    id: `assistant-${turn}-${step}`,
    role: 'assistant' as const,
    content,
    source: { kind: 'model' as const, ...model },
  }
  yield ['assistant/message', { turn, step, message, usage }, { surfaceOp: 'append', sourceEventSeqs: sources }]
  for (const part of content) {
    if (part.type !== 'tool-call') continue
    const at = seq()
    yield ['tool/call', { turn, step, callId: part.id, name: part.name, arguments: part.arguments }]
    if (random() < 0.4) {
      yield ['approval/asked', { id: `ask-${part.id}`, toolName: part.name, callId: part.id }]
      yield ['approval/decided', { id: `ask-${part.id}`, outcome: 'allowed-once' }]
    }
    yield resultOf(turn, step, part.id, at, random)
  }
}

type StreamedType = 'reasoning' | 'text'

function* streamed(
  turn: number,
  step: number,
  blockType: StreamedType,
  content: Block[],
  deltas: number,
  random: Random,
): Generator<Draft, void> {
  const index = content.length
  const chunk = (given: Chunk): Draft => ['assistant/chunk', { turn, step, chunk: given }]
  yield chunk({ type: 'block-start', index, blockType })
  let whole = ''
  for (let k = 0; k < deltas; k++) {
    const text = `${textOf(1 + Math.floor(random() * 3), random)} `
    whole += text
    yield chunk({ type: `${blockType}-delta`, index, text })
  }
  const block: Block = { type: blockType, text: whole }
  content.push(block)
  yield chunk({ type: 'block-end', index, block })
}

function* callChunks(turn: number, step: number, content: Block[], random: Random): Generator<Draft, void> {
  const index = content.length
  const id = `call-${turn}-${step}-${index}`
  const chunk = (given: Chunk): Draft => ['assistant/chunk', { turn, step, chunk: given }]
  yield chunk({ type: 'block-start', index, blockType: 'tool-call' })
  const text = JSON.stringify({
    path: `src/${Math.floor(random() * 900)}/orders.ts`,
    offset: Math.floor(random() * 400),
  })
  for (let at = 0; at < text.length; at += 13) {
    const argumentsDelta = text.slice(at, at + 13)
    yield chunk({ type: 'tool-call-delta', index, id, ...(at === 0 ? { name: 'read_file' } : {}), argumentsDelta })
  }
  const block: Block = { type: 'tool-call', id, name: 'read_file', arguments: text }
  content.push(block)
  yield chunk({ type: 'block-end', index, block })
}

function resultOf(turn: number, step: number, callId: string, callSeq: number, random: Random): Draft {
  const text = textOf(40 + Math.floor(random() * 200), random)
  const message = {
    id: `result-${callId}`,
    role: 'user' as const,
    content: [
      { type: 'tool-result' as const, toolCallId: callId, content: [{ type: 'text' as const, text }], isError: false },
    ],
    source: { kind: 'tool' as const, callId },
  }
  return ['tool/result', { turn, step, message }, { surfaceOp: 'append', sourceEventSeqs: [callSeq] }]
}

function textOf(count: number, random: Random): string {
  return Array.from({ length: count }, () => words[Math.floor(random() * words.length)]).join(' ')
}

/** Milliseconds since the event before. */
function gapBefore(type: EventType, random: Random): number {
  switch (type) {
    case 'assistant/chunk':
      return 5 + Math.floor(random() * 25)
    case 'tool/result':
      return 20 + Math.floor(random() * 900)
    case 'turn/start':
      return 20_000
    case 'user/message':
    case 'request/context':
      return 1
    default:
      return Math.floor(random() * 4)
  }
}

/** Numbers from 0 up to 1, always the same ones (mulberry32). */
function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
