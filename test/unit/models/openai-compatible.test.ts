import assert from 'node:assert/strict'
import { openAgent } from '../../../src/agent/live/live-agent.ts'
import { ModelError } from '../../../src/agent/model.ts'
import { endpointModel } from '../../../src/models/openai-compatible.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { ChatServer, type ChatStep, unreachableBaseUrl } from '../../support/chat-server.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { endsOf, resultsOf } from '../../support/reading.ts'
import { memorySession, testRuntime } from '../../support/runtime.ts'
import { testTool } from '../../support/test-tool.ts'
import { apiKey, partsOf } from './endpoint.ts'

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
