import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { zstdEncoding } from '../../../../src/persistence/jsonl/zstd-encoding.ts'
import { PlanModeError } from '../../../../src/session/errors.ts'
import { header } from '../scratch.ts'

const line = (value: object) => Buffer.from(`${JSON.stringify(value)}\n`)

/** Too much for one thread: 9 MiB that do not compress, and one frame that unpacks to more than others may. */
async function largeLog() {
  const events = Array.from({ length: 600 }, (_, seq) => ({
    type: 'plan/mode',
    seq,
    time: seq,
    data: { active: true, noise: seq === 400 ? 'x'.repeat(5 << 20) : randomBytes(16 << 10).toString('base64') },
  }))
  const pieces = [line(header()), ...events.map(line)]
  const frames = await Promise.all(pieces.map(piece => zstdEncoding.encode([piece])))
  return { events, frames }
}

describe('unpacking a large compressed log', function () {
  this.timeout(60_000)
  let log: Awaited<ReturnType<typeof largeLog>>
  before(async () => {
    log = await largeLog()
    assert.ok(Buffer.concat(log.frames).length > 7 << 20)
  })

  it('gives every event in order, frames of any size', async () => {
    const { events, end } = await zstdEncoding.decode(Buffer.concat(log.frames), 'f')
    assert.equal(end, Buffer.concat(log.frames).length)
    assert.deepEqual(events, log.events)
  })

  it('says which frame is damaged', async () => {
    const frames = log.frames.map(frame => Buffer.from(frame))
    const bad = frames[300]
    assert.ok(bad)
    bad[bad.length - 1] = (bad.at(-1) ?? 0) ^ 1
    await assert.rejects(
      zstdEncoding.decode(Buffer.concat(frames), '/root/f'),
      (error: unknown) =>
        error instanceof PlanModeError && /\/root\/f is damaged: frame 301 cannot/.test(error.message),
    )
  })

  it('stops when it is told to', async () => {
    const stop = new AbortController()
    const reading = zstdEncoding.decode(Buffer.concat(log.frames), 'f', stop.signal)
    stop.abort(new Error('enough'))
    await assert.rejects(reading, /enough/)
  })
})
