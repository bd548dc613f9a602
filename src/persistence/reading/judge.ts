import { envelopeProblem, isForeign, messageProblem, type StoredEvent } from '../../session/envelope.ts'
import { messageOf } from '../../session/errors.ts'
import type { SessionEvent } from '../../session/events.ts'
import { replacementProblem, type Surface, surface } from '../../session/surface.ts'
import { Upgrade } from '../../session/upgrade.ts'
import { SessionFormatUnsupportedError, SessionPersistenceCorruptionError } from '../errors.ts'
import { payloadProblem } from './payload.ts'

/** Where a judged log begins: at its first event, or behind a part that was judged before. */
export interface JudgedBefore {
  /** May be made when it is asked for. */
  readonly surface: Surface
  readonly turnOpen: boolean
}

/**
 * Judges the events of a log one by one, in one pass, and answers as if each rule had gone over the whole log before
 * the next one did (session-log format, section 7): older shapes and message shapes, unknown types, envelopes and
 * payloads, surface. The first problem of the earliest rule is the one to tell.
 */
export class Judge {
  readonly #file: string
  readonly #upgrade: Upgrade
  /** Gives an event that was judged already. */
  readonly #at: (seq: number) => SessionEvent | undefined
  readonly #before: JudgedBefore | undefined
  #surface: Surface | undefined
  #turnOpen: boolean
  #upgraded = false
  #shape: Error | undefined
  #foreign: Error | undefined
  #content: Error | undefined
  #placement: Error | undefined

  constructor(file: string, sessionId: string, at: (seq: number) => SessionEvent | undefined, before?: JudgedBefore) {
    this.#file = file
    // An event is read by its keys alone there.
    this.#upgrade = new Upgrade(sessionId, seq => at(seq) as StoredEvent | undefined)
    this.#at = at
    this.#before = before
    this.#turnOpen = before?.turnOpen ?? false
  }

  /** What the model sees of the events so far. Means nothing unless they are sound. */
  get surface(): Surface {
    this.#surface ??= this.#before?.surface ?? surface.initial
    return this.#surface
  }

  get turnOpen(): boolean {
    return this.#turnOpen
  }

  /** True when an event came in an older shape. */
  get upgraded(): boolean {
    return this.#upgraded
  }

  get sound(): boolean {
    return (this.#shape ?? this.#foreign ?? this.#content ?? this.#placement) === undefined
  }

  /** The event in today's shape. Events come in log order, each once; the stored one is taken over. */
  take(stored: StoredEvent): StoredEvent {
    if (this.#shape !== undefined) return stored
    if (stored.type === 'assistant/chunk') {
      if (this.#foreign === undefined) this.#content ??= this.#corrupt(stored, envelopeProblem(stored))
      return stored
    }
    const event = this.#today(stored)
    if (event === undefined) return stored
    if (this.#foreign === undefined && isForeign(event)) this.#foreign = foreign(this.#file, event)
    if (this.#foreign === undefined) this.#judgeContent(event)
    return event
  }

  /** An event that was taken before, once more in today's shape. */
  again(stored: StoredEvent): StoredEvent {
    return this.#upgrade.apply(stored)
  }

  /** @throws `CORRUPT` or `FORMAT_UNSUPPORTED` when the events cannot even be given as they are stored. */
  assertReadable(): void {
    const problem = this.#shape ?? this.#foreign
    if (problem !== undefined) throw problem
  }

  /** @throws `CORRUPT` or `FORMAT_UNSUPPORTED` when they cannot be worked on. */
  assertSound(): void {
    this.assertReadable()
    const problem = this.#content ?? this.#placement
    if (problem !== undefined) throw problem
  }

  #today(stored: StoredEvent): StoredEvent | undefined {
    try {
      const event = this.#upgrade.apply(stored)
      if (event !== stored) this.#upgraded = true
      this.#shape = this.#corrupt(event, messageProblem(event))
      return this.#shape === undefined ? event : undefined
    } catch (error) {
      this.#shape = this.#blamed(error)
      return undefined
    }
  }

  #judgeContent(event: StoredEvent): void {
    if (this.#content !== undefined) return
    this.#content = this.#corrupt(event, envelopeProblem(event) ?? payloadProblem(event))
    if (this.#content !== undefined) return
    if (event.type === 'turn/start') this.#turnOpen = true
    else if (event.type === 'turn/end') this.#turnOpen = false
    // Judged just now: this is where a stored line becomes an event.
    if (event.surfaceOp !== undefined) this.#place(event as unknown as SessionEvent)
  }

  #place(event: SessionEvent): void {
    if (this.#placement !== undefined) return
    try {
      const at = (seq: number) => this.#at(seq) ?? this.#throwMissing(seq)
      this.#placement = this.#corrupt(event, replacementProblem(this.surface, event, at))
      this.#surface = surface.apply(this.surface, event)
    } catch (error) {
      this.#placement = this.#blamed(error)
    }
  }

  #corrupt({ seq }: { readonly seq: number }, problem: string | undefined): Error | undefined {
    if (problem === undefined) return undefined
    return new SessionPersistenceCorruptionError(`${this.#file} is damaged at event ${seq}: ${problem}.`)
  }

  #throwMissing(seq: number): never {
    throw new SessionPersistenceCorruptionError(`${this.#file} is damaged at event ${seq}: it is missing.`)
  }

  /** Not every payload is judged, so a strange one may break a reader of it: that, too, is the log's fault. */
  #blamed(error: unknown): Error {
    return blamed(this.#file, error)
  }
}

/** What broke a reader of a log, as the log's own fault. */
export function blamed(file: string, error: unknown): Error {
  if (error instanceof SessionPersistenceCorruptionError) return error
  return new SessionPersistenceCorruptionError(`${file} is damaged: ${messageOf(error)}.`, { cause: error })
}

function foreign(file: string, event: StoredEvent): Error {
  return new SessionFormatUnsupportedError(
    `${file} holds an event of the type "${String(event.type)}" (event ${event.seq}), which this version does not know and may not skip. The log is intact; open it with the newer program that wrote it.`,
  )
}
