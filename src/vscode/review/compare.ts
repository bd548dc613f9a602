import * as vscode from 'vscode'
import { type Revision, reviewHistory, sinceDecided } from '../../review/revisions.ts'
import { PlanModeError } from '../../session/errors.ts'
import { describeAge } from '../conversation-picker.ts'
import type { Conversation } from '../conversations/conversation.ts'
import { names, planUri } from './plan-uri.ts'

/** Shows what changed since the plan that was decided last, in the native diff editor. */
export async function whatChanged(conversation: Conversation): Promise<void> {
  const pair = sinceDecided(revisionsOf(conversation))
  if (pair === undefined) throw onlyOne()
  await showDiff(conversation, pair.from, pair.to)
}

/** Asks for two revisions; those offered first are the pair of `whatChanged`. */
export async function compareRevisions(conversation: Conversation): Promise<void> {
  const revisions = revisionsOf(conversation)
  const pair = sinceDecided(revisions)
  if (pair === undefined) throw onlyOne()
  const from = await pickRevision(revisions, pair.from, vscode.l10n.t('The older text'))
  if (from === undefined) return
  const others = revisions.filter(each => each !== from)
  const last = others.includes(pair.to) ? pair.to : others.at(-1)
  const to = await pickRevision(others, last, vscode.l10n.t('The newer text'))
  if (to !== undefined) await showDiff(conversation, from, to)
}

/** Asks for a text that was presented before. */
export async function pickOlder(conversation: Conversation): Promise<Revision | undefined> {
  const older = revisionsOf(conversation).slice(0, -1)
  if (older.length === 0) throw onlyOne()
  return await pickRevision(older, older.at(-1), vscode.l10n.t('The text to bring back as your edits'))
}

/** Shows the plan of a conversation beside what is open: the one under review, or with `pick` any that was presented. */
export async function openSource(conversation: Conversation, revision: number | undefined): Promise<void> {
  const revisions = revisionsOf(conversation)
  if (revisions.length === 0) throw new PlanModeError('NO_PLAN', 'No plan was presented in this conversation yet.')
  const older = revisions.find(each => each.revision === revision)
  if (revision !== undefined && older === undefined) {
    throw new PlanModeError('NO_REVISION', `There is no revision ${revision} of this plan.`)
  }
  const uri = older === undefined ? sourceUri(conversation) : revisionUri(conversation, older)
  const isEmpty = vscode.window.tabGroups.activeTabGroup.tabs.length === 0
  const viewColumn = isEmpty ? vscode.ViewColumn.Active : vscode.ViewColumn.Beside
  await vscode.window.showTextDocument(uri, { viewColumn, preview: false })
}

export function sourceUri({ id }: Conversation): vscode.Uri {
  return planUri({ kind: 'source', sessionId: id }, names.source())
}

function revisionUri({ id }: Conversation, { reviewId, revision }: Revision): vscode.Uri {
  return planUri({ kind: 'revision', sessionId: id, reviewId }, names.revision(revision))
}

function revisionsOf({ session }: Conversation): readonly Revision[] {
  return session.state(reviewHistory).revisions
}

function onlyOne(): PlanModeError {
  return new PlanModeError('ONE_REVISION', 'There is no older revision of this plan yet.')
}

async function showDiff(conversation: Conversation, from: Revision, to: Revision): Promise<void> {
  const title = vscode.l10n.t('Plan: revision {0} ↔ revision {1}', from.revision, to.revision)
  const [left, right] = [revisionUri(conversation, from), revisionUri(conversation, to)]
  await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true })
}

async function pickRevision(
  revisions: readonly Revision[],
  first: Revision | undefined,
  placeHolder: string,
): Promise<Revision | undefined> {
  const ordered = [...revisions].reverse().sort((one, other) => Number(other === first) - Number(one === first))
  const picks = ordered.map(revision => ({
    label: vscode.l10n.t('Revision {0}', revision.revision),
    description: `${stateWords()[revision.state]} · ${describeAge(Date.now() - revision.at)}`,
    revision,
  }))
  return (await vscode.window.showQuickPick(picks, { placeHolder }))?.revision
}

function stateWords(): Record<Revision['state'], string> {
  return {
    waiting: vscode.l10n.t('waiting'),
    approved: vscode.l10n.t('approved'),
    kept: vscode.l10n.t('sent back'),
    dismissed: vscode.l10n.t('dismissed'),
    superseded: vscode.l10n.t('replaced by a newer one'),
    withdrawn: vscode.l10n.t('withdrawn'),
  }
}
