import type { UserMessage } from '../../session/messages.ts'
import { title } from '../../session/title.ts'
import { abortReason, type TurnEndReason } from '../../session/turn-end.ts'
import { turnBoundary } from '../../session/turns.ts'
import { type InboxTarget, inboxOf, listOf } from '../live/inbox.ts'
import { titleFrom } from '../live/title.ts'
import type { ModelRoute } from '../model.ts'
import type { Response } from '../request/answer.ts'
import { failureOf } from '../request/failures.ts'
import { headerOf, imagesFor, logRequest, requestOf } from '../request/request.ts'
import { respond } from '../request/response.ts'
import type { PreStepDecision, StepProposal, StepRequest, TurnEndListener } from '../runtime.ts'
import type { Tool } from '../tool.ts'
import { runBatch, type StepTools } from './batch.ts'
import { closeTurn } from './close-turn.ts'
import { AgentDisposed, type StepAt, type TurnWork, untilAborted } from './work.ts'

/** `continues`: the model has results to read. `rests`: it waits for input. `concluded`: a tool ended the turn. */
type StepEnd =
  | { readonly kind: 'continues' | 'rests' | 'concluded'; readonly maxTokens: boolean }
  | { readonly kind: 'ends'; readonly reason: TurnEndReason }

/** A step that was admitted: everything its request and its retries use, frozen. */
interface Admission {
  readonly messages: readonly UserMessage[]
  readonly tools: StepTools
  /** Why nothing can be asked (no model, no guidance), as thrown; the step's input is logged all the same. */
  readonly request: StepRequest | { readonly error: unknown }
}

/**
 * Runs one turn from `turn/start` to `turn/end` (session-log format, section 9.1). Whatever fails inside ends the turn
 * with that failure and a balanced log.
 * @throws AgentDisposed, or the refusal when the log takes no more events.
 */
export async function runTurn(work: TurnWork): Promise<void> {
  const turn = work.session.state(turnBoundary).turn + 1
  work.append('turn/start', { turn })
  closeTurn(work, await endOfTurn(work, turn))
  for (const listener of work.runtime.turnEnd) tell(work, listener)
}

function tell({ agent, runtime }: TurnWork, listener: TurnEndListener): void {
  try {
    listener(agent)
  } catch (error) {
    runtime.onError(agent, error)
  }
}

async function endOfTurn(work: TurnWork, turn: number): Promise<TurnEndReason> {
  try {
    return await runSteps(work, turn)
  } catch (error) {
    if (error instanceof AgentDisposed) throw error
    if (work.signal.aborted) return { kind: 'aborted', reason: abortReason.parse(work.signal.reason) }
    return { kind: 'error', error: failureOf(error) }
  }
}

async function runSteps(work: TurnWork, turn: number): Promise<TurnEndReason> {
  let maxTokens = false
  let rested = true
  for (let step = 1; ; step++) {
    const end = await runStep(work, { turn, step }, rested)
    if (end.kind === 'ends') return end.reason
    maxTokens ||= end.maxTokens
    rested = end.kind === 'rests'
    if (end.kind === 'concluded' || (end.kind === 'rests' && !wantsStep(work))) {
      return { kind: maxTokens ? 'max-tokens' : 'completed' }
    }
    await checkpoint(work)
  }
}

function wantsStep(work: TurnWork): boolean {
  return work.life.stepWanted && inboxOf(work.session).nextStep.length > 0
}

/** `rested`: the model has nothing to read but new input; where that was taken back, there is no step. */
async function runStep(work: TurnWork, at: StepAt, rested: boolean): Promise<StepEnd> {
  const claimed = claim(work, at.step === 1)
  if (rested && claimed.length === 0) return { kind: 'concluded', maxTokens: false }
  const admission = await propose(work, { agent: work.agent, ...at, claimed })
  if (admission === undefined) return { kind: 'ends', reason: { kind: 'blocked' } }
  work.append('step/start', at)
  for (const message of admission.messages) logInput(work, message)
  const end = await answer(work, at, admission)
  work.append('step/end', at)
  return end
}

/** Takes pending input out of the lists: all of next-step, and on a turn's first step one message of next-turn. */
function claim(work: TurnWork, first: boolean): UserMessage[] {
  work.life.stepWanted = false
  return [...take(work, 'next-step', Number.POSITIVE_INFINITY), ...(first ? take(work, 'next-turn', 1) : [])]
}

/** Reads and takes in one go: an observer of an append may change the lists. */
function take(work: TurnWork, target: InboxTarget, most: number): readonly UserMessage[] {
  const taken = listOf(inboxOf(work.session), target).slice(0, most)
  if (taken.length > 0) {
    work.append('agent/inbox/spliced', { target, start: 0, removedCount: taken.length, inserted: [] })
  }
  return taken
}

/** From the claim to the admission; undefined when a pre-step listener refused. */
async function propose(work: TurnWork, proposal: StepProposal): Promise<Admission | undefined> {
  const { runtime, agent } = work
  const additions = [...runtime.stepBoundary].flatMap(listener => listener(proposal))
  const choice = await chooseModel(work)
  const decision = await untilAborted(work.signal, decide(work, proposal))
  if (decision.kind === 'refuse') return undefined
  const tools = { direct: runtime.tools.admitted(agent), inner: runtime.tools.inner(agent) }
  const request = prepare(work, choice, tools.direct)
  const messages = [...decision.messages, ...additions]
  if (!('error' in request)) await runtime.compactor?.beforeStep(work, request, messages)
  return { messages, tools, request }
}

type Choice = { readonly route: ModelRoute } | { readonly error: unknown }

async function chooseModel(work: TurnWork): Promise<Choice> {
  try {
    return { route: await untilAborted(work.signal, work.runtime.models.choose(work.session)) }
  } catch (error) {
    work.signal.throwIfAborted()
    return { error }
  }
}

function prepare({ runtime, agent }: TurnWork, choice: Choice, tools: readonly Tool[]): Admission['request'] {
  if ('error' in choice) return choice
  try {
    return { ...choice, header: headerOf(choice.route, runtime.prompt.render(agent), tools) }
  } catch (error) {
    return { error }
  }
}

/** The pre-step listeners as an onion, the first registered outermost, around "enter with the claimed input". */
function decide(work: TurnWork, proposal: StepProposal): Promise<PreStepDecision> {
  let next = async (): Promise<PreStepDecision> => ({ kind: 'enter', messages: proposal.claimed })
  for (const listener of [...work.runtime.preStep].reverse()) {
    const inner = next
    next = async () => listener(proposal, inner)
  }
  return next()
}

function logInput(work: TurnWork, message: UserMessage): void {
  const { seq } = work.append('user/message', message)
  if (message.source.kind !== 'user' || work.session.state(title) !== undefined) return
  const words = titleFrom(message)
  if (words === undefined) return
  work.append('session/title', { title: words, messageSeqs: [seq], source: { kind: 'fallback' } })
}

async function answer(work: TurnWork, at: StepAt, { request, tools }: Admission): Promise<StepEnd> {
  if ('error' in request) return failed(request.error)
  logRequest(work, request.header, request.route)
  await checkpoint(work)
  const response = await ask(work, at, request)
  if (response.kind === 'failed') return { kind: 'ends', reason: { kind: 'error', error: response.failure } }
  const { calls, maxTokens } = response
  if (calls.length === 0) return { kind: 'rests', maxTokens }
  const batch = await runBatch(work, at, calls, tools)
  work.signal.throwIfAborted()
  switch (batch.kind) {
    case 'done':
      return { kind: 'continues', maxTokens }
    case 'concluded':
      return { kind: 'concluded', maxTokens }
    case 'failed':
      return failed(batch.error)
  }
}

/** Sends the step's request, once more when room was made for one that did not fit. */
async function ask(work: TurnWork, at: StepAt, request: StepRequest): Promise<Response> {
  for (let again = false; ; again = true) {
    const images = await untilAborted(work.signal, imagesFor(work.session, work.runtime.attachments))
    const response = await respond(work, at, request.route, requestOf(work.session, images))
    const { compactor } = work.runtime
    if (response.kind === 'answered' || compactor === undefined) return response
    const failure = await compactor.recover(work, request, response.failure, again)
    if (failure !== undefined) return { kind: 'failed', failure }
    await checkpoint(work)
  }
}

function failed(error: unknown): StepEnd {
  return { kind: 'ends', reason: { kind: 'error', error: failureOf(error) } }
}

/** Resolves when the log is durable; rejects with the storage error, or with the signal's reason on abort. */
async function checkpoint(work: TurnWork): Promise<void> {
  await untilAborted(work.signal, work.runtime.flush(work.session))
  work.signal.throwIfAborted()
}
