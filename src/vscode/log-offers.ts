import * as vscode from 'vscode'
import { describeForm } from '../persistence/root-form.ts'
import { configuration } from './configuration.ts'
import type { Project } from './conversations/project.ts'
import { plainMessage } from './plain-message.ts'
import type { PlanWindow } from './window.ts'

/**
 * What a window offers when its log settings are not those that its folders were opened with: to convert a root, which
 * keeps its form while it has logs, or to reload, since a conversation that is open is never moved.
 */
export class LogOffers {
  readonly #window: PlanWindow
  /** Said once each, until it no longer holds. */
  #said = new Set<string>()

  constructor(window: PlanWindow) {
    this.#window = window
  }

  show(): void {
    const offers = [...this.#conversions(), ...this.#reloads()]
    const fresh = offers.filter(({ text }) => !this.#said.has(text))
    this.#said = new Set(offers.map(({ text }) => text))
    for (const offer of fresh) void make(offer)
  }

  #conversions(): Offer[] {
    return this.#window.wantedForms().map(({ project, wanted }) => ({
      text: vscode.l10n.t(
        'The logs of {0} stay {1}. The settings ask for {2}, which applies to a root without logs.',
        project.name,
        describeForm(project.form),
        describeForm(wanted),
      ),
      button: vscode.l10n.t('Convert Logs'),
      command: 'planMode.convertLogs',
    }))
  }

  #reloads(): Offer[] {
    return this.#window.projects.filter(isOutdated).map(project => ({
      text: vscode.l10n.t(
        'The log settings of {0} were changed. They take effect when the window is reloaded; its conversations go on as they are until then.',
        project.name,
      ),
      button: vscode.l10n.t('Reload Window'),
      command: 'workbench.action.reloadWindow',
    }))
  }
}

interface Offer {
  readonly text: string
  readonly button: string
  readonly command: string
}

async function make({ text, button, command }: Offer): Promise<void> {
  const chosen = await vscode.window.showInformationMessage(plainMessage(text), button)
  if (chosen === button) await vscode.commands.executeCommand(command)
}

function isOutdated({ folder, root, log }: Project): boolean {
  const uri = vscode.Uri.file(folder)
  const { packChunks, batchWindow } = configuration.log(uri)
  if (packChunks !== log.packChunks || batchWindow !== log.batchWindow) return true
  try {
    return configuration.logRoot(uri).path !== root
  } catch {
    // A setting that is refused has a notice of its own.
    return false
  }
}
