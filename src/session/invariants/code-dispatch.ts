import { z } from 'zod'
import { canonical } from '../json.ts'
import type { TurnBoundary } from '../turns.ts'
import type { Invariant, Problem, SeenEvent } from './invariant.ts'
import { read } from './invariant.ts'

const id = z.string().min(1)
const dispatch = z.looseObject({
  rootCallId: id,
  parentCallId: id,
  subCallId: id,
  name: id,
  arguments: z.unknown().optional(),
})
const call = z.looseObject({ callId: z.string() })
const result = z.looseObject({
  message: z.looseObject({ source: z.looseObject({ callId: z.string() }) }),
  error: z.looseObject({ code: z.string() }).optional(),
})

interface Inner {
  readonly root: string
  readonly name: string
  readonly given: string
  open: boolean
}

/**
 * Calls that a program made lie inside the call that runs it, name a parent below the same root, and settle once and
 * before that call does. Recovery closes the outer call alone (`TOOL_OUTCOME_UNKNOWN`).
 */
export const codeDispatch: Invariant = {
  types: ['step/start', 'tool/call', 'tool/result', 'tool/code-dispatch-start', 'tool/code-dispatch'],
  begin() {
    const calls = new InnerCalls()
    return (event, at) => calls.check(event, at)
  },
}

/** What runs in the open step. */
class InnerCalls {
  readonly #running = new Set<string>()
  readonly #inner = new Map<string, Inner>()

  check(event: SeenEvent, at: TurnBoundary): Iterable<Problem> {
    switch (event.type) {
      case 'step/start':
        this.#running.clear()
        this.#inner.clear()
        return []
      case 'tool/call':
        this.#running.add(read(call, event)?.callId ?? '')
        return []
      case 'tool/result':
        return this.#result(event)
      default:
        return this.#dispatch(event, at)
    }
  }

  *#result(event: SeenEvent): Generator<Problem> {
    const data = read(result, event)
    if (data === undefined || event.surfaceOp !== 'append') return
    const { callId } = data.message.source
    this.#running.delete(callId)
    const left = [...this.#inner].filter(([, inner]) => inner.open && inner.root === callId)
    if (left.length === 0 || data.error?.code === 'TOOL_OUTCOME_UNKNOWN') return
    yield [
      'code-dispatch/unsettled',
      `inner calls that never settled: ${left.map(([subCallId]) => subCallId).join(', ')}`,
    ]
  }

  *#dispatch(event: SeenEvent, at: TurnBoundary): Generator<Problem> {
    const data = read(dispatch, event)
    if (data === undefined) return yield ['code-dispatch/shape', 'an id or the name of the tool is missing']
    const { rootCallId: root, parentCallId: parent, subCallId, name } = data
    if (!at.turnOpen || !at.stepOpen) yield ['code-dispatch/turn', 'no step is open']
    else if (!this.#running.has(root)) yield ['code-dispatch/root', `call ${root} is not running`]
    if (parent !== root && this.#inner.get(parent)?.root !== root) {
      yield ['code-dispatch/parent', `${parent} is no call below ${root}`]
    }
    const inner = { root, name, given: canonical(data.arguments), open: true }
    if (event.type === 'tool/code-dispatch-start') yield* this.#start(subCallId, parent, inner)
    else yield* this.#settle(subCallId, inner)
  }

  *#start(subCallId: string, parent: string, inner: Inner): Generator<Problem> {
    if (!subCallId.startsWith(`${parent}:code:`) || !/:code:[1-9]\d*$/.test(subCallId)) {
      yield ['code-dispatch/id', `${subCallId} is no number below ${parent}`]
    }
    if (this.#inner.has(subCallId)) yield ['code-dispatch/once', `${subCallId} started before`]
    this.#inner.set(subCallId, inner)
  }

  *#settle(subCallId: string, { root, name, given }: Inner): Generator<Problem> {
    const known = this.#inner.get(subCallId)
    if (known?.open !== true) {
      return yield ['code-dispatch/once', `${subCallId} ${known === undefined ? 'did not start' : 'settled before'}`]
    }
    if (known.root !== root || known.name !== name || known.given !== given) {
      yield ['code-dispatch/same', `${subCallId} is not the call that started`]
    }
    known.open = false
  }
}
