import type { SessionEvent } from '../../session/events.ts'
import { textOf, type UserMessage } from '../../session/messages.ts'
import type { Session } from '../../session/session.ts'
import type { Item } from '../../webview/transcript-messages.ts'
import { AnswerText } from './answer-text.ts'
import { ApprovalEntries } from './approval-entries.ts'
import { ClaimedInput } from './claimed-input.ts'
import { CommandEntries } from './command-entries.ts'
import { CompactionEntries } from './compaction-entries.ts'
import { Entries, type TranscriptChange } from './entries.ts'
import { type Notice, pluginNotice, turnEndNotice } from './notices.ts'
import { PlanCards } from './plan-cards.ts'
import { shownImages } from './shown-images.ts'
import { ToolCalls } from './tool-calls.ts'

export type { TranscriptChange } from './entries.ts'

/**
 * The conversation as a person reads it: an incremental fold of the log into entries, in log order. Ids come from seqs,
 * so the same log gives the same entries after a reload.
 */
export class Transcript {
  readonly #entries = new Entries()
  readonly #answer = new AnswerText(this.#entries)
  readonly #approvals = new ApprovalEntries(this.#entries)
  readonly #commands = new CommandEntries(this.#entries)
  readonly #compactions = new CompactionEntries(this.#entries)
  readonly #input: ClaimedInput
  readonly #plans: PlanCards
  readonly #tools: ToolCalls
  readonly #listeners = new Set<(change: TranscriptChange) => void>()
  readonly #observing: Disposable
  /** Seq of the first event that is not inherited; undefined for a conversation that is no fork. */
  readonly #forkedAt: number | undefined
  #planActive = false

  constructor(session: Session) {
    const { parentSession, seedLength = 0 } = session.header
    this.#forkedAt = parentSession === undefined || seedLength === 0 ? undefined : seedLength
    this.#input = new ClaimedInput(session)
    this.#plans = new PlanCards(session, this.#entries)
    this.#tools = new ToolCalls(this.#entries, callSeq => this.#plans.isPresented(callSeq))
    for (const event of session.from()) this.#apply(event)
    this.#entries.takeChange()
    this.#observing = session.observe(event => this.#follow(event))
  }

  /** The entries so far; the list is live. */
  get items(): readonly Item[] {
    return this.#entries.items
  }

  /** The id of the entry of a tool call that is running. */
  entryOfCall(callId: string): string | undefined {
    return this.#tools.entryOf(callId)
  }

  /** Told of every change, in order. Dispose to stop. */
  onChange(listener: (change: TranscriptChange) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  /** Stops following the session. */
  dispose(): void {
    this.#observing[Symbol.dispose]()
    this.#listeners.clear()
  }

  #follow(event: SessionEvent): void {
    this.#apply(event)
    const change = this.#entries.takeChange()
    if (change !== undefined) for (const listener of [...this.#listeners]) listener(change)
  }

  #apply(event: SessionEvent): void {
    if (event.seq === this.#forkedAt) this.#entries.put({ kind: 'fork', id: `fork-${event.seq}` })
    this.#plans.apply(event)
    switch (event.type) {
      case 'turn/start':
        this.#entries.beginTurn()
        break
      case 'agent/inbox/spliced':
        this.#input.spliced(event)
        break
      case 'user/message':
        this.#input.logged(event.data)
        this.#compactions.message(event)
        this.#userMessage(event.seq, event.data)
        break
      case 'assistant/chunk':
        this.#answer.chunk(event.seq, event.data.chunk)
        break
      case 'assistant/message':
        this.#answer.message(event)
        this.#tools.announce(event)
        break
      case 'tool/call':
        this.#tools.call(event)
        break
      case 'tool/result':
        this.#tools.result(event)
        break
      case 'tool/code-dispatch-start':
        this.#tools.dispatched(event.seq, event.data)
        break
      case 'tool/code-dispatch':
        this.#tools.settled(event.data)
        break
      case 'subagent/started':
        this.#tools.explorer(event)
        break
      case 'llm/retry':
        this.#answer.repeat()
        break
      case 'step/end':
        this.#answer.close()
        break
      case 'turn/end':
        this.#turnEnd(event)
        break
      case 'plan/mode':
        this.#mode(event.seq, event.data.active)
        break
      case 'approval/asked':
        this.#approvals.asked(event)
        break
      case 'approval/decided':
        this.#approvals.decided(event)
        break
      case 'command/run':
        this.#commands.run(event)
        break
      case 'command/done':
        this.#commands.done(event)
        break
      case 'compaction/start':
        this.#answer.repeat()
        this.#compactions.start(event)
        break
      case 'compaction/summary':
        this.#compactions.summary(event)
        break
      case 'compaction/end':
        this.#compactions.end(event)
        break
      case 'session/end-seed':
        this.#compactions.endSeed()
        break
      default:
    }
  }

  #userMessage(seq: number, message: UserMessage): void {
    if (message.source.kind === 'user') this.#user(`${seq}`, message)
    else
      this.#notice(
        seq,
        pluginNotice(message, reviewId => this.#plans.decidedReview(reviewId)),
      )
  }

  #user(place: string, message: UserMessage): void {
    this.#entries.put({ kind: 'user', id: `user-${place}`, text: textOf(message), ...shownImages(message) })
  }

  #turnEnd({ seq, data }: SessionEvent<'turn/end'>): void {
    this.#tools.close()
    this.#approvals.close()
    for (const [index, message] of this.#input.takeDropped().entries()) this.#user(`${seq}.${index}`, message)
    this.#notice(seq, turnEndNotice(data.reason))
    this.#entries.endTurn(data.turn)
  }

  #mode(seq: number, active: boolean): void {
    if (active === this.#planActive) return
    this.#planActive = active
    this.#entries.put({ kind: 'mode', id: `mode-${seq}`, active })
  }

  #notice(seq: number, notice: Notice | undefined): void {
    if (notice !== undefined) this.#entries.put({ kind: 'notice', id: `notice-${seq}`, ...notice })
  }
}
