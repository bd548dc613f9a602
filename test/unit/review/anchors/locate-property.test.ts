import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anchorAt } from '../../../../src/review/anchors/anchor.ts'
import { locate } from '../../../../src/review/anchors/locate.ts'

/**
 * Plans are lists of paragraphs that know who they are, so that the truth of an edit is known: each paragraph keeps its
 * number through moves, and an edit changes, adds, removes or moves whole paragraphs. Phrases repeat on purpose.
 */
interface Paragraph {
  readonly id: number
  readonly text: string
}

const phrases = ['run the tests', 'the limiter', 'per key', 'see `src/app.ts`', 'x', 'then deploy', 'ok ok ok']

const words = fc.array(
  fc.oneof(fc.constantFrom(...phrases), fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme-ascii' })),
  { minLength: 1, maxLength: 6 },
)
const heading = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom('Steps', 'Risks', 'Rollout'))
const paragraphText = fc.oneof(
  { weight: 4, arbitrary: words.map(parts => parts.join(' ')) },
  { weight: 1, arbitrary: heading.map(([level, title]) => `${'#'.repeat(level)} ${title}`) },
)

const plan = fc
  .array(paragraphText, { minLength: 2, maxLength: 12 })
  .map(texts => texts.map((text, id): Paragraph => ({ id, text: text.replaceAll(/\s+/g, ' ').trim() || 'empty' })))

type Edit =
  | { readonly kind: 'remove' | 'change'; readonly at: number }
  | { readonly kind: 'add'; readonly at: number; readonly text: string }
  | { readonly kind: 'move'; readonly at: number; readonly to: number }

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind: fc.constantFrom('remove' as const, 'change' as const), at: fc.nat(20) }),
  fc.record({ kind: fc.constant('add' as const), at: fc.nat(20), text: paragraphText }),
  fc.record({ kind: fc.constant('move' as const), at: fc.nat(20), to: fc.nat(20) }),
)

let made = 1_000

/** `spare`: the paragraph that is neither changed nor removed; it may be moved. */
function edited(paragraphs: readonly Paragraph[], edits: readonly Edit[], spare?: number): readonly Paragraph[] {
  let now = paragraphs
  for (const each of edits) {
    const at = each.at % Math.max(1, now.length)
    const target = now[at]
    if (each.kind === 'add') now = now.toSpliced(at, 0, { id: made++, text: each.text })
    else if (target === undefined || (target.id === spare && each.kind !== 'move')) continue
    else if (each.kind === 'remove') now = now.toSpliced(at, 1)
    else if (each.kind === 'change') now = now.toSpliced(at, 1, { ...target, text: `rewritten ${target.id}` })
    else if (each.kind === 'move') now = now.toSpliced(at, 1).toSpliced(each.to % now.length, 0, target)
  }
  return now
}

const source = (paragraphs: readonly Paragraph[]): string => paragraphs.map(({ text }) => text).join('\n\n')

function startOf(paragraphs: readonly Paragraph[], id: number): number | undefined {
  const index = paragraphs.findIndex(paragraph => paragraph.id === id)
  return index < 0 ? undefined : source(paragraphs.slice(0, index)).length + (index === 0 ? 0 : 2)
}

/** A paragraph of the plan and a range in it. */
const picked = plan.chain(paragraphs =>
  fc.record({
    paragraphs: fc.constant(paragraphs),
    index: fc.nat(paragraphs.length - 1),
    from: fc.double({ min: 0, max: 1, noNaN: true }),
    size: fc.double({ min: 0, max: 1, noNaN: true }),
    edits: fc.array(edit, { maxLength: 6 }),
  }),
)

function pick({
  paragraphs,
  index,
  from,
  size,
}: {
  paragraphs: readonly Paragraph[]
  index: number
  from: number
  size: number
}) {
  const target = paragraphs[index]
  assert.ok(target)
  const begin = Math.floor(from * (target.text.length - 1))
  const end = begin + 1 + Math.floor(size * (target.text.length - begin - 1))
  const offset = startOf(paragraphs, target.id) ?? 0
  const anchor = anchorAt(source(paragraphs), { start: offset + begin, end: offset + end })
  return anchor === undefined ? undefined : { target, anchor, within: anchor.range.start - offset }
}

const surroundings = (text: string, { start, end }: { start: number; end: number }): string =>
  `${`^${text.slice(0, start)}`.slice(-24)}|${`${text.slice(end)}$`.slice(0, 24)}`

const runs = { numRuns: Number(process.env.PROPERTY_RUNS ?? 2_000) }

describe('a remark finds its words again', () => {
  it('in a text that did not change, whatever repeats in it', () => {
    fc.assert(
      fc.property(picked, case_ => {
        const chosen = pick(case_)
        if (chosen === undefined) return
        const text = source(case_.paragraphs)
        assert.deepEqual(locate(chosen.anchor, text, text), { kind: 'found', range: chosen.anchor.range })
      }),
      runs,
    )
  })

  it('never on another occurrence: what is found is its own place, or one that nothing tells from it', () => {
    fc.assert(
      fc.property(picked, case_ => {
        const chosen = pick(case_)
        if (chosen === undefined) return
        const paragraphs = edited(case_.paragraphs, case_.edits)
        const [before, after] = [source(case_.paragraphs), source(paragraphs)]
        const located = locate(chosen.anchor, before, after)
        if (located.kind !== 'found') return
        const truth = startOf(paragraphs, chosen.target.id)
        const own = paragraphs.find(({ id }) => id === chosen.target.id)
        if (truth !== undefined && own?.text === chosen.target.text && located.range.start === truth + chosen.within)
          return
        const { quote, range } = chosen.anchor
        const once = (sign: string) => [before, after].every(text => text.split(sign).length === 2)
        const lineUnique = [case_.paragraphs, paragraphs].every(
          all => all.filter(({ text }) => text === chosen.target.text).length === 1,
        )
        assert.ok(
          once(quote) || lineUnique || surroundings(before, range) === surroundings(after, located.range),
          `"${quote}" was put where it never stood`,
        )
      }),
      runs,
    )
  })

  it('where its paragraph went, when the paragraph is one of a kind and was not touched', () => {
    fc.assert(
      fc.property(picked, case_ => {
        const unlike = case_.paragraphs.map(({ id, text }) => ({
          id,
          text: `${text} (paragraph number ${id} of its kind)`,
        }))
        const chosen = pick({ ...case_, paragraphs: unlike })
        if (chosen === undefined) return
        const after = edited(unlike, case_.edits, chosen.target.id)
        const located = locate(chosen.anchor, source(unlike), source(after))
        const truth = startOf(after, chosen.target.id)
        assert.ok(truth !== undefined)
        assert.deepEqual(located, {
          kind: 'found',
          range: { start: truth + chosen.within, end: truth + chosen.within + chosen.anchor.quote.length },
        })
      }),
      runs,
    )
  })
})
