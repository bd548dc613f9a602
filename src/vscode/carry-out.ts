import {
  adopt,
  carryOutId,
  carryOutPrompt,
  hasAdopted,
  type PlanToCarryOut,
  planToCarryOut,
} from '../review/carry-out.ts'
import type { Conversation } from './conversations/conversation.ts'
import type { PlanWindow } from './window.ts'

type Window = Pick<PlanWindow, 'conversations'>

/** What is being started, so that a second click waits for the first. */
const starting = new Map<string, Promise<Conversation>>()

/**
 * Carries an approved plan out in a conversation of its own, which knows the plan and nothing else, and shows it. Its
 * log begins with `plan/adopted`. A plan that was taken up before is only shown.
 * @throws PlanModeError `NOT_APPROVED`, or what the store says.
 */
export function carryOutElsewhere(window: Window, conversation: Conversation, reviewId: string): Promise<Conversation> {
  const plan = planToCarryOut(conversation.session, reviewId)
  const id = carryOutId(plan.from)
  return once(id, () => begin(window, conversation, plan, id))
}

/** Carries a plan out in the conversation that made it: one that was saved for later. @throws as `carryOutElsewhere` */
export function carryOutHere(window: Window, conversation: Conversation, reviewId: string): Promise<Conversation> {
  const plan = planToCarryOut(conversation.session, reviewId)
  return once(carryOutId(plan.from), async () => {
    const { controller } = conversation.project
    if (controller.get(conversation.agent).active) controller.set(conversation.agent, false)
    await start(conversation, plan)
    window.conversations.reveal(conversation)
    return conversation
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

async function begin(
  { conversations }: Window,
  { project, session }: Conversation,
  plan: PlanToCarryOut,
  id: string,
): Promise<Conversation> {
  if (hasAdopted(session, plan)) return await conversations.show(project, session.id)
  const known = conversations.find(id) !== undefined || (await project.has(id))
  const target = known ? await conversations.show(project, id) : await conversations.create(project, { id })
  await start(target, plan)
  return target
}

/** All that begins the work is logged at once and before anything of it runs; a plan that was begun is left alone. */
async function start(conversation: Conversation, plan: PlanToCarryOut): Promise<void> {
  const { session, agent } = conversation
  if (hasAdopted(session, plan)) return
  const fresh = session.length === 0
  adopt(session, plan)
  if (fresh) session.append('session/title', { title: plan.title, messageSeqs: [], source: { kind: 'user' } })
  agent.prompt(carryOutPrompt(plan))
  await conversation.flush()
}
