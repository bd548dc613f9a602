import * as vscode from 'vscode'
import type { SessionSummary } from '../persistence/store.ts'
import { planProjection, planView } from '../plan/projection.ts'
import { reviewProjection } from '../plan/review.ts'
import { messageOf } from '../session/errors.ts'
import { eachBounded } from './bounded.ts'
import type { Conversation } from './conversations/conversation.ts'
import type { Project } from './conversations/project.ts'
import type { PlanWindow } from './window.ts'

interface Pick extends vscode.QuickPickItem {
  readonly choose: () => Promise<Conversation | undefined>
  /** What the log says of itself; it has to be read for that. */
  readonly describe?: (signal: AbortSignal) => Promise<vscode.QuickPickItem>
}

/** Logs that are read at a time to say what is in them. */
const AT_ONCE = 4
/** How often the list is drawn anew while descriptions come, in milliseconds. */
const DRAW_MS = 50

/**
 * Lets a person choose a stored conversation by title, mode and age, and shows it. The list is there at once and is
 * filled in as the logs are read; closing it stops the reading. Undefined when they chose none.
 */
export async function pickConversation(window: PlanWindow): Promise<Conversation | undefined> {
  await window.started
  const picker = vscode.window.createQuickPick<Pick>()
  picker.placeholder = vscode.l10n.t('Conversation to open')
  picker.matchOnDescription = true
  picker.keepScrollPosition = true
  picker.busy = true
  picker.show()
  const closed = new AbortController()
  const picked = chosen(picker, closed)
  try {
    const picks = await listed(window)
    draw(picker, picks)
    if (picks.length === 0) picker.placeholder = vscode.l10n.t('No conversation was begun here yet')
    const filled = fill(picker, picks, closed.signal)
    const pick = await picked
    await filled
    return await pick?.choose()
  } finally {
    closed.abort()
    picker.dispose()
  }
}

function chosen(picker: vscode.QuickPick<Pick>, closed: AbortController): Promise<Pick | undefined> {
  return new Promise(resolve => {
    picker.onDidAccept(() => {
      resolve(picker.selectedItems[0])
      picker.hide()
    })
    picker.onDidHide(() => {
      closed.abort()
      resolve(undefined)
    })
  })
}

/** What is known from the first lines of the logs alone. */
async function listed(window: PlanWindow): Promise<Pick[]> {
  const all: Pick[] = []
  for (const project of window.projects) {
    const { sessions, problems } = await project.list()
    all.push(...sessions.map(summary => stored(window, project, summary)))
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

function stored(window: PlanWindow, project: Project, { header, mtimeMs }: SessionSummary): Pick {
  const age = describeAge(Date.now() - mtimeMs)
  return {
    label: '$(loading~spin)',
    description: age,
    choose: () => window.conversations.show(project, header.id),
    describe: signal => described(window, project, header.id, age, signal),
  }
}

/** A log that cannot be read is listed with its reason: choosing it tells the reason again. */
async function described(window: PlanWindow, project: Project, id: string, age: string, signal: AbortSignal) {
  try {
    const { title, session } = await project.describe(id, signal)
    const { projections } = project.runtime
    const { active } = planView(projections.state(session, planProjection))
    const waiting = projections.state(session, reviewProjection).waiting !== null
    const mode = waiting ? 'review waiting' : active ? 'plan on' : 'plan off'
    const folder = window.projects.length > 1 ? [project.name] : []
    return { label: title ?? 'New conversation', description: [mode, age, ...folder].join(' · ') }
  } catch (error) {
    return { label: `$(warning) ${id}`, description: age, detail: messageOf(error) }
  }
}

/** Reads a few logs at a time, in the order of the list, until all are described or the list is closed. */
async function fill(picker: vscode.QuickPick<Pick>, picks: readonly Pick[], signal: AbortSignal): Promise<void> {
  let drawing: NodeJS.Timeout | undefined
  const soon = () => {
    drawing ??= setTimeout(() => {
      drawing = undefined
      draw(picker, picks)
    }, DRAW_MS)
  }
  await eachBounded(picks, { limit: AT_ONCE, signal }, async pick => {
    const said = await pick.describe?.(signal)
    if (said === undefined || signal.aborted) return
    Object.assign(pick, said)
    soon()
  })
  clearTimeout(drawing)
  if (signal.aborted) return
  draw(picker, picks)
  picker.busy = false
}

/** The entry a person is at stays the one they are at. */
function draw(picker: vscode.QuickPick<Pick>, picks: readonly Pick[]): void {
  const { activeItems } = picker
  picker.items = picks
  if (activeItems.length > 0) picker.activeItems = activeItems
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
