import assert from 'node:assert/strict'
import { walkFrames } from '../../../../src/persistence/jsonl/frames.ts'
import { PlanModeError } from '../../../../src/session/errors.ts'
import { bomb, frame, frameOf, storedFrame } from '../../../support/zstd.ts'

const one = frame('one\n')

function walk(...parts: Uint8Array[]) {
  return walkFrames(Buffer.concat(parts), 0, '/root/a', 1)
}

function refusal(...parts: Uint8Array[]): string {
  try {
    walk(...parts)
  } catch (error) {
    assert.ok(error instanceof PlanModeError && error.code === 'CORRUPT', String(error))
    return error.message
  }
  assert.fail('it was walked')
}

describe('walking zstd frames', () => {
  it('finds the end of every kind of whole frame', () => {
    const frames = [
      one,
      frame(''),
      frame('x'.repeat(300_000), { level: 19 }),
      frame('no checksum\n', { checksum: false }),
      ...[1, 300, 70_000].map(size => frame('y'.repeat(size), { contentSize: true })),
      storedFrame('stored\n'),
      bomb(32, 3),
    ]
    const ends = frames.map((_, k) => frames.slice(0, k + 1).reduce((size, { length }) => size + length, 0))
    assert.deepEqual(walk(...frames), { ends, torn: undefined })
    assert.deepEqual(walk(), { ends: [], torn: undefined })
  })

  it('takes a frame that ends too early for torn, wherever it ends', () => {
    for (const last of [one, frame('z'.repeat(500), { contentSize: true }), storedFrame('stored'), bomb(1, 2)]) {
      for (let size = 1; size < last.length; size++) {
        assert.deepEqual(walk(one, last.subarray(0, size)), { ends: [one.length], torn: one.length }, `${size} bytes`)
      }
    }
  })

  it('takes fewer than four bytes at the end for torn, whatever they are', () => {
    for (const rest of ['?', '\n\n', 'abc']) assert.equal(walk(one, Buffer.from(rest)).torn, one.length)
    assert.match(refusal(one, Buffer.from('abcd')), /\/root\/a is damaged: frame 2 \(byte \d+\) is not a zstd frame/)
  })

  it('refuses skippable frames, reserved bits and reserved blocks', () => {
    const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 7])
    assert.match(refusal(one, skippable), /frame 2 .* is not a zstd frame/)
    for (const bit of [0x08, 0x10]) {
      const reserved = Buffer.from(one)
      reserved[4] = (reserved[4] ?? 0) | bit
      assert.match(refusal(one, reserved, one), /frame 2 .* uses reserved bits/)
      assert.match(refusal(one, reserved.subarray(0, 6)), /reserved bits/, 'of an unfinished frame, too')
    }
    assert.match(refusal(frameOf([{ type: 3, size: 1, content: Uint8Array.of(0) }])), /block of a reserved type/)
  })
})
