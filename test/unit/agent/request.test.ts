import assert from 'node:assert/strict'
import { toPrompt } from '../../../src/agent/request/prompt-messages.ts'
import { requestOf } from '../../../src/agent/request/request.ts'
import type { AssistantMessage, Block, Message, ToolMessage } from '../../../src/session/messages.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { assertRequestsFromLog } from '../../support/requests.ts'
import { memorySession, testAgent } from '../../support/runtime.ts'
import { testTool } from '../../support/test-tool.ts'

function assistant(content: Block[], more: object = {}): AssistantMessage {
  return { id: 'a', role: 'assistant', content, source: { kind: 'model', provider: 'p', model: 'm', ...more } }
}

function result(callId: string, text: string, isError = false): ToolMessage {
  const content: Block[] = [{ type: 'tool-result', toolCallId: callId, content: [{ type: 'text', text }], isError }]
  return { id: `r-${callId}`, role: 'user', content, source: { kind: 'tool', callId } }
}

const call = (id: string, args = '{}', name = 'peek'): Block => ({ type: 'tool-call', id, name, arguments: args })
const lost = { type: 'error-text', value: 'Error: no result of this call was recorded.' }

describe('a prompt', () => {
  it('maps each kind of message to its role', () => {
    const messages: Message[] = [
      newUserMessage('go'),
      assistant([
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'looking' },
        call('1', '{"path":"x"}'),
        call('2'),
      ]),
      result('1', 'found'),
      result('2', 'Error: gone', true),
      newUserMessage('and'),
      newUserMessage('more'),
    ]
    assert.deepEqual(toPrompt('Be brief.', messages), [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'looking' },
          { type: 'tool-call', toolCallId: '1', toolName: 'peek', input: { path: 'x' } },
          { type: 'tool-call', toolCallId: '2', toolName: 'peek', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: '1', toolName: 'peek', output: { type: 'text', value: 'found' } },
          {
            type: 'tool-result',
            toolCallId: '2',
            toolName: 'peek',
            output: { type: 'error-text', value: 'Error: gone' },
          },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'and' }] },
      { role: 'user', content: [{ type: 'text', text: 'more' }] },
    ])
    assert.deepEqual(toPrompt(undefined, []), [])
  })

  it('gives arguments as an object, whatever the model sent', () => {
    const inputs = ['', ' ', '{"a":1}', '{"a":', '[1]', '"x"', 'null'].map(args => {
      const [message] = toPrompt(undefined, [assistant([call('1', args)])])
      const part = message?.role === 'assistant' ? message.content[0] : undefined
      return part?.type === 'tool-call' ? part.input : assert.fail()
    })
    const kept = ['{"a":', '[1]', '"x"', 'null'].map(unparsed => ({ unparsed }))
    assert.deepEqual(inputs, [{}, {}, { a: 1 }, ...kept])
  })

  it('answers a call that has no result, and drops a result that has no call', () => {
    const prompt = toPrompt(undefined, [
      result('0', 'of a call that was summarised away'),
      assistant([call('1'), call('2')]),
      result('2', 'late'),
      newUserMessage('go'),
      result('1', 'too late'),
    ])
    assert.deepEqual(prompt.slice(1), [
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: '2', toolName: 'peek', output: { type: 'text', value: 'late' } },
          { type: 'tool-result', toolCallId: '1', toolName: 'peek', output: lost },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
    ])
  })

  it('never has an empty message or a nameless call', () => {
    const prompt = toPrompt(undefined, [
      newUserMessage(''),
      assistant([{ type: 'text', text: '' }]),
      assistant([call('1', '{}', '')]),
    ])
    assert.deepEqual(
      prompt.map(message => message.role),
      ['assistant', 'tool'],
    )
    assert.match(JSON.stringify(prompt[0]), /"toolName":"unknown"/)
  })

  it('names a picture in words', () => {
    const attachment = {
      attachmentId: 'i',
      mediaType: 'image/png' as const,
      bytes: 9,
      width: 2,
      height: 3,
      name: 'a.png',
    }
    const message = { ...newUserMessage('see'), content: [{ type: 'image' as const, attachment }] }
    assert.deepEqual(toPrompt(undefined, [message])[0]?.content, [
      { type: 'text', text: '[Image a.png, image/png, 2 x 3]' },
    ])
  })

  it('gives a provider back what it sent with a block', () => {
    const replayState = { blocks: [{ anthropic: { signature: 's' } }, null] }
    const message = assistant(
      [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'Hi' },
      ],
      { replayState },
    )
    assert.deepEqual(toPrompt(undefined, [message])[0]?.content, [
      { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 's' } } },
      { type: 'text', text: 'Hi' },
    ])
    const foreign = assistant([{ type: 'text', text: 'Hi' }], { replayState: { response: 'opaque' } })
    assert.deepEqual(toPrompt(undefined, [foreign])[0]?.content, [{ type: 'text', text: 'Hi' }])
  })
})

describe('a request', () => {
  it('is a pure function of the log', async () => {
    const { agent, session, runtime, model } = testAgent([
      [
        { reasoning: 'hm' },
        { text: 'looking' },
        { call: 'peek', args: { path: 'x' } },
        { call: 'absent', args: '{"broken' },
      ],
      [{ part: { type: 'text-delta', id: '0', delta: 'signed', providerMetadata: { p: { signature: 's' } } } }],
      [{ text: 'partial' }, { finish: 'length' }],
      { throws: new Error('odd') },
      [{ text: 'done' }],
    ])
    let guidance: string | undefined
    runtime.tools.register(testTool('peek'))
    runtime.prompt.register({ name: 'plan', order: 50, render: () => guidance })
    for (const text of ['one', 'two', 'three', 'four']) {
      agent.prompt(newUserMessage(text))
      await agent.whenIdle()
      guidance = `Guidance after ${text}.`
    }
    assert.equal(model.requests.length, 5)
    assertRequestsFromLog(session, model)
  })

  it('only ever grows by appending while the header stays', async () => {
    const { agent, runtime, model } = testAgent([[{ call: 'peek' }, { call: 'peek' }], [{ text: 'one' }]])
    runtime.tools.register(testTool('peek'))
    for (const text of ['one', 'two', 'three']) {
      agent.prompt(newUserMessage(text))
      await agent.whenIdle()
    }
    for (const [index, { prompt }] of model.requests.entries()) {
      const before = model.requests[index - 1]?.prompt ?? []
      assert.deepEqual(prompt.slice(0, before.length), before)
    }
  })

  it('needs a header in the log', () => {
    assert.throws(() => requestOf(memorySession()), { code: 'NO_REQUEST' })
  })
})
