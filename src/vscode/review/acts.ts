import * as vscode from 'vscode'
import { PlanModeError } from '../../session/errors.ts'
import type { Conversation } from '../conversations/conversation.ts'
import type { ReviewCommandId } from '../ids.ts'
import type { Surfaces } from '../surfaces.ts'
import type { PlanWindow } from '../window.ts'
import { compareRevisions, openSource, pickOlder, whatChanged } from './compare.ts'
import { exportPlan, importRemarks } from './exchange.ts'
import type { NativeReview } from './native-review.ts'
import { planPlaceOf } from './plan-uri.ts'

type Act = (argument: unknown) => Promise<unknown>

/** What a person can do with a review in native editors. Each resolves once its effect is durable. */
export function reviewActs(
  window: PlanWindow,
  surfaces: Pick<Surfaces, 'native' | 'gather'>,
): Record<ReviewCommandId, Act> {
  const { native } = surfaces
  const { threads, edits, fileReviews } = native
  const planned = async (): Promise<Conversation> => {
    await window.started
    const { conversation } = native
    if (conversation === undefined) throw new PlanModeError('NO_PLAN', 'No plan was presented yet.')
    await conversation.review.loaded
    return conversation
  }
  /** With everything in it that is being typed. */
  const gathered = async (): Promise<Conversation> => {
    const conversation = await planned()
    await surfaces.gather(conversation)
    return conversation
  }
  const reply =
    (kind: Parameters<typeof threads.add>[0]): Act =>
    async argument =>
      threads.add(kind, argument)
  const settled =
    (state: 'open' | 'resolved'): Act =>
    async argument => {
      const { conversation, id } = remarkOf(window, native, argument)
      conversation.review.settle(id, state)
      await conversation.flush()
    }
  return {
    'planMode.openPlanSource': async argument =>
      await openSource(await planned(), typeof argument === 'number' ? argument : undefined),
    'planMode.editPlan': async () => await edits.open(await planned()),
    'planMode.discardEdits': async () => await edits.discard(await planned()),
    'planMode.compareRevisions': async () => await compareRevisions(await planned()),
    'planMode.whatChanged': async () => await whatChanged(await planned()),
    'planMode.restoreRevision': async () => {
      const conversation = await planned()
      const older = await pickOlder(conversation)
      if (older !== undefined) await edits.set(conversation, conversation.review.textOf(older.reviewId))
    },
    'planMode.exportPlan': async argument => await exportPlan(await gathered(), argument),
    'planMode.importRemarks': async argument => await importRemarks(await planned(), argument),
    'planMode.reviewFile': async argument => await fileReviews.begin(fileOf(argument)),
    'planMode.finishFileReview': async argument => await fileReviews.finish(fileOf(argument)),
    'planMode.addThreadRemark': reply('remark'),
    'planMode.addQuestion': reply('question'),
    'planMode.addRemoval': reply('remove'),
    'planMode.addPraise': reply('good'),
    'planMode.editRemark': async argument => threads.edit(argument),
    'planMode.saveRemark': async argument => threads.endEdit(argument, true),
    'planMode.cancelRemark': async argument => threads.endEdit(argument, false),
    'planMode.removeRemark': async argument => {
      const { keeper, id } = threads.remarkOf(argument)
      keeper.remove(id)
    },
    'planMode.resolveRemark': settled('resolved'),
    'planMode.reopenRemark': settled('open'),
    'planMode.sendRemarkAgain': async argument => {
      const { conversation, id } = remarkOf(window, native, argument)
      conversation.review.sendAgain(id)
    },
  }
}

/** A remark that was sent to an agent: those on a file never were. */
function remarkOf(
  window: PlanWindow,
  native: NativeReview,
  argument: unknown,
): { conversation: Conversation; id: string } {
  const { uri, id } = native.threads.remarkOf(argument)
  const place = planPlaceOf(uri)
  const conversation = place === undefined ? undefined : window.conversations.find(place.sessionId)
  if (conversation === undefined) throw new PlanModeError('NO_REMARK', 'This remark was not sent to an agent.')
  return { conversation, id }
}

/** The file a menu names, else the one in the active editor. */
function fileOf(argument: unknown): vscode.Uri {
  const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri
  if (uri === undefined) throw new PlanModeError('NO_FILE', 'Open a Markdown file to review it.')
  return uri
}
