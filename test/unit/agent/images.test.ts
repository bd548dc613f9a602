// Pictures on their way to the model: what a request shows, and that the log and the store alone say so.
import assert from 'node:assert/strict'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Attachments, ImageBytes } from '../../../src/agent/attachments.ts'
import { openAgent } from '../../../src/agent/live/live-agent.ts'
import { toPrompt } from '../../../src/agent/request/prompt-messages.ts'
import { imagesFor, requestOf } from '../../../src/agent/request/request.ts'
import { demoModel } from '../../../src/models/demo.ts'
import { type ImageBlock, type Message, newUserMessage, textOf } from '../../../src/session/messages.ts'
import { Session } from '../../../src/session/session.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { gif, png } from '../../support/pictures.ts'
import { endsOf, eventsOf } from '../../support/reading.ts'
import { assertRequestsFromLog } from '../../support/requests.ts'
import { memorySession, testRuntime } from '../../support/runtime.ts'
import { modelsOf, type Reply, ScriptedModel } from '../../support/scripted-model.ts'
import { testTool } from '../../support/test-tool.ts'

const bytes = { board: png(32, 20), sketch: gif(9, 9) }

function block(id: keyof typeof bytes, name?: string): ImageBlock {
  const [mediaType, width, height] = id === 'board' ? (['image/png', 32, 20] as const) : (['image/gif', 9, 9] as const)
  const named = name === undefined ? {} : { name }
  return {
    type: 'image',
    attachment: { attachmentId: id, mediaType, bytes: bytes[id].length, width, height, ...named },
  }
}

/** A store whose pictures a test can lose. */
class MemoryAttachments implements Attachments {
  readonly kept = new Map<string, Uint8Array>(Object.entries(bytes))
  reads = 0

  async read({ attachmentId }: { attachmentId: string }): Promise<Uint8Array | undefined> {
    this.reads++
    return this.kept.get(attachmentId)
  }
}

function talking(replies: readonly Reply[] = [], images?: false) {
  const model = new ScriptedModel(replies)
  const runtime = testRuntime(model, { models: modelsOf(model, images === false ? { images } : {}) })
  const store = new MemoryAttachments()
  Object.assign(runtime, { attachments: store })
  const session = memorySession({}, runtime.now)
  model.log = session
  const agent = openAgent(session, runtime)
  const say = async (text: string, ...blocks: ImageBlock[]) => {
    agent.prompt(newUserMessage(text, { kind: 'user' }, blocks))
    await agent.whenIdle()
    assertInvariants(session)
  }
  return { agent, model, runtime, session, store, say }
}

function upTo(session: Session, length: number | undefined): Session {
  return new Session(session.header, [...session.from()].slice(0, length))
}

const user = (request: Omit<LanguageModelV4CallOptions, 'abortSignal'> | undefined, index = 0) =>
  request?.prompt.flatMap(message => (message.role === 'user' ? [message.content] : []))[index]

describe('The pictures of a prompt', () => {
  const lookup = ({ attachmentId }: { attachmentId: string }) => bytes[attachmentId as keyof typeof bytes]

  it('are files with their bytes, in the order of the message', () => {
    const message = newUserMessage('Like these', { kind: 'user' }, [block('board', 'board.png'), block('sketch')])
    assert.deepEqual(toPrompt(undefined, [message], lookup), [
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: bytes.board }, filename: 'board.png' },
          { type: 'file', mediaType: 'image/gif', data: { type: 'data', data: bytes.sketch } },
          { type: 'text', text: 'Like these' },
        ],
      },
    ])
  })

  it('say so in words when their bytes are missing', () => {
    const message = newUserMessage('', { kind: 'user' }, [block('board', 'board.png')])
    assert.deepEqual(
      toPrompt(undefined, [message], () => undefined),
      [
        {
          role: 'user',
          content: [
            {
              type: 'text',
              text: '[Image board.png, image/png, 32 x 20: its bytes are not stored any more, so it cannot be shown.]',
            },
          ],
        },
      ],
    )
  })

  describe('in a tool result', () => {
    const called = (isError: boolean): Message[] => [
      {
        id: 'a',
        role: 'assistant',
        content: [{ type: 'tool-call', id: '1', name: 'peek', arguments: '{}' }],
        source: { kind: 'model', provider: 'p', model: 'm' },
      },
      {
        id: 'r',
        role: 'user',
        content: [
          { type: 'tool-result', toolCallId: '1', content: [{ type: 'text', text: 'Seen.' }, block('board')], isError },
        ],
        source: { kind: 'tool', callId: '1' },
      },
    ]
    const outputOf = (isError: boolean, images?: ImageBytes) => {
      const [, message] = toPrompt(undefined, called(isError), images)
      const [part] = message?.role === 'tool' ? message.content : []
      return part?.type === 'tool-result' ? part.output : undefined
    }
    const inWords = 'Seen.\n\n[Image board, image/png, 32 x 20]'

    it('are content parts, in the order of the result', () => {
      assert.deepEqual(outputOf(false, lookup), {
        type: 'content',
        value: [
          { type: 'text', text: 'Seen.' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: bytes.board } },
        ],
      })
    })

    it('stand as words for a model that takes none, in a failure, and when their bytes are missing', () => {
      assert.deepEqual(outputOf(false), { type: 'text', value: inWords })
      assert.deepEqual(outputOf(true, lookup), { type: 'error-text', value: inWords })
      const gone = outputOf(false, () => undefined)
      assert.equal(gone?.type, 'text')
      assert.match(JSON.stringify(gone), /its bytes are not stored any more/)
    })
  })
})

describe('A request with pictures', () => {
  it('shows the bytes, grows by appending, and is a function of the log and the store', async () => {
    const { model, session, say, store } = talking()
    await say('Like this', block('board', 'board.png'))
    await say('', block('sketch'), block('board'))
    await say('Thanks')
    const images = await imagesFor(session, store)
    const events = [...session.from()]
    const rebuilt = model.lengths.map(length => requestOf(new Session(session.header, events.slice(0, length)), images))
    assert.deepEqual(model.requests, rebuilt)
    for (const [index, { prompt }] of model.requests.entries()) {
      const before: LanguageModelV4CallOptions['prompt'] = model.requests[index - 1]?.prompt ?? []
      assert.deepEqual(prompt.slice(0, before.length), before)
    }
    assert.deepEqual(
      user(model.requests[1], 1)?.map(part => part.type),
      ['file', 'file'],
    )
    assert.equal(JSON.stringify([...session.from()]).includes(Buffer.from(bytes.board).toString('base64')), false)
  })

  it('reads each picture once, and nothing at all in a conversation without any', async () => {
    const { say, store, session } = talking()
    await say('words only')
    assert.equal(store.reads, 0)
    await say('', block('board'), block('board'))
    assert.equal(store.reads, 1)
    assert.deepEqual(eventsOf(session, 'session/title').length, 1)
  })

  it('goes on after its bytes were lost', async () => {
    const { model, say, store, session } = talking()
    await say('Like this', block('board'))
    store.kept.delete('board')
    await say('Go on')
    assert.match(JSON.stringify(user(model.requests[1])), /its bytes are not stored any more/)
    assert.deepEqual(endsOf(session), [{ kind: 'completed' }, { kind: 'completed' }])
  })

  it('names them in words to a model that takes none, and the log says that it takes none', async () => {
    const { model, say, session, store } = talking([], false)
    await say('Like this', block('board', 'board.png'))
    assert.deepEqual(user(model.requests[0]), [
      { type: 'text', text: '[Image board.png, image/png, 32 x 20]' },
      { type: 'text', text: 'Like this' },
    ])
    assert.equal(store.reads, 0)
    assert.equal(eventsOf(session, 'request/context')[0]?.data.images, false)
    assert.equal(await imagesFor(session, store), undefined)
    assertRequestsFromLog(session, model)
  })

  it('shows what a tool brought, and names it in the log', async () => {
    const { model, runtime, say, session, store } = talking([[{ call: 'peek' }]])
    const peek = () => ({ kind: 'success' as const, text: 'A board.', images: [block('board')] })
    runtime.tools.register(testTool('peek', peek))
    await say('Look')
    const [result] = eventsOf(session, 'tool/result')
    assert.deepEqual(result?.data.message.content, [
      {
        type: 'tool-result',
        toolCallId: 'call-1',
        content: [{ type: 'text', text: 'A board.' }, block('board')],
        isError: false,
      },
    ])
    const images = await imagesFor(session, store)
    assert.deepEqual(model.requests[1]?.prompt, requestOf(upTo(session, model.lengths[1]), images).prompt)
    const shown = model.requests[1]?.prompt.flatMap(message => (message.role === 'tool' ? message.content : []))
    assert.match(JSON.stringify(shown), /"type":"content".*"type":"file","mediaType":"image\/png"/)
  })

  it('lets a person go on after a refusal: the same conversation, to a model that takes none', async () => {
    const { agent, model, runtime, say, session } = talking([{ throws: new Error('no images here') }])
    await say('Like this', block('board'))
    assert.equal(endsOf(session)[0]?.kind, 'error')
    Object.assign(runtime, { models: modelsOf(model, { images: false }) })
    agent.prompt(newUserMessage('In words then'))
    await agent.whenIdle()
    assert.ok(!JSON.stringify(model.requests[1]).includes('"file"'))
    assert.equal(endsOf(session)[1]?.kind, 'completed')
  })

  it('tells the demo what it got', async () => {
    const runtime = testRuntime(undefined, { models: { choose: async () => demoModel({ pause: 0, slowPause: 0 }) } })
    Object.assign(runtime, { attachments: new MemoryAttachments() })
    const session = memorySession({}, runtime.now)
    const agent = openAgent(session, runtime)
    agent.prompt(newUserMessage('', { kind: 'user' }, [block('board'), block('sketch')]))
    await agent.whenIdle()
    const [answer] = eventsOf(session, 'assistant/message')
    assert.match(
      textOf(answer?.data.message ?? { content: [] }),
      /^Demo \(offline, scripted\): I got an image 32 x 20 and an image 9 x 9\. /,
    )
    const used = answer?.data.usage?.inputTokens ?? 0
    assert.ok(used > 0 && used < 2000, `${used}`)
  })
})
