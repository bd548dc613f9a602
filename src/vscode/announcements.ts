import * as vscode from 'vscode'
import { attempt, continueHere } from './acts.ts'
import type { ApprovalCard } from './conversations/approval-cards.ts'
import type { Conversation } from './conversations/conversation.ts'
import { plainMessage } from './plain-message.ts'
import type { OpenQuestion } from './questions/open-questions.ts'
import { questionNotice } from './questions/question-notice.ts'
import type { Surfaces } from './surfaces.ts'
import type { PlanWindow } from './window.ts'

/** The notifications for what waits for a person and is not in view. Each leads there; none decides on a plan. */

export async function announceReview(surfaces: Surfaces, conversation: Conversation, title: string): Promise<void> {
  const open = vscode.l10n.t('Open Review')
  const text = vscode.l10n.t('A plan waits for your review: {0}', title)
  const chosen = await vscode.window.showInformationMessage(plainMessage(text), open)
  if (chosen === open) await surfaces.openReview(conversation)
}

export async function announceLoss(window: PlanWindow, conversation: Conversation): Promise<void> {
  const back = vscode.l10n.t('Continue Here')
  const text = vscode.l10n.t('"{0}" goes on in another window. It is read-only here now.', conversation.title)
  const chosen = await vscode.window.showWarningMessage(plainMessage(text), back)
  const current = window.conversations.find(conversation.id)
  if (chosen === back) await attempt(window, () => continueHere(window, current))
}

export async function announceApproval(window: PlanWindow, surfaces: Surfaces, card: ApprovalCard): Promise<void> {
  const allow = vscode.l10n.t('Allow')
  const refuse = vscode.l10n.t('Refuse')
  const open = vscode.l10n.t('Open Conversation')
  const text = card.warning === undefined ? card.reason : `${card.reason} ${card.warning}`
  const chosen = await vscode.window.showWarningMessage(plainMessage(text), allow, refuse, open)
  if (chosen === open) await surfaces.showConversation(window.conversations.of(card.call.agent))
  else if (chosen !== undefined) window.cards.decide(card.id, chosen === allow)
}

/** Leads to the question's card, or takes a plain choice. */
export async function announceQuestion(
  window: PlanWindow,
  surfaces: Surfaces,
  { id, request: { agent, questions } }: OpenQuestion,
): Promise<void> {
  const conversation = window.conversations.of(agent)
  if (conversation === undefined) return
  const { text, choices } = questionNotice(questions, conversation.title)
  const open = { title: vscode.l10n.t('Open') }
  const answers = choices.map(label => ({ title: label }))
  const chosen = await vscode.window.showInformationMessage(plainMessage(text), ...answers, open)
  if (chosen === undefined) return
  if (chosen === open) return await surfaces.showConversation(conversation)
  const answer = { id: questions[0]?.id ?? '', selected: [chosen.title] }
  await attempt(window, async () => window.questions.open.answer(id, { answers: [answer] }))
}
