import assert from 'node:assert/strict'
import fc from 'fast-check'
import { rawEncoding } from '../../../src/persistence/jsonl/raw-encoding.ts'
import { PlanModeError } from '../../../src/session/errors.ts'
import { header, mode, modes } from './scratch.ts'

const start = { type: 'turn/start', time: 0, data: { turn: 1 } }
const end = { type: 'turn/end', time: 0, data: { turn: 1, reason: { kind: 'completed' } } }

function log(...lines: (object | string | null)[]): Buffer {
  const text = lines.map(line => (typeof line === 'string' ? line : JSON.stringify(line)))
  return Buffer.from(`${[JSON.stringify(header()), ...text].join('\n')}\n`)
}

const decodeLog = rawEncoding.decode

async function refusal(bytes: Buffer): Promise<string> {
  try {
    await decodeLog(bytes, '/root/a.jsonl')
  } catch (error) {
    assert.ok(error instanceof PlanModeError)
    assert.ok(error.message.includes('/root/a.jsonl'), 'the file is named')
    return `${error.code} ${error.message}`
  }
  assert.fail('it was read')
}

async function kept(bytes: Buffer): Promise<[number, number]> {
  const { events, end: bytesKept } = await decodeLog(bytes, 'a.jsonl')
  return [events.length, bytes.length - bytesKept]
}

describe('reading a raw log', () => {
  it('takes a header alone as an empty log, and drops unknown header keys', async () => {
    const bytes = Buffer.from(`${JSON.stringify({ ...header(), more: 1 })}\n`)
    assert.deepEqual(await decodeLog(bytes, 'a.jsonl'), { header: header(), events: [], end: bytes.length })
  })

  it('drops a record without its line end, also one that would parse', async () => {
    assert.deepEqual(await kept(Buffer.concat([log(mode(0)), Buffer.from('{"type":"pl')])), [1, 11])
    const whole = JSON.stringify(mode(1))
    assert.deepEqual(await kept(Buffer.concat([log(mode(0)), Buffer.from(whole)])), [1, whole.length])
  })

  it('drops everything from the first problem when no turn ends behind it', async () => {
    for (const bad of ['{', '7', '"x"', '[]', '', mode(5), mode(0), { ...mode(1), seq: '1' }]) {
      assert.deepEqual((await kept(log(mode(0), bad, mode(1))))[0], 1, JSON.stringify(bad))
    }
  })

  it('refuses a problem behind which a turn ends, and names the line', async () => {
    assert.match(await refusal(log(mode(0), '{', { ...end, seq: 1 })), /^CORRUPT .*line 3 is not JSON/)
    assert.match(await refusal(log(mode(0), { ...end, seq: 4 })), /line 3 is not event 1/)
    assert.match(
      await refusal(log(mode(0), mode(3), { ...start, seq: 1 }, { ...end, seq: 9 })),
      /line 3 is not event 1/,
    )
    assert.match(await refusal(log({ type: 'text-chunks' }, { ...end, seq: 1 })), /line 2 is a malformed row/)
  })

  it('always refuses a line that is null', async () => {
    assert.match(await refusal(log(mode(0), null)), /line 3 is null/)
    assert.match(await refusal(log('{', null)), /line 3 is null/)
  })

  it('reads CRLF and damaged UTF-8', async () => {
    const text = log({ ...mode(0), data: 'x' })
      .toString()
      .replaceAll('\n', '\r\n')
      .replace('"x"', '"\u00ff"')
    const { events } = await decodeLog(Buffer.from(text, 'latin1'), 'a.jsonl')
    assert.equal(events[0]?.data, '\ufffd')
  })

  it('refuses a header that is missing, torn, marked or malformed', async () => {
    const raw = JSON.stringify(header())
    assert.match(await refusal(Buffer.alloc(0)), /^CORRUPT .*header line is missing/)
    assert.match(await refusal(Buffer.from(raw)), /header line is missing/)
    for (const bad of ['null', '[]', '{', `\ufeff${raw}`, '{"type":"session"}']) {
      assert.match(await refusal(Buffer.from(`${bad}\n`)), /^CORRUPT /, bad)
    }
    for (const change of [
      { createdAt: -1 },
      { delegationDepth: undefined },
      { id: '' },
      { cwd: 'relative' },
      { cwd: 3 },
      { origin: 'elsewhere' },
      { seedLength: 0.5 },
      { version: '0' },
      { sandboxMode: 'read-only' },
      { approvalPolicy: 'ask' },
    ]) {
      assert.match(await refusal(Buffer.from(`${JSON.stringify({ ...header(), ...change })}\n`)), /^CORRUPT /)
    }
  })

  it('refuses a foreign version before anything else, and says which side is behind', async () => {
    const foreign = (version: number) => Buffer.from(`{"version":${version}}\nnull\nnot json`)
    assert.match(await refusal(foreign(1)), /^FORMAT_UNSUPPORTED .*newer format version 1.*Upgrade this extension/)
    assert.match(await refusal(foreign(0.5)), /newer/)
    assert.match(await refusal(foreign(-1)), /older format version -1.*no upgrade path/)
  })

  it('keeps a right prefix of a log that is cut anywhere', async () => {
    const bytes = log(...modes(0, 12))
    const headerEnd = bytes.indexOf(10) + 1
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: headerEnd, max: bytes.length }), async size => {
        const { events, end: bytesKept } = await decodeLog(bytes.subarray(0, size), 'a.jsonl')
        assert.deepEqual(events, modes(0, events.length))
        assert.equal(bytes.subarray(0, bytesKept).toString(), log(...modes(0, events.length)).toString())
      }),
    )
  })

  it('opens or refuses with a code whatever the bytes', async () => {
    const good = log({ ...start, seq: 0 }, mode(1), { ...end, seq: 2 })
    const damage = fc.tuple(fc.nat(good.length - 1), fc.uint8Array({ maxLength: 6 }), fc.nat(4))
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async changes => {
        let bytes = good
        for (const [at, put, drop] of changes) {
          bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + drop)])
        }
        try {
          const { events } = await decodeLog(bytes, 'a.jsonl')
          assert.ok(events.every((event, seq) => event.seq === seq))
        } catch (error) {
          assert.ok(error instanceof PlanModeError, String(error))
        }
      }),
      { numRuns: 500 },
    )
  })
})
