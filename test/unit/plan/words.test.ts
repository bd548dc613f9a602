import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as words from '../../../src/plan/words.ts'

const path = fileURLToPath(new URL('../../golden/plan-words.txt', import.meta.url))

/** Every word of plan mode that a model or a reviewer reads, under its name. */
function allWords(): string {
  const { kept, lateVerdict, imagesOfRemark, approvedFor: _, ...plain } = words
  const texts = {
    ...plain,
    'kept(undefined)': kept(undefined),
    'kept(feedback)': kept('<feedback>'),
    'imagesOfRemark(1)': imagesOfRemark('C1', 1),
    'imagesOfRemark(2)': imagesOfRemark('C1', 2),
    'lateVerdict(approved)': lateVerdict('approved', '<title>'),
    'lateVerdict(kept)': lateVerdict('kept', '<title>'),
    'lateVerdict(kept, feedback)': lateVerdict('kept', '<title>', { feedback: '<feedback>' }),
    'lateVerdict(approved, fresh)': lateVerdict('approved', '<title>', { next: 'fresh' }),
    'lateVerdict(approved, save)': lateVerdict('approved', '<title>', { next: 'save', relay: '<relay>' }),
    'lateVerdict(dismissed)': lateVerdict('dismissed', '<title>'),
  }
  const names = Object.keys(texts).sort()
  return names.map(name => `== ${name}\n${texts[name as keyof typeof texts]}\n`).join('\n')
}

describe('The words of plan mode', () => {
  it('are the pinned ones: changing one changes how models behave (UPDATE_GOLDEN=1 rewrites the file)', () => {
    if (process.env.UPDATE_GOLDEN === '1') {
      mkdirSync(fileURLToPath(new URL('.', `file://${path}`)), { recursive: true })
      writeFileSync(path, allWords())
      return
    }
    assert.equal(allWords(), readFileSync(path, 'utf8'))
  })
})
