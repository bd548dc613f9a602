import { EXIT_PLAN_MODE } from '../plan/words.ts'
import type { SessionEvent } from '../session/events.ts'
import { PartialPlan } from './partial-plan.ts'

/** Folds a session's events into the plan that the model writes at this moment. A program's plan is not seen. */
export class Writing {
  #open: { readonly index: number; readonly reader: PartialPlan } | undefined

  /** The plan as far as it is there; undefined while none is written. */
  get text(): string | undefined {
    return this.#open?.reader.text
  }

  /** Takes the next event; true when the text may have changed. */
  apply(event: SessionEvent): boolean {
    switch (event.type) {
      case 'assistant/chunk':
        return this.#chunk(event.data.chunk)
      case 'assistant/message':
      case 'llm/retry':
      case 'step/end':
      case 'turn/end':
        return this.#close()
      default:
        return false
    }
  }

  #chunk(chunk: Extract<SessionEvent, { type: 'assistant/chunk' }>['data']['chunk']): boolean {
    if (chunk.type !== 'tool-call-delta') return false
    if (this.#open === undefined && chunk.name === EXIT_PLAN_MODE) {
      this.#open = { index: chunk.index, reader: new PartialPlan() }
    }
    if (this.#open?.index !== chunk.index) return false
    this.#open.reader.push(chunk.argumentsDelta)
    return true
  }

  #close(): boolean {
    const was = this.#open !== undefined
    this.#open = undefined
    return was
  }
}
