import assert from 'node:assert/strict'
import { hashPlan } from '../../../src/plan/present-plan.ts'
import { carryOutId, carryOutPrompt, type PlanToCarryOut } from '../../../src/review/carry-out.ts'
import { approvalText } from '../../../src/review/feedback.ts'
import { textOf } from '../../../src/session/messages.ts'
import { assertGoldenText } from '../../support/golden.ts'

const plan = '# Rate limits\n\n1. Count requests per key.\n\n```ts\nlimit()\n```\n'
const image = { attachmentId: 'a', mediaType: 'image/png' as const, bytes: 1, width: 2, height: 3 }
const remarks = [{ id: 'C1', kind: 'remark' as const, anchor: null, text: 'Like this.', images: [image] }]

function toCarryOut(said: PlanToCarryOut['said'], along: PlanToCarryOut['remarks'] = []): PlanToCarryOut {
  const from = { sessionId: 's', reviewId: 'r' }
  return { from, plan, planHash: hashPlan(plan), title: 'Rate limits', said, remarks: along }
}

describe('the message that begins to carry a plan out', () => {
  it('is the whole plan in a fence, and nothing beside it where nothing was said', () => {
    assertGoldenText('review-carry-out.txt', textOf(carryOutPrompt(toCarryOut(undefined))))
  })

  it('says what was said beside the approval, with the images after it', () => {
    const said = approvalText(plan, { remarks, notes: 'Slowly.' })
    const { content } = carryOutPrompt(toCarryOut(said, remarks))
    const texts = content.map(part => (part.type === 'text' ? part.text : `[${part.type}]`))
    assertGoldenText('review-carry-out-said.txt', texts.join('\n\n'))
    assert.deepEqual(
      content.map(({ type }) => type),
      ['text', 'text', 'image'],
    )
  })

  it('goes to one conversation, whichever window asks', () => {
    const id = carryOutId({ sessionId: 's', reviewId: 'r' })
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(carryOutId({ sessionId: 's', reviewId: 'r' }), id)
    assert.notEqual(carryOutId({ sessionId: 's', reviewId: 'other' }), id)
  })
})
