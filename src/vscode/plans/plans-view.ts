import * as vscode from 'vscode'
import type { ListedPlan } from '../../review/plan-list.ts'
import { describeAge } from '../conversation-picker.ts'
import { PLANS_VIEW } from '../ids.ts'
import type { PlanWindow } from '../window.ts'
import { PlanListing } from './plan-listing.ts'
import { planLine, planParts } from './plan-words.ts'

/** Milliseconds from a change of an open conversation to the next look at it. */
const SOON = 200

/** The Plans view: every plan of the window's folders, those that wait for a human first. Its badge counts these. */
export class PlansView implements vscode.TreeDataProvider<ListedPlan> {
  readonly listing: PlanListing
  readonly #changed = new vscode.EventEmitter<undefined>()
  readonly onDidChangeTreeData = this.#changed.event
  readonly #view: vscode.TreeView<ListedPlan>
  readonly #parts: (Disposable | vscode.Disposable)[]
  #updating: NodeJS.Timeout | undefined

  constructor(window: PlanWindow) {
    this.listing = new PlanListing(window)
    this.#view = vscode.window.createTreeView(PLANS_VIEW, { treeDataProvider: this, showCollapseAll: false })
    this.#parts = [
      this.#view,
      this.#changed,
      this.listing.changed.on(() => this.#draw()),
      window.conversations.anyChanged.on(() => this.#updateSoon()),
      this.#view.onDidChangeVisibility(({ visible }) => visible && void this.listing.refresh()),
      vscode.window.onDidChangeWindowState(({ focused }) => focused && void this.listing.refresh()),
    ]
    void window.started.then(() => this.listing.refresh()).catch((error: unknown) => window.report(error))
  }

  getChildren(plan?: ListedPlan): ListedPlan[] {
    return plan === undefined ? [...this.listing.plans] : []
  }

  getTreeItem(plan: ListedPlan): vscode.TreeItem {
    const age = describeAge(Date.now() - plan.at)
    const { icon, colour, context } = planParts(plan)
    const line = planLine(plan, age)
    const item = new vscode.TreeItem(plan.title)
    item.id = `${plan.sessionId}/${plan.reviewId}`
    item.description = line
    item.iconPath = new vscode.ThemeIcon(icon, colour === undefined ? undefined : new vscode.ThemeColor(colour))
    item.contextValue = context
    item.tooltip = `${plan.title}\n${line}`
    item.accessibilityInformation = { label: `${plan.title}, ${line}` }
    item.command = { command: 'planMode.openPlan', title: vscode.l10n.t('Open Plan'), arguments: [plan] }
    return item
  }

  dispose(): void {
    clearTimeout(this.#updating)
    for (const part of this.#parts) Symbol.dispose in part ? part[Symbol.dispose]() : part.dispose()
  }

  #updateSoon(): void {
    this.#updating ??= setTimeout(() => {
      this.#updating = undefined
      this.listing.update()
    }, SOON)
  }

  #draw(): void {
    const { waiting } = this.listing
    const tooltip =
      waiting === 1
        ? vscode.l10n.t('A plan waits for your review')
        : vscode.l10n.t('{0} plans wait for your review', waiting)
    this.#view.badge = waiting === 0 ? undefined : { value: waiting, tooltip }
    this.#changed.fire(undefined)
  }
}
