import assert from 'node:assert/strict'
import fc from 'fast-check'
import { parseSteps } from '../../../src/plan/steps/parse-steps.ts'

const titles = (plan: string): string[] => parseSteps(plan).map(({ id, title }) => `${id} ${title}`)

describe('the steps of a plan', () => {
  const cases: readonly [string, string, readonly string[]][] = [
    [
      'are the list under its heading of steps, without the lists within',
      '# P\n\nWhy:\n\n1. One\n2. Two\n3. Three\n\n## Steps\n\n1. **Add** the `src/limiter.ts`\n   - detail\n2. Wire it\n\n   more words\n',
      ['1 Add the src/limiter.ts', '2 Wire it'],
    ],
    ['are the longest numbered list without such a heading', '# P\n\n1. a\n\n## Then\n\n1. b\n2. c\n', ['1 b', '2 c']],
    ['are its tasks', '# P\n\n- plain\n\n## Now\n\n- [ ] 4. Wire `a.ts`\n- [x] Test\n', ['1 Wire a.ts', '2 Test']],
    ['are its numbered headings', '# P\n\n## Step 1: Read\n\nx\n\n## Step 2: Write\n', ['1 Read', '2 Write']],
    ['are the plan itself where it lists nothing', '# Do it all\n\nJust so.\n', ['1 Do it all']],
    ['are not taken from a list in a quote or in code', '# P\n\n> 1. a\n> 2. b\n\n```\n1. c\n```\n', ['1 P']],
  ]
  for (const [name, plan, expected] of cases) {
    it(name, () => assert.deepEqual(titles(plan), expected))
  }

  it('know their files and where they begin', () => {
    const [first, second] = parseSteps(
      '# P\n\n## Steps\n\n1. Change `src/app.ts` and `README.md`, run `npm test`\n2. See `x`\n',
    )
    assert.deepEqual(first?.files, ['src/app.ts', 'README.md'])
    assert.deepEqual(second?.files, [])
    assert.deepEqual([first?.line, second?.line], [4, 5])
  })

  it('are at least one and at most 200, with ids in order and one-line titles, whatever the text', () => {
    const line = fc.oneof(fc.constantFrom('# H', '1. a', '- [ ] b', '  - c', '> q', '```', '', '## Steps'), fc.string())
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), lines => {
        const steps = parseSteps(lines.join('\n'))
        assert.ok(steps.length >= 1 && steps.length <= 200)
        assert.deepEqual(
          steps.map(({ id }) => id),
          steps.map((_, index) => String(index + 1)),
        )
        assert.ok(steps.every(({ title }) => title !== '' && title.length <= 160 && !/[\r\n]/.test(title)))
      }),
    )
  })
})
