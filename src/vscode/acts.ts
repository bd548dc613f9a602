import { resolve } from 'node:path'
import * as vscode from 'vscode'
import { entered, left } from '../plan/command.ts'
import { messageOf, PlanModeError } from '../session/errors.ts'
import { newUserMessage } from '../session/messages.ts'
import { configuration } from './configuration.ts'
import type { Conversation } from './conversations/conversation.ts'
import type { Project } from './conversations/project.ts'
import { attach, type ImageRef } from './images.ts'
import { plainMessage } from './plain-message.ts'
import { isInside } from './settings.ts'
import type { PlanWindow } from './window.ts'

/**
 * What a person can do, whichever surface they do it from. Each act reports once, after its effect is durable; what
 * goes wrong is a PlanModeError whose message says what to do.
 */

/** Selects plan mode for a conversation and says what came of it. @throws also `BAD_POLICY`: not without its guidance. */
export async function select(conversation: Conversation, active: boolean): Promise<string> {
  const { controller, folder } = conversation.project
  if (active) configuration.policy(vscode.Uri.file(folder))
  const outcome = controller.set(conversation.agent, active)
  const said = (active ? entered : left)(outcome, controller, conversation.agent)
  await conversation.flush()
  return said
}

/** Selects the opposite of the waiting selection, else of the mode. */
export function toggle(conversation: Conversation): Promise<string> {
  const { active, pending = active } = conversation.project.controller.get(conversation.agent)
  return select(conversation, !pending)
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
 * Sends a prompt, or runs a `/command`, in the conversation given, else in the one shown, with images that are stored
 * already; durable when it resolves. False when nothing went: there is nothing to send, no folder was chosen to send it
 * in, or the command was refused, which the transcript tells. @throws PlanModeError `BAD_COMMAND_NAME`,
 * `UNKNOWN_COMMAND`, `COMMAND_UNAVAILABLE`, `NO_IMAGES`, `IMAGE_GONE`; nothing has changed then.
 */
export async function send(
  window: PlanWindow,
  text: string,
  to?: Conversation,
  images: readonly ImageRef[] = [],
): Promise<boolean> {
  const empty = text.trim() === '' && images.length === 0
  const conversation = empty ? undefined : (to ?? (await conversationToActOn(window)))
  if (conversation === undefined) return false
  const { agent, project } = conversation
  const command = project.runtime.commands?.read(text)
  const attached = await Promise.all(images.map(image => attach(project, window.projects, image)))
  if (command === undefined) agent.prompt(newUserMessage(text, { kind: 'user' }, attached))
  else {
    const outcome = await project.runtime.commands?.run(agent, command.name, command.args, attached)
    if (outcome?.kind === 'error') return false
  }
  await conversation.flush()
  return true
}

/** Goes on with a conversation that another window writes, which turns read-only there: the given one, or the one shown. */
export async function continueHere(window: PlanWindow, conversation = window.conversations.shown): Promise<void> {
  if (conversation?.writtenElsewhere !== true) {
    throw new PlanModeError('NOT_ELSEWHERE', 'No other window writes the conversation that is shown here.')
  }
  await window.conversations.continueHere(conversation)
}

/** Saves what could not be saved, or opens anew what could not be opened for writing. */
export async function retrySaving(window: PlanWindow): Promise<void> {
  const { shown } = window.conversations
  if (shown === undefined) return
  if (shown.readOnly === undefined) await shown.save()
  else await window.conversations.reopen(shown)
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
    void showError(window, error)
  }
}

async function showError(window: PlanWindow, error: unknown): Promise<void> {
  const code = error instanceof PlanModeError ? error.code : undefined
  const elsewhere = code === 'READ_ONLY' && window.conversations.shown?.writtenElsewhere === true
  const mend = elsewhere ? CONTINUE_HERE : code === undefined ? undefined : MENDS[code]
  const labels = mend === undefined ? [] : [mend.label]
  const chosen = await vscode.window.showErrorMessage(plainMessage(messageOf(error)), ...labels)
  if (mend !== undefined && chosen === mend.label) await vscode.commands.executeCommand(mend.command, mend.argument)
}

/** The way to mend what went wrong. */
interface Mend {
  readonly label: string
  readonly command: string
  readonly argument?: string
}

const settings = (key: string): Mend => ({
  label: 'Open Settings',
  command: 'workbench.action.openSettings',
  argument: key,
})

const CONTINUE_HERE: Mend = { label: 'Continue Here', command: 'planMode.continueHere' }
const TRY_AGAIN: Mend = { label: 'Try Again', command: 'planMode.retrySaving' }

const MENDS: Record<string, Mend> = {
  BAD_POLICY: settings('planMode.policy'),
  BAD_LOG_ROOT: settings('planMode.log.root'),
  BAD_MODEL: settings('planMode.model'),
  STORAGE: TRY_AGAIN,
  NOT_WRITABLE: TRY_AGAIN,
  LOG_GONE: { label: 'Write It Anew', command: 'planMode.retrySaving' },
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
