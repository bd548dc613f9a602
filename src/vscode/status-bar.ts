import * as vscode from 'vscode'
import type { CommandId, ContextKey } from './ids.ts'
import { phaseOf, type StatusBarView, statusBarView, type WindowState } from './window-view.ts'

/** The status bar item and the context keys: one drawing of the window's state, written only where it changed. */
export class ModeSurfaces {
  readonly #item: vscode.StatusBarItem
  readonly #keys = new Map<ContextKey, boolean>()
  #drawn: StatusBarView | undefined

  constructor() {
    this.#item = vscode.window.createStatusBarItem('planMode.mode', vscode.StatusBarAlignment.Left, 100)
    this.#item.name = vscode.l10n.t('Plan mode')
  }

  /** The text that is shown now. */
  get text(): string {
    return this.#item.text
  }

  render(state: WindowState, hover: vscode.MarkdownString): void {
    const view = statusBarView(state)
    this.#item.tooltip = hover
    if (view.text !== this.#drawn?.text || view.description !== this.#drawn.description) this.#draw(view)
    this.#drawn = view
    this.#set('planMode.active', state.mode.active)
    this.#set('planMode.pending', state.mode.pending)
    this.#set('planMode.reviewWaiting', state.reviewWaiting !== undefined)
    this.#set('planMode.problem', phaseOf(state) === 'problem')
    this.#set('planMode.readOnly', state.readOnly ?? false)
    this.#item.show()
  }

  dispose(): void {
    this.#item.dispose()
  }

  #draw({ text, background, command, description }: StatusBarView): void {
    this.#item.text = text
    this.#item.command = command satisfies CommandId
    this.#item.backgroundColor =
      background === undefined ? undefined : new vscode.ThemeColor(`statusBarItem.${background}Background`)
    this.#item.accessibilityInformation = { label: `${text.replace(/\$\([a-z-]+\)\s*/g, '')}. ${description}` }
  }

  #set(key: ContextKey, value: boolean): void {
    if (this.#keys.get(key) === value) return
    this.#keys.set(key, value)
    void vscode.commands.executeCommand('setContext', key, value)
  }
}
