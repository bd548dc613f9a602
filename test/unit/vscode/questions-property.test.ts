import assert from 'node:assert/strict'
import fc from 'fast-check'
import { UserQuestionError } from '../../../src/agent/questions.ts'
import { WindowQuestions } from '../../../src/vscode/questions/window-questions.ts'
import { testAgent } from '../../support/runtime.ts'

const questions = [{ id: 'q', question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }]

/** What surfaces, the work and the window do, in any order. `ask` counts from the first question. */
type Act =
  | { readonly kind: 'answer' | 'bad' | 'dismiss' | 'abort'; readonly ask: number; readonly label: string }
  | { readonly kind: 'dispose' | 'breathe' }

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('answer', 'bad', 'dismiss', 'abort'),
    ask: fc.nat(2),
    label: fc.constantFrom('A', 'B'),
  }),
  fc.record({ kind: fc.constantFrom('dispose', 'breathe') }),
)

/** What each act makes of a question that still waits; undefined: it goes on waiting. */
function endBy({ kind, ...more }: Act): string | undefined {
  switch (kind) {
    case 'answer':
      return 'label' in more ? more.label : undefined
    case 'dismiss':
      return 'ASK_CANCELLED'
    case 'abort':
      return 'ASK_ABORTED'
    case 'dispose':
      return 'NO_PROVIDER'
    default:
      return undefined
  }
}

describe('questions that several surfaces show', () => {
  it('settle exactly once, by the first act that counts, and close everywhere at that moment', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 12 }), async acts => {
        const { agent, runtime } = testAgent()
        const window = new WindowQuestions()
        const closed: string[] = []
        window.open.closed.on(({ id }) => closed.push(id))
        const provided = runtime.questions.provide(window)
        const asks = [0, 1, 2].map(() => {
          const stop = new AbortController()
          const settled: string[] = []
          runtime.questions.ask({ questions, agent, signal: stop.signal }).then(
            ({ answers }) => settled.push(answers[0]?.selected[0] ?? ''),
            (error: unknown) => settled.push(error instanceof UserQuestionError ? error.code : String(error)),
          )
          return {
            stop,
            settled,
            id: window.open.of(agent).at(-1)?.id ?? '',
            expected: undefined as string | undefined,
            heard: false,
          }
        })

        for (const each of acts) {
          if (each.kind === 'breathe') {
            await new Promise(setImmediate)
            for (const ask of asks) ask.heard = ask.expected !== undefined
          }
          for (const [index, ask] of asks.entries()) {
            if ('ask' in each && each.ask !== index) continue
            const waits = window.open.find(ask.id) !== undefined
            assert.equal(waits, ask.expected === undefined, 'it is open exactly while nothing ended it')
            const refused = refusalOf(() => {
              if (each.kind === 'answer') window.open.answer(ask.id, { answers: [{ id: 'q', selected: [each.label] }] })
              if (each.kind === 'bad') window.open.answer(ask.id, { answers: [{ id: 'q', selected: ['A', 'B'] }] })
              if (each.kind === 'dismiss') window.open.dismiss(ask.id)
            })
            if (each.kind === 'abort') ask.stop.abort()
            if (each.kind === 'dispose') provided[Symbol.dispose]()
            const surface = ['answer', 'bad', 'dismiss'].includes(each.kind)
            const wanted = !surface
              ? undefined
              : !waits
                ? 'QUESTION_CLOSED'
                : each.kind === 'bad'
                  ? 'BAD_ANSWER'
                  : undefined
            assert.equal(refused, wanted)
            // One disposal ends them all, the ones later in this list too.
            const ended = each.kind === 'dispose' ? asks : [ask]
            for (const one of ended) if (one.expected === undefined || overtakes(each, one)) one.expected = endBy(each)
          }
        }

        const open = asks.filter(({ expected }) => expected === undefined)
        assert.deepEqual(
          window.open.of(agent).map(({ id }) => id),
          open.map(({ id }) => id),
        )
        await new Promise(setImmediate)
        for (const { settled, expected } of asks) assert.deepEqual(settled, expected === undefined ? [] : [expected])
        assert.deepEqual(
          [...closed].sort(),
          asks
            .filter(each => !open.includes(each))
            .map(({ id }) => id)
            .sort(),
        )
      }),
      { numRuns: 300 },
    )
  })
})

/** The end of the work overtakes an answer that the asker has not heard yet; the question is closed all the same. */
function overtakes({ kind }: Act, { heard, expected = '' }: { heard: boolean; expected: string | undefined }): boolean {
  return !heard && (kind === 'abort' || kind === 'dispose') && !['ASK_ABORTED', 'NO_PROVIDER'].includes(expected)
}

function refusalOf(act: () => void): string | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}
