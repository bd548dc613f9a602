import assert from 'node:assert/strict'
import { inboxOf } from '../../src/agent/live/inbox.ts'
import type { SessionEvent } from '../../src/session/events.ts'
import type { Session } from '../../src/session/session.ts'
import { deriveMessages } from '../../src/session/surface.ts'
import { CompactionRules } from './compaction-invariants.ts'

const NEVER_SETTLED = 'inner calls that never settled'

interface Open {
  turn: number
  step: number
  turnOpen: boolean
  stepOpen: boolean
  /** Of the open step: calls announced by its answer, calls started, calls with a result. */
  announced: string[]
  started: Map<string, number>
  answered: Set<string>
  chunks: Set<number>
  approvals: Set<string>
  commands: Map<string, 'running' | 'done'>
  retries: Map<string, number>
  /** Of the open step: the calls that programs made, by their ids; `open` until they settle. */
  inner: Map<string, { root: string; name: string; arguments: string; open: boolean }>
}

export interface InvariantOptions {
  /** False while a turn may still be running. */
  readonly balanced?: boolean
  /** True when the log refused appends: an inner call may then lack its end. */
  readonly refusing?: boolean
}

/** Asserts the rules of section 17 of the session-log format over a whole log, in words of what is broken. */
export function assertInvariants(session: Session, { balanced = true, refusing = false }: InvariantOptions = {}): void {
  const found = [...invariantProblems(session.from(0), balanced)]
  const problems = refusing ? found.filter(problem => !problem.includes(NEVER_SETTLED)) : found
  if (problems.length > 0) assert.fail(`${problems.join('\n')}\n\n${outline(session.from(0))}`)
  inboxOf(session)
  for (const message of deriveMessages(session)) assert.ok(message.id !== '')
}

/** One line per event, for a message a person reads. */
export function outline(events: Iterable<SessionEvent>): string {
  return [...events].map(event => `${event.seq} ${event.type} ${JSON.stringify(event.data).slice(0, 160)}`).join('\n')
}

export function* invariantProblems(events: Iterable<SessionEvent>, balanced: boolean): Generator<string> {
  const open: Open = {
    turn: 0,
    step: 0,
    turnOpen: false,
    stepOpen: false,
    announced: [],
    started: new Map(),
    answered: new Set(),
    chunks: new Set(),
    approvals: new Set(),
    commands: new Map(),
    retries: new Map(),
    inner: new Map(),
  }
  const compaction = new CompactionRules()
  const records = new Set<number>()
  let next = 0
  for (const event of events) {
    const say = (problem: string) => `event ${event.seq} (${event.type}): ${problem}`
    if (event.seq !== next++) yield say('seq is not contiguous')
    for (const problem of sourceProblems(event)) yield say(problem)
    for (const problem of eventProblems(event, open)) yield say(problem)
    for (const problem of compaction.problems(event)) yield say(problem)
    if (event.type.startsWith('command/')) records.add(event.seq)
    if (event.type === 'command/done' && event.data.sourceEventSeq !== undefined) {
      const { kind, sourceEventSeq } = event.data
      if (kind === 'error' || sourceEventSeq >= event.seq || records.has(sourceEventSeq)) yield say('a wrong source')
    }
  }
  if (balanced && open.turnOpen) yield `the log ends inside turn ${open.turn}`
}

function* sourceProblems({ seq, sourceEventSeqs = [] }: SessionEvent): Generator<string> {
  if (new Set(sourceEventSeqs).size < sourceEventSeqs.length) yield 'a source is named twice'
  if (sourceEventSeqs.some(source => source >= seq)) yield 'a source is not earlier'
}

function* eventProblems(event: SessionEvent, open: Open): Generator<string> {
  switch (event.type) {
    case 'turn/start':
    case 'turn/end':
    case 'step/start':
    case 'step/end':
      yield* bracketProblems(event, open)
      break
    case 'assistant/chunk':
      yield* placeProblems(event.data, open)
      open.chunks.add(event.seq)
      break
    case 'assistant/message':
      yield* placeProblems(event.data, open)
      if (event.sourceEventSeqs?.some(seq => !open.chunks.has(seq))) yield 'a source is no chunk of this step'
      open.announced.push(
        ...event.data.message.content.flatMap(block => (block.type === 'tool-call' ? [block.id] : [])),
      )
      break
    case 'tool/call':
    case 'tool/result':
      yield* toolProblems(event, open)
      break
    case 'tool/code-dispatch-start':
    case 'tool/code-dispatch':
      yield* dispatchProblems(event, open)
      break
    case 'request/header':
    case 'request/context':
    case 'todo/write':
      if (!open.turnOpen) yield 'no turn is open'
      break
    case 'approval/asked':
    case 'approval/decided':
      yield* approvalProblems(event, open)
      break
    case 'command/run':
    case 'command/done':
      yield* commandProblems(event, open)
      break
    case 'llm/retry':
    case 'llm/retry-started':
      yield* retryProblems(event, open)
      break
    case 'session/title':
      if ((event.data.source.kind === 'user') !== (event.data.messageSeqs.length === 0))
        yield 'cites the wrong messages'
      break
    default:
      break
  }
}

type Of<T extends SessionEvent['type']> = SessionEvent<T>

function* bracketProblems(
  event: Of<'turn/start' | 'turn/end' | 'step/start' | 'step/end'>,
  open: Open,
): Generator<string> {
  const { turn } = event.data
  if (event.type === 'turn/start') {
    if (open.turnOpen) yield 'a turn is open'
    if (turn !== open.turn + 1) yield `turn ${open.turn + 1} is next`
    Object.assign(open, { turn, step: 0, turnOpen: true })
    return
  }
  if (!open.turnOpen || turn !== open.turn) yield `turn ${turn} is not open`
  if (event.type === 'turn/end') {
    if (open.stepOpen) yield 'a step is open'
    if (open.approvals.size > 0) yield 'an approval is undecided'
    open.turnOpen = false
  } else if (event.type === 'step/start') {
    if (open.stepOpen) yield 'a step is open'
    if (event.data.step !== open.step + 1) yield `step ${open.step + 1} is next`
    Object.assign(open, { step: event.data.step, stepOpen: true, announced: [] })
    open.started.clear()
    open.inner.clear()
    open.answered.clear()
    open.chunks.clear()
  } else {
    if (!open.stepOpen || event.data.step !== open.step) yield 'that step is not open'
    const lost = open.announced.filter(id => !open.answered.has(id))
    if (lost.length > 0) yield `calls without a result: ${lost.join(', ')}`
    open.stepOpen = false
  }
}

function* placeProblems({ turn, step }: { turn: number; step: number }, open: Open): Generator<string> {
  if (!open.turnOpen || !open.stepOpen || turn !== open.turn || step !== open.step) yield 'names no open step'
}

function* toolProblems(event: Of<'tool/call' | 'tool/result'>, open: Open): Generator<string> {
  yield* placeProblems(event.data, open)
  if (event.type === 'tool/call') {
    if (open.started.has(event.data.callId)) yield 'the call started twice'
    if (!open.announced.includes(event.data.callId)) yield 'no answer announced the call'
    open.started.set(event.data.callId, event.seq)
    return
  }
  const { callId } = event.data.message.source
  const notStarted = event.data.error?.code === 'TOOL_NOT_STARTED'
  const call = open.started.get(callId)
  if (call === undefined && !notStarted) yield 'the call never started'
  if (call !== undefined && event.sourceEventSeqs?.[0] !== call) yield 'the source is not its call'
  if (open.answered.has(callId)) yield 'the call has a result already'
  const order = open.announced.filter(id => open.answered.has(id) || id === callId)
  if (order.at(-1) !== callId) yield 'results are out of model order'
  open.answered.add(callId)
  // Recovery closes the outer call alone.
  const cut = event.data.error?.code === 'TOOL_OUTCOME_UNKNOWN'
  const left = [...open.inner].filter(([, inner]) => inner.open && inner.root === callId)
  if (!cut && left.length > 0) yield `${NEVER_SETTLED}: ${left.map(([id]) => id).join(', ')}`
}

function* dispatchProblems(
  { type, data }: Of<'tool/code-dispatch-start' | 'tool/code-dispatch'>,
  open: Open,
): Generator<string> {
  const { rootCallId: root, parentCallId: parent, subCallId: id, name } = data
  const known = open.inner.get(id)
  const given = JSON.stringify(data.arguments)
  if (!open.turnOpen || !open.stepOpen) yield 'no step is open'
  if (!open.started.has(root) || open.answered.has(root)) yield 'its root is not running'
  if (parent !== root && open.inner.get(parent)?.root !== root) yield 'its parent does not belong to its root'
  if (type === 'tool/code-dispatch-start') {
    if (!/:code:[1-9]\d*$/.test(id) || !id.startsWith(`${parent}:code:`)) yield 'its id does not fit its parent'
    if (known !== undefined) yield 'the inner call started twice'
    open.inner.set(id, { root, name, arguments: given, open: true })
    return
  }
  if (known === undefined || !known.open) yield 'no such inner call is running'
  else if (known.name !== name || known.arguments !== given || known.root !== root)
    yield 'it is not the call that started'
  if (known !== undefined) known.open = false
}

function* approvalProblems(event: Of<'approval/asked' | 'approval/decided'>, open: Open): Generator<string> {
  if (!open.turnOpen) yield 'no turn is open'
  const { id } = event.data
  if (event.type === 'approval/asked') open.approvals.add(id)
  else if (!open.approvals.delete(id)) yield 'nothing asked for it'
}

function* commandProblems(event: Of<'command/run' | 'command/done'>, open: Open): Generator<string> {
  const { commandId } = event.data
  const known = open.commands.get(commandId)
  if (event.type === 'command/run' ? known !== undefined : known !== 'running') yield `run ${commandId} is ${known}`
  open.commands.set(commandId, event.type === 'command/run' ? 'running' : 'done')
}

function* retryProblems(event: Of<'llm/retry' | 'llm/retry-started'>, open: Open): Generator<string> {
  yield* placeProblems(event.data, open)
  const { retryId, retry } = event.data
  if (event.type === 'llm/retry') {
    if (event.data.mode === 'normal' && retry > event.data.maxRetries) yield 'one retry too many'
    open.retries.set(retryId, retry)
  } else if (open.retries.get(retryId) !== retry) yield 'starts no announced retry'
}
