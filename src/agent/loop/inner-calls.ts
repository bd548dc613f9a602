import { PlanModeError } from '../../session/errors.ts'
import type { EventData } from '../../session/events.ts'
import { assertLossless } from '../../session/json.ts'
import type { Tool, ToolCall, ToolOutcome } from '../tool.ts'
import { parseArguments } from './arguments.ts'
import { carryOut, isParallel, type OpenInnerCalls, type Resolved, resolve, type Settled } from './call.ts'
import { failure, resultText, skipped } from './tool-results.ts'
import type { TurnWork } from './work.ts'

/** How many inner calls run side by side at most. */
export const MAX_PARALLEL = 10

/** `root` is the model's own call, `parent` the call that makes the calls; the same unless programs are nested. */
export interface CallChain {
  readonly root: string
  readonly parent: string
}

type Start = EventData<'tool/code-dispatch-start'>
type Place = Omit<ToolCall, 'inner'>

interface Waiting {
  readonly record: Start
  readonly resolved: Resolved
  readonly settle: (outcome: ToolOutcome) => void
  readonly fail: (error: unknown) => void
}

/**
 * Inner calls as they come: those that may run side by side do, any other waits for all before it and holds back all
 * behind it. A call is logged when it starts and when it has settled; one that is refused or never starts leaves nothing.
 */
export class LoggedInnerCalls implements OpenInnerCalls {
  readonly #work: TurnWork
  readonly #place: Place
  readonly #chain: CallChain
  readonly #tools: readonly Tool[]
  readonly #over = new AbortController()
  readonly #running = new Map<Waiting, Promise<void>>()
  #queue: Waiting[] = []
  #count = 0
  #concluded = false
  #failed: Settled['failed']
  #signal: AbortSignal | undefined

  constructor(work: TurnWork, place: Place, chain: CallChain, tools: readonly Tool[]) {
    this.#work = work
    this.#place = place
    this.#chain = chain
    this.#tools = tools
  }

  get names(): readonly string[] {
    return this.#tools.map(tool => tool.name)
  }

  call(name: string, args: string): { readonly callId: string; readonly outcome: Promise<ToolOutcome> } {
    const callId = `${this.#chain.parent}:code:${++this.#count}`
    const resolved = resolveLossless({ name, arguments: args }, this.#tools)
    if (resolved.kind === 'refused') return { callId, outcome: Promise.resolve(resolved.outcome) }
    if (this.#isOver) return { callId, outcome: Promise.resolve(skipped) }
    const { promise: outcome, resolve: settle, reject: fail } = Promise.withResolvers<ToolOutcome>()
    outcome.catch(() => {}) // whoever waits for it hears of it, and `close` tells it in any case
    const { root, parent } = this.#chain
    const record = { rootCallId: root, parentCallId: parent, subCallId: callId, name, arguments: resolved.logged }
    this.#queue.push({ record, resolved, settle, fail })
    this.#startNext()
    return { callId, outcome }
  }

  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  async close(): Promise<Omit<Settled, 'outcome'>> {
    this.#over.abort()
    this.#dropWaiting()
    await this.drain()
    return { concluded: this.#concluded, ...(this.#failed === undefined ? {} : { failed: this.#failed }) }
  }

  get #isOver(): boolean {
    return this.#concluded || this.#failed !== undefined || this.#over.signal.aborted || this.#place.signal.aborted
  }

  #startNext(): void {
    for (let next = this.#queue[0]; next !== undefined && this.#mayStart(next); next = this.#queue[0]) {
      this.#queue.shift()
      if (this.#isOver) {
        next.settle(skipped)
        continue
      }
      // In the map before it runs: what it does at once must find itself there.
      const { promise, resolve: done } = Promise.withResolvers<void>()
      this.#running.set(next, promise)
      void this.#run(next).finally(done)
    }
  }

  #mayStart({ resolved }: Waiting): boolean {
    if (this.#isOver || this.#running.size === 0) return true
    const parallel = isParallel(resolved) && [...this.#running.keys()].every(each => isParallel(each.resolved))
    return parallel && this.#running.size < MAX_PARALLEL
  }

  async #run(waiting: Waiting): Promise<void> {
    const { record, resolved, settle, fail } = waiting
    try {
      this.#work.append('tool/code-dispatch-start', record)
      const { outcome, concluded, failed } = await this.#carryOut(record.subCallId, resolved)
      const isError = outcome.kind === 'failure'
      const content = [{ type: 'text' as const, text: resultText(outcome) }]
      this.#work.append('tool/code-dispatch', { ...record, isError, content })
      this.#concluded ||= concluded
      this.#failed ??= failed
      settle(outcome)
    } catch (error) {
      this.#failed ??= { error }
      fail(error)
    }
    this.#running.delete(waiting)
    if (this.#concluded || this.#failed !== undefined) this.#dropWaiting()
    this.#startNext()
  }

  #carryOut(callId: string, resolved: Resolved): Promise<Settled> {
    this.#signal ??= AbortSignal.any([this.#place.signal, this.#over.signal])
    const place = { ...this.#place, callId, signal: this.#signal }
    const chain = { root: this.#chain.root, parent: callId }
    return carryOut(this.#work, place, resolved, new LoggedInnerCalls(this.#work, place, chain, this.#tools))
  }

  #dropWaiting(): void {
    for (const { settle } of this.#queue.splice(0)) settle(skipped)
  }
}

type LosslessResolved = Extract<Resolved, { kind: 'refused' }> | (Resolved & { readonly logged: Start['arguments'] })

/** As `resolve`, with the arguments as the log keeps them; what the log could not keep is refused like any bad argument. */
function resolveLossless(call: { name: string; arguments: string }, tools: readonly Tool[]): LosslessResolved {
  const resolved = resolve(call, tools)
  if (resolved.kind === 'refused') return resolved
  const parsed = parseArguments(call.arguments)
  try {
    const value: unknown = parsed.kind === 'object' ? parsed.value : {}
    assertLossless(value, 'The call')
    // JSON by the line above; the event's type only lacks `readonly`.
    return { ...resolved, logged: value as Start['arguments'] }
  } catch (error) {
    if (!(error instanceof PlanModeError)) throw error
    const text = `The arguments of ${call.name} were refused: ${error.message}`
    return { kind: 'refused', outcome: failure(text, { name: 'ToolArgsError', code: 'INVALID_ARGS' }) }
  }
}
