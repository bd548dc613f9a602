import assert from 'node:assert/strict'
import * as vscode from 'vscode'

describe('the extension in a real VS Code', () => {
  it('activates and registers its commands', async () => {
    const extension = vscode.extensions.getExtension('plan-mode.plan-mode')
    assert.ok(extension, 'the extension is not there')
    await extension.activate()
    const declared: unknown[] = extension.packageJSON.contributes?.commands ?? []
    const registered = await vscode.commands.getCommands(true)
    for (const entry of declared) {
      assert.ok(typeof entry === 'object' && entry !== null && 'command' in entry && typeof entry.command === 'string')
      assert.ok(registered.includes(entry.command), `${entry.command} is declared but not registered`)
    }
  })

  it('has the Node it needs', () => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
    assert.ok(major > 22 || (major === 22 && minor >= 15), `node:sqlite needs Node 22.15, this is ${process.version}`)
  })
})
