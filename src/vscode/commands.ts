import * as vscode from 'vscode'
import { originOf } from '../models/base-url.ts'
import { describeForm, type RootForm, sameForm } from '../persistence/root-form.ts'
import { PlanModeError } from '../session/errors.ts'
import {
  attempt,
  continueHere,
  conversationToActOn,
  createConversation,
  requireFolder,
  retrySaving,
  select,
  send,
  toggle,
} from './acts.ts'
import { configuration } from './configuration.ts'
import { pickConversation } from './conversation-picker.ts'
import { pickTurn } from './forks/turn-picker.ts'
import { COMMANDS, type CommandId } from './ids.ts'
import { plainMessage } from './plain-message.ts'
import { endPlan, openPlan, reviewPlan, startPlan } from './plans/plan-acts.ts'
import { reviewActs } from './review/acts.ts'
import type { Surfaces } from './surfaces.ts'
import type { PlanWindow } from './window.ts'

/** Registers every command of package.json. */
export function registerCommands(window: PlanWindow, surfaces: Surfaces): vscode.Disposable {
  const acts: Record<CommandId, (argument: unknown) => Promise<unknown>> = {
    'planMode.enter': () => selectShown(window, true),
    'planMode.exit': () => selectShown(window, false),
    'planMode.toggle': () => toggleShown(window),
    'planMode.newConversation': () => begin(window, surfaces),
    'planMode.openConversation': () => openConversation(window, surfaces),
    'planMode.openReview': () => requireFolder(window).then(() => surfaces.openReview()),
    'planMode.watchPlan': () => requireFolder(window).then(() => surfaces.watchPlan()),
    'planMode.approve': () => surfaces.actInReview('approve'),
    'planMode.approveWithNotes': () => surfaces.actInReview('approveWithNotes'),
    'planMode.approveAndSave': () => surfaces.actInReview('save'),
    'planMode.keepPlanning': () => surfaces.actInReview('keep'),
    'planMode.dismissReview': () => surfaces.actInReview('dismiss'),
    'planMode.nextRemark': () => surfaces.actInReview('nextRemark'),
    'planMode.previousRemark': () => surfaces.actInReview('previousRemark'),
    'planMode.addRemark': () => surfaces.actInReview('addRemark'),
    'planMode.askAboutPlan': () => surfaces.actInReview('ask'),
    'planMode.openLog': () => openLog(window, surfaces),
    'planMode.setApiKey': () => setApiKey(window),
    'planMode.ask': argument => ask(window, argument),
    'planMode.stop': async () => window.conversations.shown?.agent.cancel(),
    'planMode.chooseModel': () => chooseModel(),
    'planMode.showProblem': () => showProblem(window),
    'planMode.convertLogs': () => convertLogs(window),
    'planMode.retrySaving': () => retrySaving(window),
    'planMode.showConversation': () => surfaces.showConversation(),
    'planMode.continueHere': () => continueHere(window),
    'planMode.forkConversation': () => forkShown(window, surfaces),
    'planMode.openPlan': argument => openPlan(window, surfaces, argument),
    'planMode.reviewPlan': argument => reviewPlan(window, surfaces, argument),
    'planMode.startPlan': argument => startPlan(window, surfaces, argument, 'elsewhere'),
    'planMode.startPlanHere': argument => startPlan(window, surfaces, argument, 'here'),
    'planMode.dropPlan': argument => endPlan(window, argument, 'dropped'),
    'planMode.closePlan': argument => endPlan(window, argument, 'done'),
    'planMode.checkPlan': () => surfaces.checkPlan(),
    'planMode.refreshPlans': () => surfaces.plans.refresh(),
    ...reviewActs(window, surfaces),
  }
  const registered = COMMANDS.map(id =>
    vscode.commands.registerCommand(id, (argument: unknown) => attempt(window, () => acts[id](argument))),
  )
  return vscode.Disposable.from(...registered)
}

async function selectShown(window: PlanWindow, active: boolean): Promise<void> {
  const conversation = await conversationToActOn(window)
  if (conversation !== undefined) say(await select(conversation, active))
}

async function toggleShown(window: PlanWindow): Promise<void> {
  const conversation = await conversationToActOn(window)
  if (conversation !== undefined) say(await toggle(conversation))
}

async function begin(window: PlanWindow, surfaces: Surfaces): Promise<void> {
  if ((await createConversation(window)) !== undefined) await surfaces.showConversation()
}

async function openConversation(window: PlanWindow, surfaces: Surfaces): Promise<void> {
  await requireFolder(window)
  if ((await pickConversation(window)) !== undefined) await surfaces.showConversation()
}

async function forkShown(window: PlanWindow, surfaces: Surfaces): Promise<void> {
  await requireFolder(window)
  const { shown } = window.conversations
  if (shown === undefined) throw new PlanModeError('NO_TURN', 'No conversation is open that could be forked.')
  const turn = await pickTurn(shown)
  if (turn !== undefined) await surfaces.fork(shown.id, turn)
}

async function ask(window: PlanWindow, argument: unknown): Promise<void> {
  await requireFolder(window)
  const text =
    typeof argument === 'string'
      ? argument
      : await vscode.window.showInputBox({
          prompt: vscode.l10n.t('A message to the agent, or a /command'),
          placeHolder: vscode.l10n.t('What should the agent do?'),
        })
  if (text !== undefined) await send(window, text)
}

async function openLog(window: PlanWindow, surfaces: Surfaces): Promise<void> {
  await requireFolder(window)
  const { shown } = window.conversations
  if (shown === undefined || shown.session.length === 0) {
    throw new PlanModeError('NO_LOG', 'This conversation has no log yet. It begins with the first message.')
  }
  await shown.flush()
  await surfaces.showLog(shown)
}

async function convertLogs(window: PlanWindow): Promise<void> {
  await requireFolder(window)
  const picked = await vscode.window.showQuickPick(
    window.projects.flatMap(project =>
      FORMS.filter(form => !sameForm(form, project.form)).map(form => ({
        label: `To ${describeForm(form)}`,
        description: window.projects.length > 1 ? project.name : '',
        detail: `${project.root} keeps ${describeForm(project.form)} now`,
        convert: () => window.convert(project, form),
      })),
    ),
    { placeHolder: vscode.l10n.t('Every log is copied and read back before anything changes; the old root is kept') },
  )
  if (picked !== undefined) void vscode.window.showInformationMessage(plainMessage(await picked.convert()))
}

const FORMS: readonly RootForm[] = [
  { backend: 'jsonl', compression: 'none' },
  { backend: 'jsonl', compression: 'zstd' },
  { backend: 'sqlite', compression: 'none' },
]

async function setApiKey(window: PlanWindow): Promise<void> {
  const endpoint = configuration.endpoint()
  if (endpoint === undefined) {
    throw new PlanModeError('BAD_MODEL', 'Set planMode.model.baseUrl first: a key belongs to one endpoint.')
  }
  const origin = originOf(endpoint.baseUrl)
  const key = await vscode.window.showInputBox({
    prompt: vscode.l10n.t(
      'API key for {0}. It is kept in the secret storage and sent to no other address. Empty removes it.',
      origin,
    ),
    password: true,
    ignoreFocusOut: true,
  })
  if (key === undefined) return
  if (key.trim() === '') await window.keys.clear(origin)
  else await window.keys.set(origin, key.trim())
  say(key.trim() === '' ? `The key for ${origin} was removed.` : `The key for ${origin} was saved.`)
}

async function chooseModel(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', 'planMode.model')
}

async function showProblem(window: PlanWindow): Promise<void> {
  const problem = window.conversations.shown?.problem ?? window.problems.first?.error
  if (problem !== undefined) throw problem
}

function say(text: string): void {
  vscode.window.setStatusBarMessage(text, 4000)
}
