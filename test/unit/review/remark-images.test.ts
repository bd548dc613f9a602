// The images of remarks on their way to the model: after the words of the remarks, each under its remark's id.
import assert from 'node:assert/strict'
import type { ReviewAside } from '../../../src/plan/aside.ts'
import * as words from '../../../src/plan/words.ts'
import { png } from '../../support/pictures.ts'
import { modelsOf } from '../../support/scripted-model.ts'
import { PLAN, type PlanningAgent, planning, present, REVISED, settled } from '../plan/fixture.ts'

const bytes = png(32, 20)
const image = { attachmentId: 'a', mediaType: 'image/png' as const, bytes: bytes.length, width: 32, height: 20 }
const remarks = [
  { id: 'C1', kind: 'remark' as const, anchor: null, text: 'Like this.', images: [{ ...image, name: 'board.png' }] },
  { id: 'C2', kind: 'remark' as const, anchor: null, text: 'Smaller.' },
  { id: 'C3', kind: 'remark' as const, anchor: null, text: 'Or these.', images: [image, image] },
]
const aside: ReviewAside = { remarks }

/** Every user message of the last request, part by part; a picture is its media type and size. */
function parts({ model }: PlanningAgent): string[][] {
  return (model.requests.at(-1)?.prompt ?? []).flatMap(message => {
    if (message.role !== 'user') return []
    const part = (each: (typeof message.content)[number]) => {
      if (each.type === 'text') return each.text
      const { data } = each.data.type === 'data' ? each.data : { data: '' }
      return `${each.mediaType} of ${data.length}`
    }
    return [message.content.map(part)]
  })
}

const picture = `image/png of ${bytes.length}`
const pictures = ['The image of C1:', picture, 'The 2 images of C3:', picture, picture]

function withImages(replies: Parameters<typeof planning>[0], images?: false): PlanningAgent {
  const each = planning(replies)
  const models = modelsOf(each.model, images === false ? { images } : {})
  Object.assign(each.runtime, { attachments: { read: async () => bytes }, models })
  return each
}

describe('the images of remarks', () => {
  it('come in the step after the feedback, which names them', async () => {
    const each = withImages([[present()], [present(REVISED)], [{ text: 'ok' }]])
    await each.reviewed()
    await each.decide('kept', 'C1 …', aside)
    await each.reviewed()
    assert.deepEqual(parts(each).at(-1), [words.REMARK_IMAGES, ...pictures])
    await each.decide('dismissed')
    await settled(each)
  })

  it('come with the notes of an approval', async () => {
    const each = withImages([[present()], [{ text: 'ok' }]])
    await each.reviewed()
    await each.decide('approved', undefined, { ...aside, relay: 'Notes.' })
    await settled(each)
    assert.deepEqual(parts(each).at(-1)?.slice(0, 6), ['Notes.', ...pictures])
  })

  it('come with a verdict that arrives late', async () => {
    const each = withImages([[present()], [{ text: 'ok' }]])
    await each.reviewed()
    each.agent.cancel()
    await each.agent.whenIdle()
    await each.decide('kept', 'C1 …', aside)
    await settled(each)
    const late = words.lateVerdict('kept', 'Add rate limits', { feedback: 'C1 …' })
    assert.deepEqual(parts(each).at(-1), [late, ...pictures])
  })

  it('are named in words to a model that takes none', async () => {
    const each = withImages([[present()], [present(REVISED)], [{ text: 'ok' }]], false)
    await each.reviewed()
    await each.decide('kept', 'C1 …', aside)
    await each.reviewed()
    const [, first, second] = parts(each).at(-1) ?? []
    assert.deepEqual([first, second], ['The image of C1:', '[Image board.png, image/png, 32 x 20]'])
    await each.decide('dismissed')
    await settled(each)
  })

  it('of none leave the feedback as it is', async () => {
    const each = withImages([[present()], [present(`${PLAN}\nMore.\n`)], [{ text: 'ok' }]])
    await each.reviewed()
    const before = each.events('user/message').length
    await each.decide('kept', 'C2 …', { remarks: remarks.slice(1, 2) })
    await each.reviewed()
    assert.equal(each.events('user/message').length, before)
    await each.decide('dismissed')
    await settled(each)
  })
})
