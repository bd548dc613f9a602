import assert from 'node:assert/strict'
import { APICallError } from '@ai-sdk/provider'
import { ModelError } from '../../../src/agent/model.ts'
import type { Failure } from '../../../src/session/messages.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { endsOf, eventsOf, typesOf } from '../../support/reading.ts'
import { testAgent } from '../../support/runtime.ts'
import type { Act, Reply } from '../../support/scripted-model.ts'
import { testTool } from '../../support/test-tool.ts'

async function converse(...replies: Reply[]) {
  const parts = testAgent(replies)
  parts.runtime.tools.register(testTool('peek'))
  parts.agent.prompt(newUserMessage('go'))
  await parts.agent.whenIdle()
  assertInvariants(parts.session)
  return parts
}

async function failureOf(...replies: Reply[]): Promise<Failure> {
  const { session } = await converse(...replies)
  const [end] = endsOf(session)
  assert.ok(end?.kind === 'error', `the turn ended ${end?.kind}`)
  return end.error
}

const http = (statusCode: number, responseHeaders: Record<string, string> = {}) =>
  new APICallError({
    message: 'the server said no',
    url: 'https://model.example/v1',
    requestBodyValues: {},
    statusCode,
    responseHeaders,
  })

const busy: Reply = { throws: new ModelError({ message: 'busy', code: 'SERVER' }) }

describe('a request that fails', () => {
  it('ends the turn with the value of a ModelError, the step closed first', async () => {
    const failure = { message: 'The key was refused. Set another.', code: 'INVALID_CREDENTIAL', status: 401 }
    const { session } = await converse({ throws: new ModelError(failure) })
    assert.deepEqual(endsOf(session), [{ kind: 'error', error: failure }])
    assert.deepEqual(typesOf(session).slice(-4), ['request/context', 'assistant/chunk', 'step/end', 'turn/end'])
    assert.deepEqual(eventsOf(session, 'assistant/chunk')[0]?.data.chunk, {
      type: 'finish',
      reason: { kind: 'error', failure },
    })
  })

  const codes: [number, string][] = [
    [401, 'AUTH'],
    [403, 'AUTH'],
    [402, 'QUOTA'],
    [404, 'UNKNOWN'],
    [429, 'RATE_LIMIT'],
    [500, 'SERVER'],
    [503, 'SERVER'],
  ]
  for (const [status, code] of codes) {
    it(`maps HTTP ${status} to ${code} and says it in a sentence`, async () => {
      const reply = { throws: http(status) }
      const failure = await failureOf(reply, reply, reply)
      assert.deepEqual(failure, {
        code,
        status,
        message: `The model model-a (scripted) refused the request (HTTP ${status}): the server said no`,
      })
    })
  }

  it('reads how long to wait from the headers of a 429', async () => {
    assert.equal((await failureOf({ throws: http(429, { 'retry-after': '60' }) })).providerRetryAfterMs, 60_000)
    assert.equal((await failureOf({ throws: http(429, { 'retry-after-ms': '12500' }) })).providerRetryAfterMs, 12_500)
    const dated = { throws: http(429, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }) }
    assert.equal((await failureOf(dated, dated, dated)).providerRetryAfterMs, undefined)
  })

  it('calls a network error unreachable', async () => {
    const reply = { throws: new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }) }
    assert.deepEqual(await failureOf(reply, reply, reply), {
      message: 'The model model-a (scripted) could not answer: fetch failed',
      code: 'UNREACHABLE',
    })
  })

  for (const error of [new Error('odd'), 'odd', { message: 'odd' }]) {
    it(`takes an error part of ${typeof error === 'string' ? 'text' : error.constructor.name}`, async () => {
      assert.deepEqual(await failureOf([{ error }]), {
        message: 'The model model-a (scripted) could not answer: odd',
        code: 'UNKNOWN',
      })
    })
  }

  it('after words were seen leaves the chunks, no message, and is not repeated', async () => {
    for (const break_ of [{ cut: http(500) }, { error: http(500) }, { end: true }] satisfies Act[]) {
      const { session, model } = await converse([{ text: 'partial answer' }, break_])
      assert.equal(eventsOf(session, 'assistant/message').length, 0)
      assert.equal(endsOf(session)[0]?.kind, 'error')
      assert.equal(model.requests.length, 1)
      assert.equal(eventsOf(session, 'assistant/chunk').length > 2, true)
    }
  })

  it('names a stream that ends without a finish', async () => {
    assert.deepEqual(await failureOf([{ text: 'partial' }, { end: true }]), {
      code: 'SERVER',
      message: 'The answer of model-a (scripted) was cut off. Send the message again.',
    })
    assert.equal((await failureOf([{ text: 'partial' }, { finish: 'interrupted' }])).code, 'SERVER')
    assert.equal((await failureOf([{ text: 'partial' }, { finish: 'error' }])).code, 'UNKNOWN')
  })

  it('is empty when it has neither words nor a call', async () => {
    for (const acts of [[], [{ text: '  ' }], [{ reasoning: 'hm' }]] satisfies Act[][]) {
      assert.deepEqual(await failureOf(acts), {
        code: 'EMPTY_RESPONSE',
        message: 'The model model-a (scripted) gave an empty answer. Send the message again.',
      })
    }
    assert.equal((await failureOf([{ finish: 'content-filter' }])).code, 'CONTENT_FILTER')
  })

  it('leaves the next turn free', async () => {
    const { agent, session } = await converse({ throws: new Error('odd') }, [{ text: 'fine' }])
    agent.prompt(newUserMessage('again'))
    await agent.whenIdle()
    assert.deepEqual(
      endsOf(session).map(end => end.kind),
      ['error', 'completed'],
    )
  })
})

describe('the ceiling of an answer', () => {
  it('drops calls and ends the turn max-tokens', async () => {
    const { session } = await converse([{ text: 'so far' }, { call: 'peek' }, { finish: 'length' }])
    assert.deepEqual(endsOf(session), [{ kind: 'max-tokens' }])
    assert.equal(eventsOf(session, 'tool/call').length, 0)
    const [message] = eventsOf(session, 'assistant/message')
    assert.deepEqual(message?.data.message.content, [{ type: 'text', text: 'so far' }])
    assert.deepEqual(eventsOf(session, 'assistant/chunk').at(-1)?.data.chunk, {
      type: 'finish',
      reason: { kind: 'max-tokens' },
    })
  })

  it('keeps an empty message when nothing else is left, and is no empty response', async () => {
    const { session } = await converse([{ call: 'peek' }, { finish: 'length' }])
    assert.deepEqual(endsOf(session), [{ kind: 'max-tokens' }])
    assert.deepEqual(eventsOf(session, 'assistant/message')[0]?.data.message.content, [])
  })

  it('is sticky over a later step', async () => {
    const { agent, session, runtime, model } = testAgent([
      [{ text: 'so far' }, { finish: 'length' }],
      [{ text: 'rest' }],
    ])
    runtime.clock.auto = true
    session.observe(event => {
      if (event.type === 'assistant/message' && model.requests.length === 1) agent.steer(newUserMessage('go on'))
    })
    agent.prompt(newUserMessage('go'))
    await agent.whenIdle()
    assert.equal(eventsOf(session, 'step/start').length, 2)
    assert.deepEqual(endsOf(session), [{ kind: 'max-tokens' }])
  })
})

describe('a retry', () => {
  it('repeats the frozen request in the same step, at most twice', async () => {
    const { session, model } = await converse(busy, busy, busy, [{ text: 'too late' }])
    assert.equal(model.requests.length, 3)
    assert.deepEqual(model.requests[1], model.requests[0])
    assert.deepEqual(model.requests[2], model.requests[0])
    assert.deepEqual(
      eventsOf(session, 'llm/retry').map(({ data }) => [data.retry, data.delayMs, data.policyKey, data.failure.code]),
      [
        [1, 500, 'SERVER', 'SERVER'],
        [2, 2_000, 'SERVER', 'SERVER'],
      ],
    )
    assert.deepEqual(
      eventsOf(session, 'llm/retry-started').map(({ data }) => [data.turn, data.step, data.retry]),
      [
        [1, 1, 1],
        [1, 1, 2],
      ],
    )
    assert.equal(endsOf(session)[0]?.kind, 'error')
    assert.equal(eventsOf(session, 'step/start').length, 1)
  })

  it('that succeeds leaves one message, whose sources are its own chunks', async () => {
    const { session } = await converse(busy, [{ text: 'fine' }])
    const [message] = eventsOf(session, 'assistant/message')
    const started = eventsOf(session, 'llm/retry-started')[0]?.seq ?? 0
    assert.ok(message?.sourceEventSeqs?.every(seq => seq > started))
    assert.deepEqual(endsOf(session), [{ kind: 'completed' }])
  })

  it('waits as long as the provider asks, up to ten seconds', async () => {
    const limited = (providerRetryAfterMs: number): Reply => ({
      throws: new ModelError({ message: 'slow down', code: 'RATE_LIMIT', providerRetryAfterMs }),
    })
    const patient = await converse(limited(10_000), [{ text: 'fine' }])
    assert.deepEqual(
      eventsOf(patient.session, 'llm/retry').map(({ data }) => data.delayMs),
      [10_000],
    )
    const refused = await converse(limited(10_001))
    assert.equal(refused.model.requests.length, 1)
    assert.equal(endsOf(refused.session)[0]?.kind, 'error')
  })

  it('is not made for what will not pass by waiting', async () => {
    for (const code of ['AUTH', 'QUOTA', 'CONTEXT_WINDOW_EXCEEDED', 'UNKNOWN']) {
      const { model } = await converse({ throws: new ModelError({ message: 'no', code }) })
      assert.equal(model.requests.length, 1, code)
    }
  })

  it('also follows a stream that broke before anything came', async () => {
    const { model } = await converse([{ cut: http(502) }], [{ end: true }], [{ text: 'fine' }])
    assert.equal(model.requests.length, 3)
  })
})
