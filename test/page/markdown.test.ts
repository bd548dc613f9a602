// The parts of the pages that need no browser: links, visible characters, blocks, rows of the transcript.
import assert from 'node:assert/strict'
import { receiveItems, rows } from '../../src/webview/conversation/transcript.ts'
import { toolSummary } from '../../src/webview/conversation/words.ts'
import { markdownBlocks } from '../../src/webview/markdown/blocks.ts'
import { linkTarget, pathOfCode } from '../../src/webview/markdown/links.ts'
import { visible } from '../../src/webview/markdown/visible.ts'
import type { Item } from '../../src/webview/transcript-messages.ts'
import { tool } from './support/samples.ts'

describe('links', () => {
  const table: readonly (readonly [string, ReturnType<typeof linkTarget>])[] = [
    ['https://example.com/a?b#c', { kind: 'web', href: 'https://example.com/a?b#c' }],
    ['HTTP://example.com', { kind: 'web', href: 'HTTP://example.com' }],
    ['mailto:a@example.com', { kind: 'web', href: 'mailto:a@example.com' }],
    ['src/a.ts', { kind: 'file', path: 'src/a.ts' }],
    ['./src/a%20b.ts#L10', { kind: 'file', path: 'src/a b.ts' }],
    ['src/a.ts:12:3', { kind: 'file', path: 'src/a.ts' }],
    ['100%.md', { kind: 'file', path: '100%.md' }],
    ...[
      ...['javascript:x', ' JavaScript:x', 'java\tscript:x', 'javascript%3Ax', 'vbscript:x', 'data:text/html,x'],
      ...['file:///etc/passwd', 'command:x', 'vscode://x', 'ftp://x', 'https:', 'mailto:', 'http:///x', ''],
      ...[
        '#section',
        '/etc/passwd',
        '//host/x',
        '~/x',
        '..',
        '../x',
        'a/../../x',
        'a/%2e%2e/x',
        '\\\\host\\x',
        'C:\\x',
      ],
    ].map(address => [address, { kind: 'none' }] as const),
  ]
  for (const [address, target] of table) {
    it(`${JSON.stringify(address)} is ${target.kind}`, () => assert.deepEqual(linkTarget(address), target))
  }

  it('takes inline code for a file only when it plainly names one', () => {
    assert.equal(pathOfCode('src/http/router.ts'), 'src/http/router.ts')
    assert.equal(pathOfCode('src/http/router.ts:4'), 'src/http/router.ts')
    for (const code of ['router.ts', 'a/b', '../a/b.ts', 'a.b()', 'https://a.b/c.d', '1/2.5', 'a b/c.ts']) {
      assert.equal(pathOfCode(code), undefined, code)
    }
  })
})

describe('visible characters', () => {
  it('shows every bidirectional control, what has no width, the tags that spell words, and nothing else', () => {
    assert.equal(visible('a\u202eb\u061cc\u2069'), 'a⟨U+202E⟩b⟨U+061C⟩c⟨U+2069⟩')
    assert.equal(visible('a\u200b\u2064\u{e0041}b'), 'a⟨U+200B⟩⟨U+2064⟩⟨U+E0041⟩b')
    assert.equal(visible('שלום ‑ é 日本 👩‍👩‍👧'), 'שלום ‑ é 日本 👩‍👩‍👧')
  })
})

describe('blocks of Markdown', () => {
  const sources = (text: string): string[] => markdownBlocks(text).blocks.map(block => block.source)

  it('gives one block for each top-level element, with its source', () => {
    assert.deepEqual(sources('# A\n\ntext\nmore\n\n- x\n- y\n\n```\ncode\n```\n'), [
      '# A',
      'text\nmore',
      '- x\n- y',
      '```\ncode\n```',
    ])
  })

  it('tells by its links that any block may have changed', () => {
    const before = markdownBlocks('[a]\n\nend')
    const after = markdownBlocks('[a]\n\nend\n\n[a]: https://example.com')
    assert.notEqual(before.links, after.links)
    assert.match(after.blocks[0]?.html() ?? '', /data-target="https:\/\/example\.com"/)
  })

  it('draws what a renderer usually leaves out', () => {
    const drawn = (text: string): string =>
      markdownBlocks(text)
        .blocks.map(block => block.html())
        .join('')
    assert.match(drawn('# A\n\n[//]: # (delete <everything>)\n\nend'), />\[\/\/\]: # \(delete &lt;everything&gt;\)</)
    assert.match(drawn('> [x]: y "unseen\n> too"\n\n- [z]: w (also)'), /unseen\s+too.*also/s)
    assert.match(drawn('```js and these words\ncode\n```'), /<span class="dim">and these words<\/span>\n<code>/)
    assert.match(drawn('```mermaid\ngraph TD\n```'), /<div class="diagram" data-lines="0-3"><pre [^>]*><code>graph TD/)
    const table = drawn('| a | b |\n| - | - |\n| 1 | 2 | x | y\\|z |\n|3|4|\n')
    assert.match(table, /<td>2 \| x \| y\|z<\/td>.*<td>3<\/td>\s*<td>4<\/td>/s)
    assert.match(drawn('> | a |\n> | - |\n> | 1 |\n> | 2 | x |'), /<td>1<\/td>.*<td>2 \| x<\/td>/s)
  })

  it('keeps the source of a link definition as a block of its own', () => {
    assert.deepEqual(sources('one\n\n[a]: b\n[c]: d\n\ntwo'), ['one', '[a]: b', '[c]: d', 'two'])
  })

  it('tells the line, heading and lines of each block, and footnotes by their numbers', () => {
    const { blocks, links } = markdownBlocks('# A `b` *c*\n\n- x\n\n  y\n\n[^n]: note\n\n[^n] [^m]\n')
    assert.deepEqual(
      blocks.map(({ from, heading }) => [from, heading?.title]),
      [
        [0, 'A b c'],
        [2, undefined],
        [6, undefined],
        [8, undefined],
      ],
    )
    assert.match(blocks[1]?.html() ?? '', /<li data-lines="2-\d">\s*<p data-lines="2-3">x<\/p>\s*<p data-lines="4-5">y/)
    assert.match(blocks[2]?.html() ?? '', /data-note="1"/)
    assert.match(blocks[3]?.html() ?? '', /data-target="1"[^>]*>1<\/a><\/sup> \[\^m\]/)
    assert.notEqual(links, markdownBlocks('# A').links)
  })

  it('writes no inline style for aligned tables', () => {
    const html = markdownBlocks('| a | b |\n| -: | :-: |\n| 1 | 2 |').blocks[0]?.html() ?? ''
    assert.match(html, /<td class="right">1<\/td>\s*<td class="center">2/)
    assert.doesNotMatch(html, /style=/)
  })
})

describe('rows of the transcript', () => {
  const user: Item = { kind: 'user', id: 'u', text: 'x' }

  it('folds tool calls that follow each other', () => {
    const items = [tool('1', 'read_file', 'a'), tool('2', 'list_files', 'b'), user, tool('3', 'write_file', 'c')]
    assert.deepEqual(
      rows(items).map(row => [row.kind, row.id]),
      [
        ['tools', '1'],
        ['item', 'u'],
        ['tools', '3'],
      ],
    )
  })

  it('replaces known entries in place, and keeps the others the same objects', () => {
    const answer: Item = { kind: 'assistant', id: 'a', text: '1', streaming: true, interrupted: false }
    const added = receiveItems([user, answer], { kind: 'delta', id: 'a', text: '2' })
    assert.equal(added[0], user)
    assert.deepEqual(added[1], { ...answer, text: '12' })
    assert.equal(receiveItems(added, { kind: 'delta', id: 'gone', text: 'x' }), added)
    const replaced = receiveItems(added, { kind: 'upsert', items: [{ ...user, text: 'y' }] })
    assert.deepEqual(
      replaced.map(item => item.id),
      ['u', 'a'],
    )
    const earlier = receiveItems(replaced, { kind: 'prepend', items: [tool('0', 'read_file', 'a'), user] })
    assert.deepEqual(
      earlier.map(item => item.id),
      ['0', 'u', 'a'],
    )
  })

  it('says what a group of tools did', () => {
    assert.equal(
      toolSummary(['read_file', 'search_text', 'read_file', 'search_text']),
      'Read 2 files · searched 2 times',
    )
    assert.equal(
      toolSummary(['list_files', 'write_file', 'edit_file', 'search_text']),
      'Listed 1 folder · wrote 1 file · edited 1 file · searched once',
    )
    assert.equal(toolSummary(['fetch', 'fetch']), 'Used fetch 2 times')
  })
})
