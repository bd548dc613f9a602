import * as vscode from 'vscode'
import type { SessionSummary } from '../persistence/store.ts'
import { planProjection, planView } from '../plan/projection.ts'
import { reviewProjection } from '../plan/review.ts'
import { messageOf } from '../session/errors.ts'
import type { Conversation } from './conversations/conversation.ts'
import type { Project } from './conversations/project.ts'
import type { PlanWindow } from './window.ts'

interface Pick extends vscode.QuickPickItem {
  readonly choose: () => Promise<Conversation | undefined>
}

/** Lets a person choose a stored conversation by title, mode and age, and shows it. Undefined when they chose none. */
export async function pickConversation(window: PlanWindow): Promise<Conversation | undefined> {
  await window.started
  const picker = vscode.window.createQuickPick<Pick>()
  picker.placeholder = vscode.l10n.t('Conversation to open')
  picker.matchOnDescription = true
  picker.busy = true
  picker.show()
  const picked = chosen(picker)
  try {
    picker.items = await picks(window)
    if (picker.items.length === 0) picker.placeholder = vscode.l10n.t('No conversation was begun here yet')
    picker.busy = false
    return await (await picked)?.choose()
  } finally {
    picker.dispose()
  }
}

function chosen(picker: vscode.QuickPick<Pick>): Promise<Pick | undefined> {
  return new Promise(resolve => {
    picker.onDidAccept(() => {
      resolve(picker.selectedItems[0])
      picker.hide()
    })
    picker.onDidHide(() => resolve(undefined))
  })
}

async function picks(window: PlanWindow): Promise<Pick[]> {
  const all: Pick[] = []
  for (const project of window.projects) {
    const { sessions, problems } = await project.list()
    all.push(...(await Promise.all(sessions.map(summary => stored(window, project, summary)))))
    all.push(
      ...problems.map(({ file, message }) => ({
        label: `$(warning) ${vscode.workspace.asRelativePath(file)}`,
        detail: message,
        choose: async () => undefined,
      })),
    )
  }
  return all
}

/** A log that cannot be read is listed with its reason: choosing it tells the reason again. */
async function stored(window: PlanWindow, project: Project, { header, mtimeMs }: SessionSummary): Promise<Pick> {
  const age = describeAge(Date.now() - mtimeMs)
  const choose = () => window.conversations.show(project, header.id)
  try {
    const { title, session } = await project.describe(header.id)
    const { projections } = project.runtime
    const { active } = planView(projections.state(session, planProjection))
    const waiting = projections.state(session, reviewProjection).waiting !== null
    const mode = waiting ? 'review waiting' : active ? 'plan on' : 'plan off'
    const folder = window.projects.length > 1 ? [project.name] : []
    return { label: title ?? 'New conversation', description: [mode, age, ...folder].join(' · '), choose }
  } catch (error) {
    return { label: `$(warning) ${header.id}`, description: age, detail: messageOf(error), choose }
  }
}

/** An age in words; milliseconds in. */
export function describeAge(ms: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ] as const
  for (const [unit, size] of units) {
    const count = Math.floor(ms / size)
    if (count >= 1) return `${count} ${unit}${count === 1 ? '' : 's'} ago`
  }
  return 'just now'
}
