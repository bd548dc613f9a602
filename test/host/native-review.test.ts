import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as vscode from 'vscode'
import type { PlanModeApi } from '../../src/extension.ts'
import { parseReview } from '../../src/review/exchange/parse.ts'
import type { SharedReview } from '../../src/review/exchange/shared-review.ts'
import { planMode, until } from './plan-mode.ts'

const run = (command: string, ...rest: unknown[]) => vscode.commands.executeCommand(`planMode.${command}`, ...rest)

describe('the review in native editors', () => {
  let api: PlanModeApi
  let folder = ''

  before(async () => {
    api = await planMode()
    folder = await mkdtemp(join(tmpdir(), 'plan-mode-native-'))
    await run('newConversation')
    await run('enter')
    await run('ask', 'Plan a small change to the README')
    await until('a plan that waits', () => api.state().reviewWaiting !== undefined)
  })

  after(async () => {
    await run('stop')
    await until('the agent to rest', () => !api.state().running)
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor')
    await vscode.commands.executeCommand('workbench.action.closeAllEditors')
    await rm(folder, { recursive: true, force: true })
  })

  /** What the review holds now, as its own export says it. */
  async function exported(): Promise<SharedReview> {
    const file = join(folder, `${crypto.randomUUID()}.md`)
    await run('exportPlan', vscode.Uri.file(file))
    return parseReview(await readFile(file, 'utf8'))
  }

  async function source(): Promise<vscode.TextDocument> {
    await run('openPlanSource')
    const document = vscode.window.activeTextEditor?.document
    assert.ok(document?.uri.scheme === 'plan-mode-plan', 'the source is not shown')
    return document
  }

  /** Writes into the comment box of a place, as VS Code hands it to the command. */
  async function remark(command: string, uri: vscode.Uri, range: vscode.Range | undefined, text: string) {
    let disposed = false
    const thread = {
      uri,
      range,
      dispose: () => {
        disposed = true
      },
    }
    await run(command, { thread, text })
    assert.ok(disposed, 'the box is still there')
  }

  it('shows the exact plan as a Markdown document that cannot be written', async () => {
    const document = await source()
    assert.equal(document.languageId, 'markdown')
    assert.equal(document.getText(), (await exported()).plan)
    await assert.rejects(async () => await vscode.workspace.fs.writeFile(document.uri, Buffer.from('# Other\n')))
  })

  it('keeps what is said in the gutter, with the words it is on', async () => {
    const document = await source()
    await remark('addThreadRemark', document.uri, new vscode.Range(0, 2, 0, 6), 'Another word.')
    await remark('addQuestion', document.uri, new vscode.Range(0, 0, 0, 0), 'Why?')
    await remark('addThreadRemark', document.uri, new vscode.Range(1, 0, 1, 0), 'On an empty line.')
    const { remarks, plan } = await exported()
    assert.deepEqual(
      remarks.map(({ kind, state, quote, text }) => [kind, state, quote, text]),
      [
        ['remark', 'unsent', plan.slice(2, 6), 'Another word.'],
        ['question', 'unsent', plan.split('\n')[0], 'Why?'],
        ['remark', 'unsent', null, 'On an empty line.'],
      ],
    )
  })

  it('takes remarks from a file, and refuses what is none', async () => {
    const before = await exported()
    const [first] = before.remarks
    assert.ok(first)
    const file = join(folder, 'colleague.md')
    await run('exportPlan', vscode.Uri.file(file))
    const said = (await readFile(file, 'utf8')).replace('Another word.', 'From a colleague.')
    await writeFile(file, said)
    await run('importRemarks', vscode.Uri.file(file))
    const { remarks } = await exported()
    assert.deepEqual(
      remarks.slice(before.remarks.length).map(({ id, quote, text }) => [id, quote, text]),
      [['C4', first.quote, 'From a colleague.']],
      'those that were there are not doubled',
    )
    await writeFile(file, '# Something else\n')
    await run('importRemarks', vscode.Uri.file(file))
    assert.equal((await exported()).remarks.length, remarks.length)
  })

  it('keeps edits of the plan at a pause in typing, and drops them on request', async () => {
    await run('editPlan')
    const editor = vscode.window.activeTextEditor
    assert.ok(editor)
    const { document } = editor
    assert.match(document.uri.path, /your edits/)
    const plan = document.getText()
    assert.ok(await editor.edit(edit => edit.insert(new vscode.Position(0, 0), 'Mine. ')))
    const kept = async () => Buffer.from(await vscode.workspace.fs.readFile(document.uri)).toString()
    await until('the pause', async () => (await kept()) === `Mine. ${plan}`)
    assert.ok(document.isDirty)
    assert.ok(await document.save(), 'keeping does not stand in the way of saving')

    assert.ok(await editor.edit(edit => edit.insert(new vscode.Position(0, 0), 'Still ')))
    await until('the second pause', async () => (await kept()) === `Still Mine. ${plan}`)
    await run('discardEdits')
    await until('the plan as it was presented', async () => (await kept()) === plan && document.getText() === plan)
  })

  it('is open for any Markdown file', async () => {
    const [workspace] = vscode.workspace.workspaceFolders ?? []
    assert.ok(workspace)
    const uri = vscode.Uri.joinPath(workspace.uri, 'docs', 'api.md')
    await run('reviewFile', uri)
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), uri.toString())
    await remark('addThreadRemark', uri, new vscode.Range(0, 0, 0, 0), 'A better title.')
  })
})
