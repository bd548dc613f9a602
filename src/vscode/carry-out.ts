import { storageCodes } from '../persistence/errors.ts'
import {
  adopt,
  carryOutId,
  carryOutPrompt,
  hasAdopted,
  type PlanToCarryOut,
  planToCarryOut,
} from '../review/carry-out.ts'
import { PlanModeError } from '../session/errors.ts'
import type { Conversation } from './conversations/conversation.ts'
import type { PlanWindow } from './window.ts'

type Window = Pick<PlanWindow, 'conversations'>

/** What is being started, so that a second click waits for the first. */
const starting = new Map<string, Promise<Conversation>>()

/**
 * Carries an approved plan out in a conversation of its own, which knows the plan and nothing else, and shows it. Its
 * log begins with `plan/adopted`. A plan that was taken up before, here or in another window, is only shown.
 * @throws PlanModeError `NOT_APPROVED`, or what the store says.
 */
export function carryOutElsewhere(window: Window, conversation: Conversation, reviewId: string): Promise<Conversation> {
  const plan = planToCarryOut(conversation.session, reviewId)
  const id = carryOutId(plan.from)
  return once(id, () => begin(window, conversation, plan, id))
}

/**
 * Carries a plan out in the conversation that made it: one that was saved for later.
 * @throws as `carryOutElsewhere`, and `READ_ONLY` where another window writes that conversation.
 */
export function carryOutHere(window: Window, conversation: Conversation, reviewId: string): Promise<Conversation> {
  const plan = planToCarryOut(conversation.session, reviewId)
  return once(carryOutId(plan.from), async () => {
    const { readOnly } = conversation
    if (readOnly !== undefined) throw new PlanModeError('READ_ONLY', readOnly)
    return await begin(window, conversation, plan, conversation.id)
  })
}

async function once(id: string, act: () => Promise<Conversation>): Promise<Conversation> {
  const known = starting.get(id)
  if (known !== undefined) return await known
  const started = act()
  starting.set(id, started)
  try {
    return await started
  } finally {
    starting.delete(id)
  }
}

/**
 * The first of all windows says in which conversation a plan is carried out; the log of that one, which has one writer,
 * says whether it was begun. So a plan is begun once, and one whose window was killed in between can still be begun.
 */
async function begin(
  { conversations }: Window,
  { project, session }: Conversation,
  plan: PlanToCarryOut,
  wanted: string,
): Promise<Conversation> {
  if (hasAdopted(session, plan)) return await conversations.show(project, session.id)
  const id = await project.firstAnswers.settle(carryOutId(plan.from), wanted)
  const known = conversations.find(id) !== undefined || (await project.has(id))
  const target = known ? await conversations.show(project, id) : await conversations.create(project, { id })
  // Another window writes it: that one has begun, or does so now.
  if (target.readOnly !== undefined) return target
  try {
    await start(target, plan)
  } catch (error) {
    if (!(error instanceof PlanModeError) || !fasterElsewhere.has(error.code)) throw error
    return await conversations.reopen(target)
  }
  return target
}

/** What the log of a conversation says when another window made or took it in the same moment. */
const fasterElsewhere: ReadonlySet<string> = new Set([
  storageCodes.alreadyExists,
  storageCodes.writerBusy,
  storageCodes.writerLost,
])

/** All that begins the work is logged at once and before anything of it runs; a plan that was begun is left alone. */
async function start(conversation: Conversation, plan: PlanToCarryOut): Promise<void> {
  const { session, agent, project } = conversation
  if (hasAdopted(session, plan)) return
  const fresh = session.length === 0
  if (project.controller.get(agent).active) project.controller.set(agent, false)
  adopt(session, plan)
  if (fresh) session.append('session/title', { title: plan.title, messageSeqs: [], source: { kind: 'user' } })
  agent.prompt(carryOutPrompt(plan))
  await conversation.flush()
}
