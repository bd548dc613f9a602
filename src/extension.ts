import * as vscode from 'vscode'
import { registerCommands } from './vscode/commands.ts'
import { Surfaces } from './vscode/surfaces.ts'
import { PlanWindow } from './vscode/window.ts'

/** What other extensions may read of plan mode. Reading only: decisions on a plan are a human's. */
export interface PlanModeApi {
  readonly version: 1
  /** The conversation shown last; undefined parts do not apply. */
  state(): {
    readonly sessionId: string | undefined
    readonly log: string | undefined
    readonly active: boolean
    readonly pending: boolean
    readonly reviewWaiting: string | undefined
    readonly running: boolean
    readonly statusBar: string
  }
  /** Resolves when the window has taken up its folders and the conversation of the time before a reload. */
  readonly started: Promise<void>
}

let window: PlanWindow | undefined

/** Makes each part once, hands it what it needs, owns its disposal. */
export function activate(context: vscode.ExtensionContext): PlanModeApi {
  const log = vscode.window.createOutputChannel('Plan Mode', { log: true })
  const planWindow = new PlanWindow(context, log)
  window = planWindow
  const surfaces = new Surfaces(planWindow)
  const settingsChanged = () => {
    planWindow.checkSettings()
    surfaces.renderAll()
    planWindow.followFolders().catch((error: unknown) => planWindow.report(error))
  }
  context.subscriptions.push(
    log,
    surfaces,
    registerCommands(planWindow, surfaces),
    vscode.workspace.onDidChangeConfiguration(event => {
      if (event.affectsConfiguration('planMode')) settingsChanged()
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(settingsChanged),
    vscode.workspace.onDidChangeWorkspaceFolders(settingsChanged),
  )
  return {
    version: 1,
    started: planWindow.started,
    state() {
      const { shown } = planWindow.conversations
      const { mode, reviewWaiting } = planWindow.state()
      return {
        sessionId: shown?.id,
        log: shown?.location,
        ...mode,
        reviewWaiting,
        running: shown?.running ?? false,
        statusBar: surfaces.statusBarText,
      }
    },
  }
}

/** Waits until nothing is in flight and everything said is durable. */
export async function deactivate(): Promise<void> {
  await window?.dispose()
  window = undefined
}
