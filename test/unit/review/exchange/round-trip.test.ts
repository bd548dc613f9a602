import assert from 'node:assert/strict'
import fc from 'fast-check'
import { reviewMarkdown } from '../../../../src/review/exchange/export.ts'
import { parseReview } from '../../../../src/review/exchange/parse.ts'
import { FIRST_LINE, type SharedRemark, type SharedReview } from '../../../../src/review/exchange/shared-review.ts'
import { remarkKind } from '../../../../src/session/reviews.ts'

/** Lines that look like the form's own, and everything that Markdown and line ends may do. */
const line = fc.oneof(
  fc.constantFrom('## C1 · Remark · open', '## The plan', '\\## x', '> quoted', '```', '````markdown', FIRST_LINE),
  fc.constantFrom('Images that are not in this file: 2', '![Image of C1](a/b.png)', '\\Images that'),
  fc.constantFrom('', '# Title', 'No place in this text', 'Characters 1 to 2 · x', '\\\\', 'a\rb', '\u2028## x', 'é𝄞'),
  fc.string({ maxLength: 12 }).map(each => each.replaceAll('\n', '')),
)
const words = fc.array(line, { maxLength: 8 }).map(lines => lines.join('\n'))

const review: fc.Arbitrary<SharedReview> = words.chain(plan => {
  const range = fc
    .tuple(fc.nat(plan.length), fc.nat(plan.length))
    .map(([one, other]) => ({ start: Math.min(one, other), end: Math.max(one, other) }))
  const place = fc.oneof(
    range.map(each => ({ range: each, quote: plan.slice(each.start, each.end) })),
    words.map(quote => ({ range: null, quote })),
    fc.constant({ range: null, quote: null }),
  )
  const remark = fc
    .tuple(
      fc.integer({ min: 1, max: 999 }).map(each => `C${each}`),
      fc.constantFrom(...remarkKind.options),
      fc.constantFrom('unsent' as const, 'open' as const, 'resolved' as const),
      words,
      fc.nat(3),
      place,
      fc.nat(2),
    )
    .map(([id, kind, state, text, images, at, along]): SharedRemark => {
      const pictures = Array.from({ length: along }, (_, index) => `limits-images/${id}-${index + 1}.png`)
      return { id, kind, state, text, ...(along === 0 ? {} : { pictures }), images, ...at }
    })
  const title = fc.string().map(each => each.replace(/[\r\n]+/g, ' '))
  return fc.tuple(title, fc.array(remark, { maxLength: 6 })).map(([name, remarks]) => ({ title: name, plan, remarks }))
})

describe('a review as Markdown', () => {
  it('is read back exactly as it was', () => {
    fc.assert(
      fc.property(review, shared => {
        assert.deepEqual(parseReview(reviewMarkdown(shared)), shared)
      }),
      { numRuns: 500 },
    )
  })

  it('is read back after its line ends were rewritten', () => {
    const shared: SharedReview = {
      title: 'Limits',
      plan: '# Limits\n\nOne bucket.\n',
      remarks: [
        {
          id: 'C1',
          kind: 'remark',
          state: 'open',
          range: { start: 10, end: 13 },
          quote: 'One',
          text: 'Two.\n\nReally.',
          images: 0,
        },
      ],
    }
    const sent = `\uFEFF${reviewMarkdown(shared).replaceAll('\n', '\r\n')}`
    assert.deepEqual(parseReview(sent), shared)
  })

  it('reads like this', () => {
    const plan = '# Limits\n\n## Steps\n\nOne bucket ```per``` key.\n'
    const at = plan.indexOf('bucket')
    const text = reviewMarkdown({
      title: 'Limits',
      plan,
      remarks: [
        {
          id: 'C1',
          kind: 'question',
          state: 'open',
          range: { start: at, end: at + 6 },
          quote: 'bucket',
          text: 'Which?\n\n## Not a section',
          images: 1,
        },
        { id: 'C2', kind: 'good', state: 'unsent', range: null, quote: null, text: '', images: 0 },
        { id: 'C3', kind: 'remove', state: 'resolved', range: null, quote: 'gone\nwords', text: 'Gone.', images: 0 },
      ],
    })
    assert.equal(
      text,
      `${FIRST_LINE}

# Remarks on Limits

## C1 · Question · open

Characters 24 to 30 · Under "Limits" > "Steps"

Images that are not in this file: 1

> bucket

Which?

\\## Not a section

## C2 · Looks good · unsent

About the whole plan



## C3 · Remove this · resolved

No place in this text

> gone
> words

Gone.

## The plan

\`\`\`\`markdown
${plan}
\`\`\`\`
`,
    )
  })
})

describe('a file that is no review', () => {
  const refused: Record<string, string> = {
    'an empty one': '',
    'another Markdown file': '# Title\n\nWords\n',
    'another version': '<!-- plan-mode remarks 2 -->\n\n# Remarks on x\n',
    'one without a title': `${FIRST_LINE}\n\n\n`,
    'one without the plan': `${FIRST_LINE}\n\n# Remarks on x\n\n## C1 · Remark · open\n\nAbout the whole plan\n\nx\n`,
    'one whose plan is cut': `${FIRST_LINE}\n\n# Remarks on x\n\n## The plan\n\n\`\`\`markdown\nx\n`,
    'an unknown kind': `${FIRST_LINE}\n\n# Remarks on x\n\n## C1 · Approve · open\n\nAbout the whole plan\n\nx\n\n## The plan\n\n\`\`\`markdown\nx\n\`\`\`\n`,
    'an unknown section': `${FIRST_LINE}\n\n# Remarks on x\n\n## Verdict\n\napproved\n\n## The plan\n\n\`\`\`markdown\nx\n\`\`\`\n`,
    'a remark cut short': `${FIRST_LINE}\n\n# Remarks on x\n\n## C1 · Remark · open\n\n## The plan\n\n\`\`\`markdown\nx\n\`\`\`\n`,
    'too many remarks': `${FIRST_LINE}\n\n# Remarks on x\n\n${'## C1 · Remark · open\n\nAbout the whole plan\n\nx\n\n'.repeat(2_001)}## The plan\n\n\`\`\`markdown\nx\n\`\`\`\n`,
    'a remark without end': `${FIRST_LINE}\n\n# Remarks on x\n\n## C1 · Remark · open\n\nAbout the whole plan\n\n${'x'.repeat(100_001)}\n\n## The plan\n\n\`\`\`markdown\nx\n\`\`\`\n`,
    'a file without end': FIRST_LINE + ' '.repeat(8_000_000),
  }
  for (const [what, text] of Object.entries(refused)) {
    it(`is refused with what to do: ${what}`, () => {
      assert.throws(() => parseReview(text), { code: 'BAD_REMARKS', message: /line \d+: .+"Plan: Export Plan"/ })
    })
  }

  it('is read or refused by name whatever it holds', () => {
    const noise = fc.array(
      fc.oneof(line, fc.constantFrom('## C2 · Question · open', '```markdown', '> x', '# Remarks on x')),
    )
    fc.assert(
      fc.property(noise, lines => {
        try {
          parseReview([FIRST_LINE, '', ...lines].join('\n'))
        } catch (error) {
          assert.equal(Object(error).code, 'BAD_REMARKS')
        }
      }),
      { numRuns: 500 },
    )
  })
})
