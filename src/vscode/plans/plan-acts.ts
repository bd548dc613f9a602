import { z } from 'zod'
import { approvedPlan } from '../../plan/steps/approved-plan.ts'
import { plansProjection } from '../../review/plans.ts'
import { PlanModeError } from '../../session/errors.ts'
import type { EventData } from '../../session/events.ts'
import { carryOutElsewhere, carryOutHere } from '../carry-out.ts'
import type { Conversation } from '../conversations/conversation.ts'
import type { Surfaces } from '../surfaces.ts'
import type { PlanWindow } from '../window.ts'

/** What a command is told of the plan it is about: an entry of the Plans view, or the same of another extension. */
const planArgument = z.looseObject({ sessionId: z.string().min(1), reviewId: z.string().min(1) })

/** Opens the review of a plan that waits, else the conversation. */
export async function openPlan(window: PlanWindow, surfaces: Surfaces, argument: unknown): Promise<void> {
  const { conversation, reviewId } = await named(window, argument)
  if (conversation.reviewWaiting?.reviewId === reviewId) await surfaces.openReview(conversation)
  else await surfaces.showConversation(conversation)
}

export async function reviewPlan(window: PlanWindow, surfaces: Surfaces, argument: unknown): Promise<void> {
  await surfaces.openReview((await named(window, argument)).conversation)
}

/** Carries an approved plan out: in a new conversation, or in its own. */
export async function startPlan(
  window: PlanWindow,
  surfaces: Surfaces,
  argument: unknown,
  where: 'elsewhere' | 'here',
): Promise<void> {
  const { conversation, reviewId } = await named(window, argument)
  const act = where === 'elsewhere' ? carryOutElsewhere : carryOutHere
  await surfaces.showConversation(await act(window, conversation, reviewId))
}

/** Says in the log that a plan is over: the one named, else the one carried out in the conversation shown. */
export async function endPlan(
  window: PlanWindow,
  argument: unknown,
  as: EventData<'plan/closed'>['as'],
): Promise<void> {
  const target = argument === undefined ? undefined : await named(window, argument)
  const conversation = target?.conversation ?? window.conversations.shown
  const planHash = target === undefined ? conversation && pinned(conversation) : hashOf(target)
  if (conversation === undefined || planHash === undefined) throw noPlan()
  conversation.session.append('plan/closed', { planHash, as })
  await conversation.flush()
}

/** The hash of the plan that is carried out in a conversation. */
function pinned({ session }: Conversation): string | undefined {
  const { plan } = session.state(approvedPlan)
  return plan?.closed === undefined ? plan?.planHash : undefined
}

interface Named {
  readonly conversation: Conversation
  readonly reviewId: string
}

function hashOf({ conversation, reviewId }: Named): string | undefined {
  return conversation.session.state(plansProjection).plans.findLast(each => each.reviewId === reviewId)?.planHash
}

async function named(window: PlanWindow, argument: unknown): Promise<Named> {
  await window.started
  const parsed = planArgument.safeParse(argument)
  const conversation = parsed.success ? await window.openById(parsed.data.sessionId) : undefined
  if (!parsed.success || conversation === undefined) {
    throw new PlanModeError(
      'NO_PLAN',
      'This plan is not in the folders of this window any more. Refresh the Plans view.',
    )
  }
  return { conversation, reviewId: parsed.data.reviewId }
}

function noPlan(): PlanModeError {
  return new PlanModeError('NO_PLAN', 'No approved plan is being carried out in this conversation.')
}
