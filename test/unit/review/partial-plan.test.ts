import assert from 'node:assert/strict'
import fc from 'fast-check'
import { PartialPlan } from '../../../src/review/partial-plan.ts'

function read(pieces: readonly string[]): string | undefined {
  const reader = new PartialPlan()
  for (const piece of pieces) reader.push(piece)
  return reader.text
}

/** A plan among other keys, escaped as differently as writers of JSON do. */
const argumentsText = fc
  .record({
    plan: fc.string({ unit: 'binary', maxLength: 40 }),
    others: fc.dictionary(
      fc.string({ maxLength: 6 }).filter(key => key !== 'plan' && key !== '__proto__'),
      fc.jsonValue(),
      { maxKeys: 3 },
    ),
    ascii: fc.boolean(),
    space: fc.constantFrom(undefined, 2),
  })
  .map(({ plan, others, ascii, space }) => {
    const json = JSON.stringify({ ...others, plan, z: [1, { plan: 'no' }] }, undefined, space)
    const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
    // biome-ignore lint/suspicious/noControlCharactersInRegex: everything beyond ASCII is escaped.
    return { plan, json: ascii ? json.replace(/[^\x00-\x7f]/g, escaped) : json }
  })

describe('a plan read while it is written', () => {
  it('is, at every prefix of the JSON text, a prefix of the plan, and at the end the plan', () => {
    fc.assert(
      fc.property(argumentsText, ({ plan, json }) => {
        const reader = new PartialPlan()
        for (const unit of json.split('')) {
          reader.push(unit)
          const text = reader.text
          assert.ok(plan.startsWith(text ?? ''), `${JSON.stringify(text)} of ${json}`)
          assert.ok(text === undefined || !/[\ud800-\udbff]$/.test(text), 'no half of a pair at the end')
        }
        assert.equal(reader.text, plan)
      }),
      { numRuns: 300 },
    )
  })

  it('does not depend on where the pieces are cut', () => {
    fc.assert(
      fc.property(argumentsText, fc.array(fc.nat(200)), ({ plan, json }, cuts) => {
        const places = [0, ...cuts.map(cut => Math.min(cut, json.length)).sort((a, b) => a - b), json.length]
        const pieces = places.slice(1).map((end, index) => json.slice(places[index], end))
        assert.equal(read(pieces), plan)
      }),
    )
  })

  it('throws on nothing, and finds no plan where there is none', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        read([text, '"', text])
      }),
    )
    for (const none of [
      '',
      '[]',
      'null',
      '{"plan":4}',
      '{"a":{"plan":"x"}}',
      '{"a":"\\"plan\\":\\"x\\""}',
      '"plan":"x"',
    ]) {
      assert.equal(read([none]), undefined, none)
    }
  })
})
