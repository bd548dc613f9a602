import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import { defaultBounds } from '../../src/agent/code/run-code.ts'
import type { PlanModeApi } from '../../src/extension.ts'
import { QuickJsEngine } from '../../src/tools/program/quickjs-engine.ts'
import { ChatServer } from '../support/chat-server.ts'
import { planMode, readLog, until } from './plan-mode.ts'

const run = (command: string, argument?: unknown) => vscode.commands.executeCommand(`planMode.${command}`, argument)

describe('programs in the extension host', () => {
  it('run in the thread and the engine that were built', async () => {
    const extension = vscode.extensions.getExtension<PlanModeApi>('plan-mode.plan-mode')
    assert.ok(extension)
    const built = (name: string) => vscode.Uri.joinPath(extension.extensionUri, 'dist', name).fsPath
    await using engine = new QuickJsEngine({ worker: built('program-worker.js'), wasm: built('program-engine.wasm') })
    const end = await engine.run(
      { code: 'const n: number = 2\nreturn n + Number(await tools.two({}))', tools: ['two'], bounds: defaultBounds },
      async () => ({ ok: true, text: '2' }),
      new AbortController().signal,
    )
    assert.deepEqual(end, { kind: 'returned', output: '', value: '4' })
  })

  it('are what a model is offered when the setting says so, from the next step on', async () => {
    const api = await planMode()
    const code = 'const text = await tools.read_file({ path: "README.md" })\nreturn text.length > 0'
    await using server = await ChatServer.start([
      { kind: 'answer', tools: [{ name: 'run_code', arguments: { code, description: 'Read the readme' } }] },
      { kind: 'answer', text: 'Done.' },
    ])
    const settings = vscode.workspace.getConfiguration('planMode')
    const values = { 'model.baseUrl': server.baseUrl, 'model.id': 'chat', 'tools.mode': 'code' }
    const set = async (values: Record<string, unknown>) => {
      for (const [key, value] of Object.entries(values))
        await settings.update(key, value, vscode.ConfigurationTarget.Global)
    }
    await set(values)
    try {
      await run('newConversation')
      await run('ask', 'Is there a readme?')
      await until('both answers', () => server.requests.length === 2 && !api.state().running)
      const offered = server.requests.map(({ body }) => JSON.stringify(body.tools).match(/"name":"\w+"/g))
      assert.deepEqual(offered, [['"name":"run_code"'], ['"name":"run_code"']])
      const types = (await readLog(api)).map(({ type }) => type)
      const from = types.indexOf('tool/call')
      assert.deepEqual(types.slice(from, from + 4), [
        'tool/call',
        'tool/code-dispatch-start',
        'tool/code-dispatch',
        'tool/result',
      ])
      assert.match(JSON.stringify(server.requests[1]?.body.messages), /"true"/)
    } finally {
      await set({ 'model.baseUrl': undefined, 'model.id': undefined, 'tools.mode': undefined })
    }
  })
})
