import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import * as vscode from 'vscode'
import { z } from 'zod'
import type { PlanModeApi } from '../../src/extension.ts'
import { chosen, type Human, human } from './human.ts'
import { planMode, readLog, until } from './plan-mode.ts'

const run = (command: string, ...rest: unknown[]) => vscode.commands.executeCommand(`planMode.${command}`, ...rest)

const remark = z.looseObject({ id: z.string(), text: z.string() })
const decided = z.looseObject({
  decision: z.string(),
  planHash: z.string(),
  feedback: z.string().optional(),
  notes: z.string().optional(),
  remarks: z.array(remark).optional(),
  edited: z.looseObject({ plan: z.string(), planHash: z.string() }).optional(),
})

describe('a review across native editors', function () {
  this.timeout(180_000)
  let api: PlanModeApi
  let person: Human

  before(async () => {
    api = await planMode()
  })
  beforeEach(() => {
    person = human()
  })
  afterEach(async () => {
    person[Symbol.dispose]()
    await run('stop')
    await until('the agent to rest', () => !api.state().running)
    for (const { isDirty } of vscode.workspace.textDocuments) {
      if (isDirty) await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor')
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors')
  })

  async function waiting(): Promise<void> {
    await run('newConversation')
    await run('enter')
    await run('ask', 'Plan a small change to the README')
    await until('a plan that waits', () => api.state().reviewWaiting !== undefined)
  }

  async function decisions() {
    return (await readLog(api)).filter(({ type }) => type === 'review/decided').map(({ data }) => decided.parse(data))
  }

  async function source(): Promise<vscode.TextDocument> {
    await run('openPlanSource')
    const document = vscode.window.activeTextEditor?.document
    assert.ok(document?.uri.scheme === 'plan-mode-plan', 'the source is not shown')
    return document
  }

  /** A remark of the gutter, so that a decision has something to say. */
  async function say(text: string): Promise<void> {
    const { uri } = await source()
    await run('addThreadRemark', { thread: { uri, range: new vscode.Range(0, 0, 0, 0), dispose: () => {} }, text })
  }

  async function sendBack(text: string): Promise<void> {
    const before = (await decisions()).length
    await say(text)
    await run('keepPlanning')
    // The first page of a window takes its time.
    await until(
      'the next revision',
      async () => {
        const { reviewWaiting } = api.state()
        return (await decisions()).length > before && reviewWaiting !== undefined
      },
      60,
    )
  }

  const activeDiff = () => {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input
    return input instanceof vscode.TabInputTextDiff ? input : undefined
  }
  const textAt = async (uri: vscode.Uri) => (await vscode.workspace.openTextDocument(uri)).getText()

  it('compares two revisions in the native diff editor, those of the last remarks first', async () => {
    await waiting()
    const first = (await source()).getText()
    await sendBack('Please mention the tests.')
    // An editor is told of a new text a moment later.
    await until('the text of the revision', async () => (await source()).getText() !== first)
    const second = (await source()).getText()

    await run('whatChanged')
    await until('the diff', () => activeDiff() !== undefined)
    const diff = activeDiff()
    assert.ok(diff)
    assert.deepEqual([await textAt(diff.original), await textAt(diff.modified)], [first, second])
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor')

    person.picks(chosen('Revision 1'), chosen('Revision 2'))
    await run('compareRevisions')
    await until('the diff', () => activeDiff() !== undefined)
    assert.equal(activeDiff()?.original.toString(), diff.original.toString())
    const [older] = person.offered
    assert.match(older?.[0] ?? '', /^Revision 1$/, 'the pair since the last remarks is offered first')
  })

  it('takes an older text up again as edits, which go with the next verdict as a diff', async () => {
    await waiting()
    const first = (await source()).getText()
    await sendBack('Please mention the tests.')
    person.picks(chosen('Revision 1'))
    await run('restoreRevision')
    const document = vscode.window.activeTextEditor?.document
    assert.match(document?.uri.path ?? '', /your edits/)
    assert.equal(document?.getText(), first)
    await sendBack('As it was.')
    const { edited, feedback } = (await decisions()).at(-1) ?? {}
    assert.equal(edited?.plan, first)
    assert.match(feedback ?? '', /as a unified diff[\s\S]*```diff\n@@ /)
  })

  it('sends the letters that an editor got in the last moment before the verdict', async () => {
    await waiting()
    await say('See my edits.')
    await run('editPlan')
    const editor = vscode.window.activeTextEditor
    assert.ok(editor)
    const plan = editor.document.getText()
    assert.ok(await editor.edit(edit => edit.insert(new vscode.Position(0, plan.indexOf('\n')), ' at once')))
    await run('keepPlanning')
    await until('the verdict', async () => (await decisions()).length > 0)
    assert.equal((await decisions())[0]?.edited?.plan, plan.replace('\n', ' at once\n'))
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor')
  })

  it('approves with edits exactly the edited text, under its own hash', async () => {
    await waiting()
    await run('editPlan')
    const editor = vscode.window.activeTextEditor
    assert.ok(editor)
    const plan = editor.document.getText()
    assert.ok(await editor.edit(edit => edit.insert(new vscode.Position(0, plan.indexOf('\n')), ', by hand')))
    assert.ok(await editor.document.save())
    const wanted = plan.replace('\n', ', by hand\n')
    await run('openReview')
    // The panel decides on the edits that it has shown; asking again is what a person does who was too fast.
    await until('the approval', async () => {
      await run('approveWithNotes')
      await delay(200)
      return (await decisions()).length > 0
    })
    const [{ decision, edited, planHash } = {}] = await decisions()
    assert.equal(decision, 'approved')
    assert.equal(edited?.plan, wanted)
    assert.notEqual(edited?.planHash, planHash)
    const steps = (await readLog(api)).find(({ type }) => type === 'plan/steps')
    assert.equal(z.looseObject({ planHash: z.string() }).parse(steps?.data).planHash, edited?.planHash)
  })

  describe('of a Markdown file', () => {
    const [workspace] = vscode.workspace.workspaceFolders ?? []
    const readme = vscode.Uri.joinPath(workspace?.uri ?? vscode.Uri.file('/'), 'README.md')
    const beside = (name: string) => vscode.Uri.joinPath(readme, '..', name)

    beforeEach(async () => {
      await run('reviewFile', readme)
      const range = new vscode.Range(0, 0, 0, 0)
      await run('addThreadRemark', { thread: { uri: readme, range, dispose: () => {} }, text: 'A better title.' })
    })
    afterEach(async () => {
      person.picks(chosen('Stop Reviewing, Drop the Remarks'))
      await run('finishFileReview', readme)
      for (const name of ['README.review.md', 'README.review-2.md']) {
        await vscode.workspace.fs.delete(beside(name)).then(undefined, () => {})
      }
    })

    async function finish(verdict: string, where: string, notes = 'Otherwise fine.'): Promise<void> {
      person.picks(chosen(verdict), chosen(where))
      person.types(notes)
      await run('finishFileReview', readme)
    }

    const said =
      /^The user has reviewed the file "README\.md"\. It is not approved yet\.\n\nC1 · Remark · .*\n\nOn these words:\n\n> # .*\n\nA better title\.\n\nNotes:\n\nOtherwise fine\./

    it('is copied', async () => {
      await finish('Keep Working on It', 'Copy It')
      assert.match(await vscode.env.clipboard.readText(), said)
    })

    it('is saved beside the file, and nothing is written over', async () => {
      await finish('Keep Working on It', 'Save It Beside the File')
      await finish('Approve', 'Save It Beside the File')
      const text = async (name: string) => Buffer.from(await vscode.workspace.fs.readFile(beside(name))).toString()
      assert.match(await text('README.review.md'), said)
      assert.match(await text('README.review-2.md'), /It is approved\./)
    })

    it('is sent to the agent, and the review is over', async () => {
      await run('newConversation')
      await finish('Keep Working on It', 'Send It to the Agent')
      await until('the message', async () => {
        const { log } = api.state()
        if (log === undefined) return false
        const lines = await readLog(api).catch(() => [])
        return lines.some(line => JSON.stringify(line).includes('A better title.'))
      })
      await run('reviewFile', readme)
      await finish('Approve', 'Copy It', '')
      assert.equal(await vscode.env.clipboard.readText(), 'The user has reviewed the file "README.md". It is approved.')
    })

    it('stays under review when a pick is left', async () => {
      person.picks(chosen('Approve'), undefined)
      person.types('Fine.')
      await run('finishFileReview', readme)
      await finish('Keep Working on It', 'Copy It')
      assert.match(await vscode.env.clipboard.readText(), /A better title\./)
    })
  })
})
