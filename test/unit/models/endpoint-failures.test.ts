import assert from 'node:assert/strict'
import { endpointModel } from '../../../src/models/openai-compatible.ts'
import { ChatServer, unreachableBaseUrl } from '../../support/chat-server.ts'
import { apiKey, failureAt, failureOf, partsOf } from './endpoint.ts'

describe('failures of an OpenAI-compatible endpoint', () => {
  const says = (message: string, more: object = {}) => ({ error: { message, ...more } })

  it('401 and 403 name the host and the command that helps, and quote nothing', async () => {
    for (const status of [401, 403]) {
      const body = says(`Incorrect API key provided: ${apiKey}`)
      const failure = await failureOf({ kind: 'status', status, headers: { 'x-request-id': 'req-1' }, body })
      assert.equal(failure.code, 'AUTH')
      assert.equal(failure.status, status)
      assert.equal(failure.requestId, 'req-1')
      assert.match(failure.message, /^127\.0\.0\.1:\d+ .*Run "Plan: Set API Key"/)
      assert.doesNotMatch(failure.message, /Incorrect/)
    }
  })

  it('429 carries how long to wait: seconds, milliseconds, a date', async () => {
    const now = () => Date.parse('2026-01-01T00:00:00Z')
    const limited = (headers: Record<string, string>) =>
      failureOf({ kind: 'status', status: 429, headers, body: says('Slow down') }, { now })
    const seconds = await limited({ 'retry-after': '7' })
    assert.equal(seconds.code, 'RATE_LIMIT')
    assert.equal(seconds.providerRetryAfterMs, 7000)
    assert.match(seconds.message, /It says: "Slow down"$/)
    assert.equal((await limited({ 'retry-after-ms': '250' })).providerRetryAfterMs, 250)
    assert.equal((await limited({ 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT' })).providerRetryAfterMs, 90_000)
    assert.equal((await limited({ 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT' })).providerRetryAfterMs, 0)
    assert.equal('providerRetryAfterMs' in (await limited({ 'retry-after': 'soon' })), false)
    assert.equal('providerRetryAfterMs' in (await limited({})), false)
  })

  it('tells quota, context window, unknown model, refusals and server trouble apart', async () => {
    const cases: [number, unknown, string][] = [
      [429, says('You exceeded your current quota', { code: 'insufficient_quota' }), 'QUOTA'],
      [402, says('Insufficient Balance'), 'QUOTA'],
      [400, says('too long', { code: 'context_length_exceeded' }), 'CONTEXT_WINDOW_EXCEEDED'],
      [400, says("This model's maximum context length is 4096 tokens."), 'CONTEXT_WINDOW_EXCEEDED'],
      [413, 'too large', 'CONTEXT_WINDOW_EXCEEDED'],
      [404, says('The model m-1 does not exist'), 'NOT_FOUND'],
      [400, says('Bad parameter'), 'BAD_REQUEST'],
      [422, { detail: 'Unprocessable' }, 'BAD_REQUEST'],
      [500, says('boom'), 'SERVER'],
      [503, '<html>down</html>', 'SERVER'],
      [529, {}, 'SERVER'],
    ]
    for (const [status, body, code] of cases) {
      const failure = await failureOf({ kind: 'status', status, body })
      assert.equal(failure.code, code, `${status} ${JSON.stringify(body)}`)
      if (code !== 'CONTEXT_WINDOW_EXCEEDED') assert.match(failure.message, new RegExp(String(status)))
      assert.doesNotMatch(failure.message, /html/)
    }
  })

  it('quotes the endpoint shortly, on one line', async () => {
    const failure = await failureOf({
      kind: 'status',
      status: 400,
      body: says(`a\n\u0007b\u202E ${'x'.repeat(5000)}`),
    })
    assert.match(failure.message, /It says: "a b x+…"$/)
    assert.ok(failure.message.length < 400)
  })

  it('sends one request only: retrying is left to the caller', async () => {
    await using server = await ChatServer.start([
      { kind: 'status', status: 500 },
      { kind: 'answer', text: 'late' },
    ])
    const failure = await failureAt({ baseUrl: server.baseUrl, id: 'm-1' })
    assert.equal(failure.code, 'SERVER')
    assert.equal(server.requests.length, 1)
  })

  it('names the host that cannot be reached', async () => {
    const baseUrl = await unreachableBaseUrl()
    const failure = await failureAt({ baseUrl, id: 'm-1', apiKey })
    assert.equal(failure.code, 'UNREACHABLE')
    assert.ok(failure.message.startsWith(`${new URL(baseUrl).host} cannot be reached`), failure.message)
    assert.match(failure.message, /ECONNREFUSED/)
    const unknown = await failureAt({ baseUrl: 'http://no-such-host.localhost:1/v1', id: 'm-1' })
    assert.equal(unknown.code, 'UNREACHABLE')
  })

  it('says that a stream was cut, by a dropped connection and by an early end', async () => {
    for (const how of ['reset', 'end'] as const) {
      const failure = await failureOf({ kind: 'cut', text: 'The answer is', how })
      assert.equal(failure.code, 'STREAM_CUT', how)
      assert.match(failure.message, /^The answer from 127\.0\.0\.1:\d+ ended before it was complete/)
    }
  })

  it('reports errors inside the stream, and answers that are no chat completion', async () => {
    const inStream = (error: object) => failureOf({ kind: 'events', events: [JSON.stringify({ error })] })
    assert.equal((await inStream({ message: 'Overloaded', type: 'server_error' })).code, 'SERVER')
    assert.equal((await inStream({ message: 'Slow', code: 429 })).code, 'RATE_LIMIT')
    assert.equal((await inStream({ message: 'No', code: 401 })).code, 'AUTH')
    assert.equal((await inStream({ message: 'x', type: 'insufficient_quota' })).code, 'QUOTA')
    assert.equal((await inStream({ message: 'x', code: 'context_length_exceeded' })).code, 'CONTEXT_WINDOW_EXCEEDED')
    const garbage = await failureOf({ kind: 'events', events: [`{"broken ${apiKey}`] })
    assert.equal(garbage.code, 'BAD_RESPONSE')
    const shape = await failureOf({ kind: 'events', events: ['{"choices": "none"}'] })
    assert.equal(shape.code, 'BAD_RESPONSE')
    const page = { 'content-type': 'text/html; charset=utf-8' }
    const html = await failureOf({ kind: 'status', status: 200, headers: page, body: '<html></html>' })
    assert.equal(html.code, 'BAD_RESPONSE')
    assert.match(html.message, /web page/)
  })

  it('lets an abort be an abort, before and during the answer', async () => {
    for (const step of [{ kind: 'hang' }, { kind: 'hang', text: 'Thinking' }] as const) {
      await using server = await ChatServer.start([step])
      const abort = new AbortController()
      const parts = partsOf(endpointModel({ baseUrl: server.baseUrl, id: 'm-1' }), abort.signal)
      while (server.requests.length === 0) await new Promise(resolve => setImmediate(resolve))
      abort.abort()
      await assert.rejects(parts, { name: 'AbortError' })
    }
  })
})
