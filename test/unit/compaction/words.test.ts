import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkpointMessage } from '../../../src/agent/compaction/checkpoint.ts'
import * as words from '../../../src/agent/compaction/words.ts'
import { textOf } from '../../../src/session/messages.ts'

const path = fileURLToPath(new URL('../../golden/compaction-words.txt', import.meta.url))

/** Every word of a compaction that a model reads, under its name. */
function allWords(): string {
  const texts = {
    SUMMARY_SYSTEM: words.SUMMARY_SYSTEM,
    'summaryRequest(record)': words.summaryRequest('<record>', '```', [], ''),
    'summaryRequest(record, kept, focus)': words.summaryRequest('<record>', '```', ['<one>', '<two>'], '<focus>'),
    roles: Object.values(words.roles).join('\n'),
    callHead: words.callHead('<name>'),
    resultHead: words.resultHead('<name>', false),
    'resultHead(failed)': words.resultHead('<name>', true),
    imageMark: words.imageMark('<name>'),
    leftOut: words.leftOut(7),
    messagesLeftOut: words.messagesLeftOut(7),
    'the message in the place of the summarised ones': checkpointMessage({ compactionId: 'c' }, '<summary>', [
      { title: words.LATEST_REQUEST, text: '<text>' },
    ])
      .content.map(block => textOf({ content: [block] }))
      .join(''),
  }
  return Object.entries(texts)
    .map(([name, text]) => `== ${name}\n${text}\n`)
    .join('\n')
}

describe('The words of compaction', () => {
  it('are the pinned ones: changing one changes how models behave (UPDATE_GOLDEN=1 rewrites the file)', () => {
    if (process.env.UPDATE_GOLDEN === '1') return writeFileSync(path, allWords())
    assert.equal(allWords(), readFileSync(path, 'utf8'))
  })
})
