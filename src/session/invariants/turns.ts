import { isObject } from '../envelope.ts'
import type { TurnBoundary } from '../turns.ts'
import type { Invariant, Problem, SeenEvent } from './invariant.ts'

/** Turns count from 1 over the log, steps from 1 in each turn; what belongs to a step names the open one. */
export const turns: Invariant = {
  types: [
    'turn/start',
    'turn/end',
    'step/start',
    'step/end',
    'assistant/chunk',
    'assistant/message',
    'tool/call',
    'tool/result',
    'llm/retry',
    'llm/retry-started',
    'todo/write',
    'request/header',
    'request/context',
  ],
  begin: () => problemsOf,
}

function* problemsOf(event: SeenEvent, at: TurnBoundary): Generator<Problem> {
  const { turn, step }: { turn?: unknown; step?: unknown } = isObject(event.data) ? event.data : {}
  const turnIsOpen = at.turnOpen && turn === at.turn
  const stepIsOpen = turnIsOpen && at.stepOpen && step === at.step
  switch (event.type) {
    case 'turn/start':
      if (at.turnOpen) yield ['turns/start', `turn ${at.turn} is open`]
      else if (turn !== at.turn + 1) yield ['turns/order', `turn ${at.turn + 1} is next`]
      break
    case 'turn/end':
      if (!turnIsOpen) yield ['turns/end', 'that turn is not open']
      else if (at.stepOpen) yield ['turns/end', `step ${at.step} is open`]
      break
    case 'step/start':
      if (!turnIsOpen) yield ['steps/start', 'that turn is not open']
      else if (at.stepOpen) yield ['steps/start', `step ${at.step} is open`]
      else if (step !== at.step + 1) yield ['steps/order', `step ${at.step + 1} is next`]
      break
    case 'step/end':
      if (!stepIsOpen) yield ['steps/end', 'that step is not open']
      break
    case 'todo/write':
    case 'request/header':
    case 'request/context':
      if (!at.turnOpen) yield ['turns/open', 'no turn is open']
      break
    case 'tool/result':
      if (event.surfaceOp === 'append' ? !stepIsOpen : !at.turnOpen) yield ['steps/place', 'it lies in no open step']
      break
    default:
      if (!stepIsOpen) yield ['steps/place', 'it lies in no open step']
  }
}
