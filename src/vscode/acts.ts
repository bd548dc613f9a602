import { resolve } from 'node:path'
import * as vscode from 'vscode'
import { entered, left } from '../plan/command.ts'
import { messageOf, PlanModeError } from '../session/errors.ts'
import { newUserMessage } from '../session/messages.ts'
import type { Conversation } from './conversations/conversation.ts'
import type { Project } from './conversations/project.ts'
import { isInside } from './settings.ts'
import type { PlanWindow } from './window.ts'

/**
 * What a person can do, whichever surface they do it from. Each act reports once, after its effect is durable; what
 * goes wrong is a PlanModeError whose message says what to do.
 */

/** Selects plan mode for a conversation and says what came of it. */
export async function select(window: PlanWindow, conversation: Conversation, active: boolean): Promise<string> {
  const problem = window.problems.first
  if (active && problem?.setting === 'planMode.policy') throw problem.error
  const { controller } = conversation.project
  const outcome = controller.set(conversation.agent, active)
  const said = (active ? entered : left)(outcome, controller, conversation.agent)
  await conversation.flush()
  return said
}

/** Selects the opposite of the waiting selection, else of the mode. */
export function toggle(window: PlanWindow, conversation: Conversation): Promise<string> {
  const { active, pending = active } = conversation.project.controller.get(conversation.agent)
  return select(window, conversation, !pending)
}

/** The conversation to act on: the one shown, else a new one. Undefined when the person chose no folder. */
export async function conversationToActOn(window: PlanWindow): Promise<Conversation | undefined> {
  await window.started
  return window.conversations.shown ?? (await createConversation(window))
}

/** @throws PlanModeError `NO_FOLDER`, or what is wrong with the folder that is open. */
export async function requireFolder(window: PlanWindow): Promise<void> {
  await window.started
  if (window.projects.length > 0) return
  if (vscode.workspace.workspaceFolders?.some(({ uri }) => uri.scheme === 'file')) {
    const problem = window.problems.first
    if (problem !== undefined) throw problem.error
  }
  throw new PlanModeError('NO_FOLDER', 'Plan mode keeps its log in a workspace folder. Open a folder first.')
}

/** Starts a conversation in the window's folder, or in the one that is chosen. @throws as `requireFolder` */
export async function createConversation(window: PlanWindow): Promise<Conversation | undefined> {
  await requireFolder(window)
  const project = await chooseProject(window.projects)
  return project === undefined ? undefined : await window.conversations.create(project)
}

/**
 * Sends a prompt, or runs a `/command`, in the conversation shown; durable when it resolves. False when there is nothing
 * to send, or no folder was chosen to send it in.
 */
export async function send(window: PlanWindow, text: string): Promise<boolean> {
  const conversation = text.trim() === '' ? undefined : await conversationToActOn(window)
  if (conversation === undefined) return false
  const { agent, project } = conversation
  const command = project.runtime.commands?.parse(text)
  if (command === undefined) agent.prompt(newUserMessage(text))
  else await project.runtime.commands?.run(agent, command.name, command.args)
  await conversation.flush()
  return true
}

/** Opens a workspace file; paths that leave the folder are refused. */
export async function openFile(folder: string | undefined, path: string): Promise<void> {
  if (folder === undefined) return
  const target = resolve(folder, path)
  if (!isInside(folder, target)) throw new PlanModeError('OUTSIDE_WORKSPACE', `${path} is outside the workspace.`)
  await vscode.window.showTextDocument(vscode.Uri.file(target), { preview: true })
}

/** Opens a web or mail address outside VS Code, which asks first. Any other scheme is refused. */
export async function openLink(href: string): Promise<void> {
  const uri = vscode.Uri.parse(href, true)
  if (!['http', 'https', 'mailto'].includes(uri.scheme)) {
    throw new PlanModeError('BAD_LINK', `Links to ${uri.scheme}: are not opened from a plan.`)
  }
  await vscode.env.openExternal(uri)
}

/** Runs an act and shows what went wrong, with the way to mend it where there is one. Does not wait for the reader. */
export async function attempt(window: PlanWindow, act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (error) {
    window.report(error)
    void showError(error)
  }
}

async function showError(error: unknown): Promise<void> {
  const code = error instanceof PlanModeError ? error.code : undefined
  const mend = code === undefined ? undefined : MENDS[code]
  const chosen = await vscode.window.showErrorMessage(messageOf(error), ...(mend === undefined ? [] : [mend.label]))
  if (mend !== undefined && chosen === mend.label) await vscode.commands.executeCommand(mend.command, mend.argument)
}

const settings = (key: string) => ({ label: 'Open Settings', command: 'workbench.action.openSettings', argument: key })

const MENDS: Record<string, { label: string; command: string; argument?: string }> = {
  BAD_POLICY: settings('planMode.policy'),
  BAD_LOG_ROOT: settings('planMode.log.root'),
  BAD_MODEL: settings('planMode.model'),
  STORAGE: { label: 'Try Again', command: 'planMode.retrySaving' },
  NO_FOLDER: { label: 'Open Folder', command: 'workbench.action.files.openFolder' },
}

async function chooseProject(projects: readonly Project[]): Promise<Project | undefined> {
  const [first, ...others] = projects
  if (first === undefined || others.length === 0) return first
  const picked = await vscode.window.showQuickPick(
    projects.map(project => ({ label: project.name, description: project.folder, project })),
    { placeHolder: vscode.l10n.t('Folder of the new conversation') },
  )
  return picked?.project
}
