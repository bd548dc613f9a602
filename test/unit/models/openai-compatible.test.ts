import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import fc from 'fast-check'
import { openAgent } from '../../../src/agent/live-agent.ts'
import { ModelError, type ModelRoute } from '../../../src/agent/model.ts'
import { type EndpointOptions, endpointModel } from '../../../src/models/openai-compatible.ts'
import type { Failure } from '../../../src/session/messages.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { ChatServer, type ChatStep, unreachableBaseUrl } from '../../support/chat-server.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { endsOf, resultsOf } from '../../support/reading.ts'
import { memorySession, testRuntime } from '../../support/runtime.ts'
import { testTool } from '../../support/test-tool.ts'

const apiKey = 'sk-test-0123456789abcdef'
const prompt: LanguageModelV4CallOptions['prompt'] = [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }]

async function partsOf(route: ModelRoute, signal?: AbortSignal): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await route.languageModel.doStream({
    prompt,
    ...(signal === undefined ? {} : { abortSignal: signal }),
  })
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

/** How a request against one scripted step fails, wherever the failure shows: thrown, as a part, or by a broken stream. */
async function failureOf(step: ChatStep, options: Partial<EndpointOptions> = {}): Promise<Failure> {
  await using server = await ChatServer.start([step])
  return await failureAt({ baseUrl: server.baseUrl, id: 'm-1', apiKey, ...options })
}

async function failureAt(options: EndpointOptions): Promise<Failure> {
  try {
    const parts = await partsOf(endpointModel(options))
    const error = parts.find(part => part.type === 'error')?.error
    assert.ok(error instanceof ModelError, `no failure: ${inspect(parts)}`)
    assertKeyless(error, options.apiKey)
    return error.failure
  } catch (error) {
    assert.ok(error instanceof ModelError, inspect(error))
    assertKeyless(error, options.apiKey)
    return error.failure
  }
}

function assertKeyless(error: unknown, key: string | undefined): void {
  if (key !== undefined) assert.ok(!inspect(error, { depth: 20, showHidden: true }).includes(key))
}

describe('an OpenAI-compatible endpoint', () => {
  it('streams an answer with reasoning, text, calls and usage', async () => {
    const tools = [{ id: 'c1', name: 'read_file', arguments: { path: 'README.md' } }]
    await using server = await ChatServer.start([
      { kind: 'answer', reasoning: 'hm', text: 'Reading the file now.', tools },
    ])
    const route = endpointModel({ baseUrl: `${server.baseUrl}/`, id: 'm-1', apiKey, contextWindow: 4096 })
    assert.equal(route.provider, new URL(server.baseUrl).host)
    assert.equal(route.model, 'm-1')
    assert.equal(route.contextWindow, 4096)
    const parts = await partsOf(route)
    const text = parts.flatMap(part => (part.type === 'text-delta' ? [part.delta] : [])).join('')
    assert.equal(text, 'Reading the file now.')
    const call = parts.find(part => part.type === 'tool-call')
    assert.deepEqual(call, {
      type: 'tool-call',
      toolCallId: 'c1',
      toolName: 'read_file',
      input: '{"path":"README.md"}',
    })
    const finish = parts.at(-1)
    assert.ok(finish?.type === 'finish')
    assert.equal(finish.finishReason.unified, 'tool-calls')
    assert.equal(finish.usage.inputTokens.total, 100)
    const [request] = server.requests
    assert.equal(request?.path, '/v1/chat/completions')
    assert.equal(request?.headers.authorization, `Bearer ${apiKey}`)
    assert.deepEqual(request?.body.stream_options, { include_usage: true })
  })

  it('sends no authorization without a key, and keeps a query of the base URL', async () => {
    await using server = await ChatServer.start([{ kind: 'answer', text: 'ok' }])
    await partsOf(endpointModel({ baseUrl: `${server.baseUrl}/chat/completions?api-version=3`, id: 'm-1' }))
    assert.equal(server.requests[0]?.headers.authorization, undefined)
    assert.equal(server.requests[0]?.path, '/v1/chat/completions?api-version=3')
  })

  it('passes invalid JSON arguments on as the model wrote them', async () => {
    await using server = await ChatServer.start([
      { kind: 'answer', tools: [{ id: 'c', name: 'x', arguments: '{"path": ' }] },
    ])
    const parts = await partsOf(endpointModel({ baseUrl: server.baseUrl, id: 'm-1' }))
    const call = parts.find(part => part.type === 'tool-call')
    assert.equal(call?.input, '{"path": ')
    assert.equal(
      parts.some(part => part.type === 'error'),
      false,
    )
  })

  describe('failures', () => {
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

  describe('the key', () => {
    it('never appears in a failure, wherever the endpoint repeats it', async function () {
      this.timeout(30_000)
      const printable = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index))
      const key = fc.string({ unit: fc.constantFrom(...printable), minLength: 12, maxLength: 40 })
      const status = fc.constantFrom(400, 401, 403, 404, 429, 500, 200)
      let echoed = ''
      let code = 0
      await using server = await ChatServer.start(() => ({
        kind: 'status',
        status: code,
        headers: { 'x-request-id': echoed, 'content-type': code === 200 ? 'text/event-stream' : 'application/json' },
        body:
          code === 200
            ? `data: ${JSON.stringify({ error: { message: echoed } })}\n\n`
            : { error: { message: `${'p'.repeat(150)} ${echoed} ${echoed}`, code: echoed } },
      }))
      await fc.assert(
        fc.asyncProperty(key, status, async (apiKey, status) => {
          echoed = apiKey
          code = status
          const failure = await failureAt({ baseUrl: server.baseUrl, id: 'm-1', apiKey })
          assert.ok(!JSON.stringify(failure).includes(JSON.stringify(apiKey).slice(1, -1)))
        }),
        { numRuns: 100 },
      )
    })

    it('is not sent along a redirect, to another origin or to the same', async () => {
      await using thief = await ChatServer.start([{ kind: 'answer', text: 'thanks' }])
      for (const status of [301, 302, 303, 307, 308]) {
        const headers = { location: `${thief.baseUrl}/chat/completions?secret=1` }
        const failure = await failureOf({ kind: 'status', status, headers })
        assert.equal(failure.code, 'REDIRECTED')
        assert.ok(failure.message.includes(thief.origin))
        assert.doesNotMatch(failure.message, /secret/)
      }
      assert.equal(thief.requests.length, 0)
      const same = await failureOf({ kind: 'status', status: 307, headers: { location: '/elsewhere' } })
      assert.equal(same.code, 'REDIRECTED')
    })

    it('is refused over plain http to another machine, and allowed on loopback', () => {
      const at = (baseUrl: string) => () => endpointModel({ baseUrl, id: 'm', apiKey })
      for (const host of [
        'api.example.com',
        '10.0.0.5:8080',
        '127.0.0.1.example.com',
        'localhost.example.com',
        '[::2]',
      ]) {
        assert.throws(at(`http://${host}/v1`), { code: 'INSECURE_ENDPOINT' }, host)
        assert.doesNotThrow(() => endpointModel({ baseUrl: `http://${host}/v1`, id: 'm' }))
      }
      for (const url of [
        'https://api.example.com',
        'http://localhost:1234/v1',
        'http://127.9.9.9',
        'http://[::1]:80',
      ]) {
        assert.doesNotThrow(at(url), url)
      }
    })

    it('is refused when a header cannot carry it, without being repeated', () => {
      for (const key of ['two words', 'line\nbreak', 'ключ', '']) {
        assert.throws(
          () => endpointModel({ baseUrl: 'https://api.example.com', id: 'm', apiKey: key }),
          (error: unknown) => {
            assert.ok(error instanceof ModelError)
            assert.equal(error.code, 'INVALID_CREDENTIAL')
            if (key !== '') assertKeyless(error, key)
            return true
          },
        )
      }
    })
  })

  it('refuses base URLs that are none, and never repeats them', () => {
    for (const baseUrl of [
      '',
      'nonsense',
      'ftp://x/y',
      'file:///etc',
      'https://',
      'https://user:hunter2@example.com/v1',
    ]) {
      assert.throws(
        () => endpointModel({ baseUrl, id: 'm' }),
        (error: unknown) => {
          assert.ok(error instanceof ModelError)
          assert.equal(error.code, 'BAD_BASE_URL')
          assert.match(error.message, /planMode\.model\.baseUrl/)
          assert.doesNotMatch(error.message, /hunter2/)
          return true
        },
      )
    }
    assert.throws(() => endpointModel({ baseUrl: 'https://x.example', id: ' ' }), { code: 'BAD_MODEL' })
  })

  describe('in the loop', () => {
    it('ends each failure in a clear sentence and a balanced log', async () => {
      const steps: [ChatStep, string][] = [
        [{ kind: 'status', status: 401 }, 'AUTH'],
        [{ kind: 'status', status: 429, headers: { 'retry-after': '3600' } }, 'RATE_LIMIT'],
        [{ kind: 'status', status: 500 }, 'SERVER'],
        [{ kind: 'cut', text: 'Half an ans', how: 'reset' }, 'STREAM_CUT'],
        [{ kind: 'cut', text: 'Half an ans', how: 'end' }, 'STREAM_CUT'],
      ]
      for (const [step, code] of steps) {
        await using server = await ChatServer.start(() => step)
        const { session } = await turnAgainst(server.baseUrl)
        const [end] = endsOf(session)
        assert.ok(end?.kind === 'error', code)
        assert.equal(end.error.code, code)
        assertInvariants(session)
      }
      const { session } = await turnAgainst(await unreachableBaseUrl())
      const [end] = endsOf(session)
      assert.ok(end?.kind === 'error' && end.error.code === 'UNREACHABLE')
      assertInvariants(session)
    })

    it('gives the model its invalid arguments back and goes on', async () => {
      await using server = await ChatServer.start([
        { kind: 'answer', tools: [{ id: 'c1', name: 'peek', arguments: '{"path": ' }] },
        { kind: 'answer', text: 'Sorry, done now.' },
      ])
      const { session } = await turnAgainst(server.baseUrl)
      assert.deepEqual(endsOf(session), [{ kind: 'completed' }])
      assert.equal(resultsOf(session)[0]?.code, 'ToolArgsError/INVALID_ARGS')
      const messages = JSON.stringify(server.requests[1]?.body.messages)
      assert.match(messages, /were refused/)
      assertInvariants(session)
    })
  })
})

async function turnAgainst(baseUrl: string) {
  const route = endpointModel({ baseUrl, id: 'm-1', apiKey })
  const runtime = testRuntime(undefined, { models: { choose: async () => route } })
  runtime.tools.register(testTool('peek'))
  const session = memorySession()
  const agent = openAgent(session, runtime)
  agent.prompt(newUserMessage('go'))
  await agent.whenIdle()
  await agent.dispose()
  return { session }
}
