import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import * as words from '../../../src/plan/words.ts'

const path = join(import.meta.dirname, '../../../README.md')

/** Everything of plan mode that a model reads, by the name README gives it. */
const texts: Readonly<Record<string, string>> = {
  'Guidance, the section `plan:policy`': words.DEFAULT_SECTION,
  'Exit tool, description': words.EXIT_TOOL_DESCRIPTION,
  'Exit tool, its one argument `plan`': words.EXIT_PLAN_DESCRIPTION,
  'Revise tool, description': words.REVISE_TOOL_DESCRIPTION,
  'Revise tool, argument `edits`': words.REVISE_EDITS_DESCRIPTION,
  'Revise tool, argument `diff`': words.REVISE_DIFF_DESCRIPTION,
  'Progress tool, description': words.PROGRESS_TOOL_DESCRIPTION,
  'Progress tool, argument `step`': words.PROGRESS_STEP_DESCRIPTION,
  'Progress tool, argument `note`': words.PROGRESS_NOTE_DESCRIPTION,
  'Notice, on': words.noticeOn,
  'Notice, off': words.noticeOff,
  'Result, approved': words.approved,
  'Result, approved for a new conversation': words.approvedFresh,
  'Result, approved and saved': words.approvedSaved,
  'Result, keep planning with feedback': `Error: ${words.kept('<feedback>')}`,
  'Result, keep planning': `Error: ${words.kept(undefined)}`,
  'Result, dismissed': words.dismissed,
  'Result, withdrawn': `Error: ${words.withdrawn}`,
  'Result, no plan': `Error: ${words.notPlanShaped}`,
  'Result, a second plan': `Error: ${words.alreadyApproved}`,
  'Result, edits that do not apply': `Error: ${words.editsRefused('<why>')}`,
  'Result, nothing to revise': `Error: ${words.editsRefused(words.nothingToRevise)}`,
  'Result, no edits or two kinds of them': `Error: ${words.editsRefused(words.oneWayToRevise)}`,
  'Result, a step that is not there': `Error: ${words.unknownStep('<step>', [{ id: '1', title: '<title>' }])}`,
  'Result, progress': words.progressed('<title>', 'done', [{ id: '2', title: '<title>' }]),
  'Result, plan mode reloaded': `Error: ${words.reloaded}`,
  'Images of remarks': `${words.REMARK_IMAGES}\n\n${words.imagesOfRemark('C1', 1)}\n\n${words.imagesOfRemark('C2', 2)}`,
  'Late verdict, approved': words.lateVerdict('approved', '<title>'),
  'Late verdict, keep planning with feedback': words.lateVerdict('kept', '<title>', { feedback: '<feedback>' }),
  'Late verdict, keep planning': words.lateVerdict('kept', '<title>'),
  'Late verdict, approved for another conversation': words.lateVerdict('approved', '<title>', { next: 'fresh' }),
  'Late verdict, approved for later': words.lateVerdict('approved', '<title>', { next: 'save' }),
  'Late verdict, dismissed': words.lateVerdict('dismissed', '<title>'),
  'Carried by a compaction, title of the mode': words.MODE_TITLE,
  'Carried by a compaction, title of an approved plan': words.APPROVED_TITLE,
  'Carried by a compaction, title of a waiting plan': words.WAITING_TITLE,
}

/** Words a person reads, and names. */
const forPeople = [
  'EXIT_PLAN_MODE',
  'REVISE_PLAN',
  'PLAN_PROGRESS',
  'PLUGIN',
  'REVIEW_HEADER',
  'REVIEW_QUESTION',
  'APPROVE_LABEL',
  'APPROVE_MEANING',
  'KEEP_LABEL',
  'KEEP_MEANING',
]

const entry = /\*\*(.+?)\*\* \((\d+) tokens\)\n\n```text\n([\s\S]*?)\n```\n/g

describe('README, what the model sees', () => {
  const counter = new Tiktoken(o200k)
  const tokens = (text: string) => counter.encode(text).length
  const written = Object.entries(texts).map(([name, text]) => [name, tokens(text), text] as const)

  it('gives every text as it is, with its tokens (UPDATE_GOLDEN=1 rewrites them)', () => {
    const readme = readFileSync(path, 'utf8')
    if (process.env.UPDATE_GOLDEN === '1') {
      const all = written.map(([name, count, text]) => `**${name}** (${count} tokens)\n\n\`\`\`text\n${text}\n\`\`\`\n`)
      const [before, after] = around(readme)
      writeFileSync(path, `${before}${all.join('\n')}${after}`)
      return
    }
    const found = [...readme.matchAll(entry)].map(([, name, count, text]) => [name, Number(count), text])
    assert.deepEqual(found, written)
  })

  it('leaves out no word that a model reads', () => {
    const shown = Object.values(texts).join('\n')
    for (const [name, value] of Object.entries(words)) {
      if (typeof value === 'function' || forPeople.includes(name)) continue
      assert.ok(shown.includes(value), `${name} is not in README`)
    }
  })
})

/** What stands before the first text and behind the last. */
function around(readme: string): [string, string] {
  const matches = [...readme.matchAll(entry)]
  const [first, last] = [matches[0], matches.at(-1)]
  assert.ok(first !== undefined && last !== undefined)
  return [readme.slice(0, first.index), readme.slice(last.index + last[0].length)]
}
