import * as vscode from 'vscode'
import type { PlanWindow } from './window.ts'
import type { StatusBarView } from './window-view.ts'

/** What the status bar item says of itself: the mode, the conversation, and the ways on. */
export function statusHover(window: PlanWindow, { description }: StatusBarView): vscode.MarkdownString {
  const { shown } = window.conversations
  const hover = new vscode.MarkdownString(undefined, true)
  const commands = ['planMode.toggle', 'planMode.showConversation', 'planMode.openConversation', 'planMode.openReview']
  hover.isTrusted = { enabledCommands: commands }
  hover.appendMarkdown('**Plan mode** · guided  \n').appendText(description)
  if (shown !== undefined) {
    const revision = shown.reviewWaiting === undefined ? '' : ` · revision ${shown.reviewWaiting.revision}`
    hover.appendText(`\n\n${shown.title}${revision} · ${window.models.describe().label}`)
  }
  const key = process.platform === 'darwin' ? '⌘⌥P' : 'Ctrl+Alt+P'
  return hover.appendMarkdown(
    `\n\n[Toggle](command:planMode.toggle) (${key}) · [Conversation](command:planMode.showConversation) · [Others](command:planMode.openConversation)`,
  )
}
