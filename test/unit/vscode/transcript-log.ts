import { hashPlan } from '../../../src/plan/present-plan.ts'
import type { EventData, EventType } from '../../../src/session/events.ts'
import { newHeader } from '../../../src/session/header.ts'
import type { Block, Chunk } from '../../../src/session/messages.ts'
import { Session } from '../../../src/session/session.ts'
import { Transcript, type TranscriptChange } from '../../../src/vscode/transcript/transcript.ts'
import type { Item } from '../../../src/webview/transcript-messages.ts'

export const at = { turn: 1, step: 1 }
const source = { kind: 'model' as const, provider: 'test', model: 'scripted' }

/** A log under the hand of a test, with the words of a step written short. */
export class Log {
  readonly session = new Session(newHeader({ id: 's' }, () => 0))

  add<T extends EventType>(type: T, data: EventData<T>, options = {}) {
    return this.session.append(type, data, options)
  }

  open(): this {
    this.add('turn/start', { turn: 1 })
    this.add('step/start', at)
    return this
  }

  chunk(chunk: Chunk): this {
    this.add('assistant/chunk', { ...at, chunk })
    return this
  }

  text(index: number, text: string): this {
    return this.chunk({ type: 'text-delta', index, text })
  }

  message(content: Block[], interrupted = false): this {
    const message = { id: crypto.randomUUID(), role: 'assistant' as const, content, source }
    this.add('assistant/message', { ...at, message, ...(interrupted ? { interrupted: true } : {}) })
    return this
  }

  call(callId: string, name: string, args: unknown): this {
    this.add('tool/call', { ...at, callId, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) })
    return this
  }

  result(callId: string, text: string, more: Partial<EventData<'tool/result'>> = {}, isError = false): this {
    const content = [
      { type: 'tool-result' as const, toolCallId: callId, content: [{ type: 'text' as const, text }], isError },
    ]
    const message = {
      id: crypto.randomUUID(),
      role: 'user' as const,
      content,
      source: { kind: 'tool' as const, callId },
    }
    this.add('tool/result', { ...at, message, ...more })
    return this
  }

  end(reason: EventData<'turn/end'>['reason'] = { kind: 'completed' }): this {
    this.add('step/end', at)
    this.add('turn/end', { turn: 1, reason })
    return this
  }

  present(callId: string, reviewId: string, plan: string): this {
    this.call(callId, 'exit_plan_mode', { plan })
    this.add('review/presented', { reviewId, callId, planHash: hashPlan(plan) })
    return this
  }
}

export function items(log: Log): readonly Item[] {
  return new Transcript(log.session).items
}

export function only<K extends Item['kind']>(log: Log, kind: K): Extract<Item, { kind: K }>[] {
  return items(log).filter((item): item is Extract<Item, { kind: K }> => item.kind === kind)
}

export function follow(log: Log): { transcript: Transcript; changes: TranscriptChange[] } {
  const transcript = new Transcript(log.session)
  const changes: TranscriptChange[] = []
  transcript.onChange(change => changes.push(change))
  return { transcript, changes }
}
