import assert from 'node:assert/strict'
import * as vscode from 'vscode'

/** Chooses among the labels that are offered; undefined leaves the pick. */
export type Choice = ((labels: readonly string[]) => number) | undefined

/** The entry with exactly this label. */
export function chosen(label: string): Choice {
  return labels => labels.indexOf(label)
}

/** Stands for the person before the window: answers quick picks and input boxes, in order. */
export interface Human extends Disposable {
  picks(...choices: Choice[]): void
  types(...texts: (string | undefined)[]): void
  /** The labels of every pick so far. */
  readonly offered: readonly (readonly string[])[]
}

export function human(): Human {
  const { showQuickPick, showInputBox } = vscode.window
  const choices: Choice[] = []
  const texts: (string | undefined)[] = []
  const offered: string[][] = []
  const pick = async (given: readonly vscode.QuickPickItem[] | Thenable<readonly vscode.QuickPickItem[]>) => {
    const items = await given
    const labels = items.map(({ label }) => label)
    offered.push(labels)
    assert.ok(choices.length > 0, `nobody was to be asked: ${labels.join(', ')}`)
    const choice = choices.shift()
    if (choice === undefined) return undefined
    const item = items[choice(labels)]
    assert.ok(item, `not among ${labels.join(', ')}`)
    return item
  }
  Object.assign(vscode.window, { showQuickPick: pick, showInputBox: async () => texts.shift() })
  return {
    picks: (...more) => void choices.push(...more),
    types: (...more) => void texts.push(...more),
    offered,
    [Symbol.dispose]: () => void Object.assign(vscode.window, { showQuickPick, showInputBox }),
  }
}
