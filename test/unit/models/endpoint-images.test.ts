// Images at an OpenAI-compatible endpoint: as they travel, and when they are refused.
import assert from 'node:assert/strict'
import type { LanguageModelV4CallOptions, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { endpointModel } from '../../../src/models/openai-compatible.ts'
import { ChatServer } from '../../support/chat-server.ts'
import { png } from '../../support/pictures.ts'
import { failureOf, partsOf } from './endpoint.ts'

const picture = png(32, 20)
const withImage: LanguageModelV4CallOptions['prompt'] = [
  {
    role: 'user',
    content: [
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: picture }, filename: 'board.png' },
      { type: 'text', text: 'Like this' },
    ],
  },
]

describe('images at an OpenAI-compatible endpoint', () => {
  it('go as data addresses, before the text', async () => {
    await using server = await ChatServer.start([{ kind: 'answer', text: 'Seen.' }])
    await partsOf(endpointModel({ baseUrl: server.baseUrl, id: 'm-1' }), undefined, withImage)
    const url = `data:image/png;base64,${Buffer.from(picture).toString('base64')}`
    assert.deepEqual(server.requests[0]?.body.messages, [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url } },
          { type: 'text', text: 'Like this' },
        ],
      },
    ])
  })

  it('of tool results come behind their batch, since a tool message holds text only', async () => {
    await using server = await ChatServer.start([{ kind: 'answer', text: 'Seen.' }])
    const call = (toolCallId: string) => ({ type: 'tool-call' as const, toolCallId, toolName: 'read_file', input: {} })
    const file = { type: 'file' as const, mediaType: 'image/png', data: { type: 'data' as const, data: picture } }
    const result = (toolCallId: string, output: LanguageModelV4ToolResultPart['output']) => {
      return { type: 'tool-result' as const, toolCallId, toolName: 'read_file', output }
    }
    await partsOf(endpointModel({ baseUrl: server.baseUrl, id: 'm-1' }), undefined, [
      { role: 'assistant', content: [call('c1'), call('c2')] },
      {
        role: 'tool',
        content: [
          result('c1', { type: 'content', value: [{ type: 'text', text: 'A logo.' }, file] }),
          result('c2', { type: 'text', value: 'Words.' }),
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'Well?' }] },
    ])
    const url = `data:image/png;base64,${Buffer.from(picture).toString('base64')}`
    assert.deepEqual(server.requests[0]?.body.messages?.slice(1), [
      { role: 'tool', tool_call_id: 'c1', content: 'A logo.' },
      { role: 'tool', tool_call_id: 'c2', content: 'Words.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[What the call c1 of read_file shows:]' },
          { type: 'image_url', image_url: { url } },
        ],
      },
      { role: 'user', content: 'Well?' },
    ])
  })

  it('that are refused are UNSUPPORTED_CONTENT, with what to do', async () => {
    const refusals: [number, string][] = [
      [400, 'Invalid content type. image_url is only supported by certain models.'],
      [422, 'messages[0]: unknown variant `image_url`, expected `text`'],
      [404, 'No endpoints found that support image input'],
      [400, 'm-1 is not a multimodal model'],
      [400, 'content must be a string'],
      [500, 'image input is not supported, provide the projector'],
    ]
    for (const [status, message] of refusals) {
      const failure = await failureOf({ kind: 'status', status, body: { error: { message } } }, {}, withImage)
      assert.equal(failure.code, 'UNSUPPORTED_CONTENT', message)
      assert.match(
        failure.message,
        /^The model m-1 at 127\.0\.0\.1:\d+ takes no images\. Choose a model that does, or turn the setting planMode\.model\.images off/,
      )
      const words = await failureOf({ kind: 'status', status, body: { error: { message } } })
      assert.notEqual(words.code, 'UNSUPPORTED_CONTENT', `without an image: ${message}`)
    }
  })

  it('leave other failures what they are', async () => {
    const others: [number, string, string][] = [
      [401, 'No image for you', 'AUTH'],
      [429, 'Too many images', 'RATE_LIMIT'],
      [500, 'boom', 'SERVER'],
      [400, 'Bad parameter', 'BAD_REQUEST'],
    ]
    for (const [status, message, code] of others) {
      const failure = await failureOf({ kind: 'status', status, body: { error: { message } } }, {}, withImage)
      assert.equal(failure.code, code, message)
    }
  })
})
