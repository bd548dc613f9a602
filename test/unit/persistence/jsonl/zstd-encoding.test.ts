import assert from 'node:assert/strict'
import { constants as limits } from 'node:buffer'
import { zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { EventScan } from '../../../../src/persistence/jsonl/event-scan.ts'
import { requireZstd } from '../../../../src/persistence/jsonl/frame-codec.ts'
import { walkFrames } from '../../../../src/persistence/jsonl/frames.ts'
import { rawEncoding } from '../../../../src/persistence/jsonl/raw-encoding.ts'
import { zstdEncoding } from '../../../../src/persistence/jsonl/zstd-encoding.ts'
import { PlanModeError } from '../../../../src/session/errors.ts'
import { bomb, compressed, frame, frameOf, storedFrame, unfinished } from '../../../support/zstd.ts'
import { header, mode, modes } from '../scratch.ts'

const end = { type: 'turn/end', seq: 0, time: 0, data: { turn: 1, reason: { kind: 'completed' } } }
const head = frame(line(header()))

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

function lines(...values: unknown[]): string {
  return values.map(line).join('')
}

function decode(...parts: Uint8Array[]) {
  return zstdEncoding.decode(Buffer.concat(parts), '/root/a')
}

async function refusal(...parts: Uint8Array[]): Promise<string> {
  try {
    await decode(...parts)
  } catch (error) {
    assert.ok(error instanceof PlanModeError, String(error))
    assert.ok(error.message.includes('/root/a'), 'the file is named')
    return `${error.code} ${error.message}`
  }
  assert.fail('it was read')
}

describe('reading a compressed log', function () {
  this.timeout(60_000)

  it('takes frames of any level, with and without checksum and content size, and empty ones', async () => {
    const frames = [
      frame(line(mode(0)), { level: 1 }),
      frame(''),
      frame(line(mode(1)), { level: 19, contentSize: true }),
      frame(line(mode(2)), { checksum: false }),
      storedFrame(line(mode(3))),
      frame('', { checksum: false }),
    ]
    const bytes = Buffer.concat([head, ...frames])
    assert.deepEqual(await decode(bytes), { header: header(), events: modes(0, 4), end: bytes.length })
    assert.deepEqual(await decode(head), { header: header(), events: [], end: head.length })
  })

  it('takes lines that go over whole frames, however they are cut', async () => {
    const text = Buffer.from(lines(...modes(0, 30), { ...mode(30), data: 'é€😀' }))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 12 }), async cuts => {
        const at = [0, ...cuts.sort((a, b) => a - b), text.length]
        const frames = at.slice(1).map((stop, k) => frame(text.subarray(at[k], stop)))
        const { events } = await decode(head, ...frames)
        assert.deepEqual(events, [...modes(0, 30), { ...mode(30), data: 'é€😀' }])
      }),
      { numRuns: 30 },
    )
  })

  it('takes a frame of many blocks, and a record larger than any buffer on the way', async () => {
    const large = { ...mode(0), data: 'x'.repeat(3_000_000) }
    assert.deepEqual((await decode(head, frame(lines(large, ...modes(1, 9000))))).events, [large, ...modes(1, 9000)])
  })

  it('refuses a first frame that is not the header line alone, and a missing one', async () => {
    const text = line(header())
    for (const first of ['', text.slice(0, -1), `${text}\n`, lines(header(), mode(0))]) {
      assert.match(await refusal(frame(first), frame(line(mode(0)))), /^CORRUPT .*header/, first)
    }
    for (const bytes of ['', 'abc', head.subarray(0, -1), head.subarray(0, 4)]) {
      assert.match(await refusal(Buffer.from(bytes)), /^CORRUPT .*header frame is missing or was never finished/)
    }
    assert.match(await refusal(Buffer.from(line(header()))), /^CORRUPT .*frame 1 .* is not a zstd frame/)
  })

  it('refuses a foreign version before it looks at anything else', async () => {
    const foreign = line({ version: 1 })
    for (const first of [foreign, `${foreign}more`]) {
      assert.match(await refusal(frame(first), Buffer.from('rubbish')), /^FORMAT_UNSUPPORTED .*newer format version 1/)
    }
  })

  it('refuses any problem inside whole frames, though no turn ends behind it', async () => {
    const bad = ['{\n', line(7), line([]), '\n', line(mode(5)), line({ type: 'text-chunks' }), line(null)]
    for (const text of bad) {
      assert.match(await refusal(head, frame(line(mode(0)) + text)), /^CORRUPT .*line 3 /, text)
      assert.match(await refusal(head, frame(line(mode(0))), frame(text), unfinished(line(mode(1)))), /line 3 /, text)
    }
  })

  it('refuses whole frames that end inside a record, with or without a torn frame behind', async () => {
    const [start, rest] = [line(mode(0)).slice(0, 9), line(mode(0)).slice(9)]
    assert.match(await refusal(head, frame(start)), /^CORRUPT .*line 2 is not finished in a whole frame/)
    assert.match(await refusal(head, frame(start), unfinished(rest)), /line 2 is not finished/)
  })

  it('refuses a whole frame that is damaged, and says which', async () => {
    const good = frame(line(mode(0)))
    for (const at of [9, good.length - 1]) {
      const bad = Buffer.from(frame(line(mode(1))))
      bad[at] = (bad[at] ?? 0) ^ 0xff
      assert.match(await refusal(head, good, bad, good), /^CORRUPT .*frame 3 cannot be decompressed/, `byte ${at}`)
    }
    const bad = Buffer.from(head)
    bad[bad.length - 1] = (bad[bad.length - 1] ?? 0) ^ 1
    assert.match(await refusal(bad, good), /frame 1 cannot be decompressed/)
    const dictionary = Buffer.concat([good.subarray(0, 4), Buffer.from([0x05, good[5] ?? 0, 9]), good.subarray(6)])
    assert.match(await refusal(head, dictionary), /frame 2 cannot be decompressed/)
  })

  describe('whose last frame was never finished', () => {
    const whole = frame(line(mode(0)))
    const at = head.length + whole.length

    it('keeps its whole records, and gives them to be written again', async () => {
      for (const [text, events] of [
        [lines(mode(1), mode(2)), 3],
        [lines(mode(1), mode(2)).slice(0, -1), 2],
        [lines(mode(1), mode(7), mode(8)), 2],
        [`${line(mode(1))}{\n`, 2],
        ['', 1],
      ] as const) {
        const decoded = await decode(head, whole, unfinished(text))
        assert.deepEqual([decoded.events, decoded.end], [modes(0, events), at])
        const salvaged = decoded.salvaged === undefined ? '' : Buffer.from(decoded.salvaged).toString()
        assert.equal(salvaged, lines(...modes(1, events)))
      }
    })

    it('refuses a problem in it behind which a turn ends, and a line that is null', async () => {
      assert.match(await refusal(head, whole, unfinished(lines(mode(4), { ...end, seq: 5 }))), /^CORRUPT .*line 3 /)
      assert.match(await refusal(head, whole, unfinished('null\n')), /line 3 is null/)
    })

    it('has nothing to keep of what is damaged besides', async () => {
      const torn = Buffer.from(unfinished(lines(...modes(1, 40))))
      torn.fill(0xff, 12, 20)
      assert.deepEqual(await decode(head, whole, torn), { header: header(), events: [mode(0)], end: at })
    })

    it('keeps a right prefix wherever it was cut', async () => {
      // Stored blocks, so that there is something to keep of many cuts.
      const blocks = modes(1, 40).map(event => {
        const content = Buffer.from(line(event))
        return { type: 0, size: content.length, content } as const
      })
      const last = frameOf(blocks)
      let most = 0
      for (let size = 0; size < last.length; size += 5) {
        const { events, end, salvaged } = await decode(head, whole, last.subarray(0, size))
        assert.deepEqual(events, modes(0, events.length))
        assert.equal(end, at)
        assert.equal(Buffer.from(salvaged ?? []).toString(), lines(...modes(1, events.length)))
        assert.ok(events.length >= most, 'more bytes never give less')
        most = events.length
      }
      assert.ok(most > 30)
    })
  })

  it('leaves a torn frame out of the text, and gives the rest as it was written', async () => {
    const text = `${line(mode(0)).replace(',', ' , ')}rubbish`
    const bytes = Buffer.concat([head, frame(text), unfinished(line(mode(1)))])
    assert.equal(await zstdEncoding.text(bytes, 'a'), line(header()) + text)
    await assert.rejects(zstdEncoding.text(Buffer.alloc(3), 'a'), /header frame is missing/)
  })

  it('stops when it is told to', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await assert.rejects(zstdEncoding.decode(Buffer.concat([head, frame(line(mode(0)))]), 'a', signal), /enough/)
  })

  describe('that would unpack to more than there is room for', () => {
    it('reads no more of a header than a header can have', async () => {
      const bytes = bomb(32, 100_000)
      assert.match(await refusal(bytes), /^CORRUPT .*frame 1 cannot be decompressed/)
      assert.throws(() => zstdEncoding.headerLine(bytes, 'a'), /frame 1 cannot be decompressed/)
    })

    it('stops at a bad line at once, and at a line that is longer than any record', async () => {
      assert.match(await refusal(head, bomb(10, 100_000)), /^CORRUPT .*line 2 is not JSON/)
      const scan = new EventScan('a')
      const piece = Buffer.alloc(32 << 20, 120)
      const pieces = Math.ceil(limits.MAX_STRING_LENGTH / piece.length) + 1
      assert.throws(() => {
        for (let k = 0; k < pieces; k++) scan.feed(piece)
      }, /line 2 is longer than any record can be/)
    })
  })

  it('says what it needs in a runtime without zstd', () => {
    assert.throws(
      () => requireZstd({}),
      (error: PlanModeError) => error.code === 'FORMAT_UNSUPPORTED' && /Node\.js .* 22\.15/.test(error.message),
    )
  })
})

describe('raw and compressed logs', function () {
  this.timeout(60_000)

  const someData = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }))

  it('hold the same', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(someData, { minLength: 1, maxLength: 9 }), { maxLength: 6 }),
        async batches => {
          let seq = 0
          const texts = batches.map(batch => lines(...batch.map(data => ({ type: 'x', seq: seq++, time: 0, data }))))
          const pieces = [line(header()), ...texts].map(text => Buffer.from(text))
          const [raw, zstd] = await Promise.all(
            [rawEncoding, zstdEncoding].map(async encoding => {
              const bytes = Buffer.from(await encoding.encode(pieces))
              assert.equal(encoding.headerLine(bytes, 'a')?.trimEnd(), line(header()).trimEnd())
              const { end: kept, ...decoded } = await encoding.decode(bytes, 'a')
              assert.equal(kept, bytes.length)
              return { ...decoded, text: await encoding.text(bytes, 'a') }
            }),
          )
          assert.deepEqual(zstd, raw)
          assert.equal(zstd?.events.length, seq)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('are framed as the format says: a checksum, no content size, the header alone', async () => {
    const pieces = [line(header()), line(mode(0))].map(text => Buffer.from(text))
    const bytes = Buffer.from(await zstdEncoding.encode(pieces))
    const { ends } = walkFrames(bytes, 0, 'a', 1)
    assert.equal(ends.length, 2)
    for (const [k, start] of [0, ...ends.slice(0, -1)].entries()) {
      assert.equal(bytes[start + 4], 0x04)
      assert.deepEqual(zstdDecompressSync(bytes.subarray(start, ends[k])), pieces[k])
    }
  })
})

describe('a compressed log with any damage', function () {
  this.timeout(60_000)
  const events = [{ ...end, type: 'turn/start', data: { turn: 1 } }, ...modes(1, 20), { ...end, seq: 20 }]
  const good = compressed(Buffer.from(lines(header(), ...events)), 4)

  it('is opened with a right prefix or refused with a code', async () => {
    let opened = 0
    const change = fc.tuple(fc.nat(good.length - 1), fc.uint8Array({ maxLength: 6 }), fc.nat(6))
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), fc.boolean(), async (changes, cut) => {
        let bytes: Buffer = good
        for (const [at, put, drop] of changes) {
          bytes = Buffer.concat([bytes.subarray(0, at), put, cut ? Buffer.alloc(0) : bytes.subarray(at + drop)])
        }
        try {
          const decoded = await decode(bytes)
          assert.deepEqual(decoded.events, events.slice(0, decoded.events.length))
          opened++
        } catch (error) {
          assert.ok(error instanceof PlanModeError, String(error))
        }
      }),
      { numRuns: 300 },
    )
    assert.ok(opened > 20, `some are opened (${opened})`)
  })

  it('nor do random bytes and random frames break the reader', async () => {
    const someFrame = fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map(bytes => Buffer.from(bytes)),
      fc.uint8Array({ maxLength: 40 }).map(bytes => Buffer.concat([good.subarray(0, 4), bytes])),
      fc
        .array(fc.tuple(fc.constantFrom(0, 1, 2, 3), fc.nat(200), fc.uint8Array({ maxLength: 30 })), { minLength: 1 })
        .map(blocks => frameOf(blocks.map(([type, size, content]) => ({ type: type as 0, size, content })))),
      fc.string({ unit: 'binary' }).map(text => frame(text)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(someFrame, { maxLength: 5 }), fc.boolean(), async (frames, headed) => {
        const bytes = Buffer.concat(headed ? [head, ...frames] : frames)
        await assertSettles(zstdEncoding.decode(bytes, 'a'))
        await assertSettles(zstdEncoding.text(bytes, 'a'))
      }),
      { numRuns: 300 },
    )
  })

  async function assertSettles(promise: Promise<unknown>): Promise<void> {
    await promise.catch(error => assert.ok(error instanceof PlanModeError, String(error)))
  }
})
