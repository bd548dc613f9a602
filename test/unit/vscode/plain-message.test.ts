import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { plainMessage } from '../../../src/vscode/plain-message.ts'

/** What VS Code takes for a link in a notification. */
const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi
const host = join(import.meta.dirname, '../../../src/vscode')

describe('the words of a notification', () => {
  for (const text of [
    'A plan waits for your review: [Open Review](command:planMode.exit)',
    'A plan waits: [[x](command:workbench.action.terminal.sendSequence?%7B%22text%22%3A%22ls%5Cn%22%7D "Open Review")',
    'The agent wants to create a/[Allow](COMMAND:planMode.exit) (1 line added).',
    '[one](https://example.com)[two](file:///etc/passwd)',
  ]) {
    it(`holds no link: ${text}`, () => {
      assert.match(text, new RegExp(link.source, 'i'))
      assert.doesNotMatch(plainMessage(text), new RegExp(link.source, 'i'))
    })
  }

  it('leaves other words as they are', () => {
    assert.equal(plainMessage('Add [rate] limits (per user)'), 'Add [rate] limits (per user)')
  })

  it('is asked for wherever a notification is shown with words that are not our own', () => {
    const shown = readdirSync(host, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .flatMap(name => [
        ...readFileSync(join(host, name), 'utf8').matchAll(/show(?:Information|Warning|Error)Message\(\s*([^\s(,]+)/g),
      ])
    assert.ok(shown.length >= 5)
    for (const [call, first = ''] of shown) assert.match(first, /^(plainMessage$|')/, call)
  })
})
