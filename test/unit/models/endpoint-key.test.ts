import assert from 'node:assert/strict'
import fc from 'fast-check'
import { ModelError } from '../../../src/agent/model.ts'
import { endpointModel } from '../../../src/models/openai-compatible.ts'
import { ChatServer } from '../../support/chat-server.ts'
import { apiKey, assertKeyless, failureAt, failureOf } from './endpoint.ts'

describe('the key of an OpenAI-compatible endpoint', () => {
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
    for (const url of ['https://api.example.com', 'http://localhost:1234/v1', 'http://127.9.9.9', 'http://[::1]:80']) {
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
