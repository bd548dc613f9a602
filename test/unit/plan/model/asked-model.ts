import { CHECKPOINT_BEFORE } from '../../../../src/agent/compaction/words.ts'
import { approved, noticeOff, noticeOn } from '../../../../src/plan/words.ts'
import { type Act, ScriptedModel } from '../../../support/scripted-model.ts'
import { isSummaryRequest } from '../../compaction/fixture.ts'
import { SECTION } from '../fixture.ts'

type Request = Parameters<ScriptedModel['doStream']>[0]
type Message = Request['prompt'][number]

/** What one request brought, in the terms of the reference; `texts` are all exact texts in it. */
export interface Seen {
  readonly guidance: boolean
  readonly exit: boolean
  readonly notices: readonly boolean[]
  readonly lastWord: boolean | null
  readonly texts: ReadonlySet<string>
}

/** An answer under way: it goes on when it is given acts. */
interface Answer {
  readonly acts: Act[]
  goOn: () => void
}

/**
 * The model of one process after the other. It waits at each request for what the test lets it say, and keeps what each
 * request told it.
 */
export class AskedModel {
  readonly requests: Seen[] = []
  /** A history that changed in what was sent before, other than by a summary in its place. */
  rewritten: string | undefined
  #history: readonly string[] = []
  #waiting: Answer[] = []
  readonly #onAsked: () => void

  constructor(onAsked: () => void) {
    this.#onAsked = onAsked
  }

  /** A request waits for its answer, or for more of it. */
  get isAsked(): boolean {
    return this.#waiting.length > 0
  }

  /** For a process that begins; what another waited for is gone. */
  begin(): ScriptedModel {
    this.forget()
    return new ScriptedModel([], request => this.#asked(request))
  }

  forget(): void {
    this.#waiting = []
  }

  /** Says these acts; the answer goes on after them unless it `ends`. */
  say(acts: readonly Act[], ends: boolean): void {
    const [answer] = this.#waiting
    if (answer === undefined) throw new Error('Nothing is asked.')
    const { goOn } = answer
    answer.acts.push(...acts)
    if (ends) this.#waiting.shift()
    else answer.goOn = gateIn(answer.acts)
    goOn()
  }

  #asked(request: Request): Act[] {
    if (!isSummaryRequest(request)) this.#read(request)
    const acts: Act[] = []
    this.#waiting.push({ acts, goOn: gateIn(acts) })
    this.#onAsked()
    return acts
  }

  #read({ prompt, tools = [] }: Request): void {
    const system = prompt.flatMap(message => (message.role === 'system' ? [message.content] : []))
    const history = prompt.filter(({ role }) => role !== 'system')
    const fresh = history.slice(this.#known(history.map(message => JSON.stringify(message))))
    this.requests.push({
      guidance: system.join().includes(SECTION),
      exit: tools.some(({ name }) => name === 'exit_plan_mode'),
      notices: fresh.filter(message => !isCheckpoint(message)).flatMap(noticesIn),
      lastWord: history.flatMap(wordsOnTheMode).at(-1) ?? null,
      texts: new Set(history.flatMap(textsIn)),
    })
  }

  /** How many messages at the beginning the request before this one brought: all it had, or what a summary left of them. */
  #known(history: readonly string[]): number {
    const before = this.#history
    this.#history = history
    if (before.every((text, index) => history[index] === text)) return before.length
    const from = before.findIndex((_, cut) => before.slice(cut).every((text, index) => history[index + 1] === text))
    const kept = from < 0 ? 0 : before.length - from
    const [first = ''] = history
    if (before.includes(first) || !first.includes(JSON.stringify(CHECKPOINT_BEFORE))) {
      this.rewritten ??= `${before.join('\n')}\n\nbecame\n\n${history.join('\n')}`
    }
    return 1 + kept
  }
}

function gateIn(acts: Act[]): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  acts.push({ gate: promise })
  return resolve
}

/** User texts each, inputs of the exit tool, results. */
function textsIn({ role, content }: Message): string[] {
  if (role === 'system') return []
  return content.flatMap(part => {
    if (part.type === 'text') return [part.text]
    if (part.type === 'tool-result') return part.output.type === 'text' ? [part.output.value] : []
    if (part.type !== 'tool-call' || part.toolName !== 'exit_plan_mode') return []
    return Object.values(part.input as Record<string, string>)
  })
}

function noticesIn(message: Message): boolean[] {
  if (message.role !== 'user') return []
  return textsIn(message).flatMap(text => (text === noticeOn ? [true] : text === noticeOff ? [false] : []))
}

/** Notices, what a summary carries of them, and the results of approvals. */
function wordsOnTheMode(message: Message): boolean[] {
  if (message.role === 'tool') return textsIn(message).flatMap(text => (text === approved ? [false] : []))
  return noticesIn(message)
}

function isCheckpoint(message: Message): boolean {
  return message.role === 'user' && textsIn(message)[0] === CHECKPOINT_BEFORE
}
