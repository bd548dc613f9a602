import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as vscode from 'vscode'
import type { PlanModeApi } from '../../src/extension.ts'
import { planMode, readLog, until } from './plan-mode.ts'

const run = (command: string, argument?: unknown) => vscode.commands.executeCommand(`planMode.${command}`, argument)

describe('plan mode in the extension host', () => {
  let api: PlanModeApi

  before(async () => {
    api = await planMode()
  })

  beforeEach(() => run('newConversation'))

  afterEach(async () => {
    await run('stop')
    await until('the agent to rest', () => !api.state().running)
  })

  const modes = async () =>
    (await readLog(api)).filter(({ type }) => type.startsWith('plan/')).map(({ type, data }) => [type, data])

  it('begins off, and a conversation without a word leaves no log', async () => {
    assert.equal(api.state().statusBar, '$(checklist) Plan: off')
    assert.equal(api.state().active, false)
    await assert.rejects(stat(api.state().log ?? ''), { code: 'ENOENT' })
  })

  it('commits at once between turns, durable when the command returns', async () => {
    await run('enter')
    assert.equal(api.state().statusBar, '$(pass-filled) Plan: on')
    assert.deepEqual(await modes(), [['plan/mode', { active: true }]])
    await run('enter')
    assert.deepEqual(await modes(), [['plan/mode', { active: true }]])
    await run('exit')
    assert.equal(api.state().statusBar, '$(checklist) Plan: off')
    assert.deepEqual(await modes(), [
      ['plan/mode', { active: true }],
      ['plan/mode', { active: false }],
    ])
    await run('toggle')
    assert.equal(api.state().active, true)
    assert.equal((await modes()).length, 3)
  })

  it('waits for the next step while a turn runs, and can be taken back', async () => {
    await run('ask', 'Look around, slow please.')
    await until('a turn', () => api.state().running)
    await run('enter')
    assert.equal(api.state().statusBar, '$(sync) Plan: on at next step')
    assert.deepEqual(await modes(), [['plan/selected', { active: true, by: 'user' }]])
    await run('toggle')
    assert.equal(api.state().statusBar, '$(checklist) Plan: off')
    assert.deepEqual((await modes()).at(-1), ['plan/selected', { active: false, by: 'user' }])
    await run('enter')
    await until('the next step', () => !api.state().pending)
    assert.equal(api.state().statusBar, '$(pass-filled) Plan: on')
    await until('the commit on disk', async () => (await modes()).at(-1)?.[0] === 'plan/mode')
    assert.deepEqual((await modes()).at(-1), ['plan/mode', { active: true }])
  })

  it('keeps every log out of version control', async () => {
    await run('enter')
    const root = dirname(dirname(dirname(dirname(api.state().log ?? ''))))
    const ignore = await vscode.workspace.fs.readFile(vscode.Uri.file(join(root, '.gitignore')))
    assert.equal(new TextDecoder().decode(ignore).trim(), '*')
  })

  it('says /plan in the log as a command, and its result is durable', async () => {
    await run('ask', '/plan')
    const log = await readLog(api)
    assert.deepEqual(
      log.map(({ type }) => type),
      ['command/run', 'plan/mode', 'command/done'],
    )
    assert.equal(api.state().active, true)
    await run('ask', '/plan off')
    assert.equal(api.state().active, false)
  })

  describe('with a refused planMode.policy', () => {
    const settings = () => vscode.workspace.getConfiguration('planMode')

    afterEach(() => settings().update('policy', undefined, vscode.ConfigurationTarget.Global))

    for (const policy of [{ section: '' }, {}, { section: 'x', other: true }]) {
      it(`shows the error for ${JSON.stringify(policy)}, and nothing else breaks`, async () => {
        await settings().update('policy', policy, vscode.ConfigurationTarget.Global)
        await until('the error', () => api.state().statusBar === '$(error) Plan')
        void run('enter') // shows a message that waits for a person
        await run('newConversation')
        assert.equal(api.state().active, false)
        await settings().update('policy', { section: 'Plan first.' }, vscode.ConfigurationTarget.Global)
        await until('the mended setting', () => api.state().statusBar === '$(checklist) Plan: off')
        await run('enter')
        assert.equal(api.state().active, true)
      })
    }
  })
})
