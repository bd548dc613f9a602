import assert from 'node:assert/strict'
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { BlockStream } from '../../../src/agent/request/stream.ts'
import { usageOf } from '../../../src/agent/request/usage.ts'
import type { Chunk } from '../../../src/session/messages.ts'

function play(...parts: LanguageModelV4StreamPart[]): { chunks: Chunk[]; stream: BlockStream } {
  const chunks: Chunk[] = []
  const stream = new BlockStream(chunk => chunks.push(chunk))
  for (const part of parts) stream.accept(part)
  return { chunks, stream }
}

const blocksOf = (stream: BlockStream) => stream.assembled().map(({ block }) => block)

describe('the blocks of a stream', () => {
  it('become chunks; an end carries the whole block', () => {
    const { chunks, stream } = play(
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'hm' },
      { type: 'reasoning-end', id: '0' },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Ha' },
      { type: 'text-delta', id: '1', delta: 'llo' },
      { type: 'text-end', id: '1' },
    )
    assert.deepEqual(chunks, [
      { type: 'block-start', index: 0, blockType: 'reasoning' },
      { type: 'reasoning-delta', index: 0, text: 'hm' },
      { type: 'block-end', index: 0, block: { type: 'reasoning', text: 'hm' } },
      { type: 'block-start', index: 1, blockType: 'text' },
      { type: 'text-delta', index: 1, text: 'Ha' },
      { type: 'text-delta', index: 1, text: 'llo' },
      { type: 'block-end', index: 1, block: { type: 'text', text: 'Hallo' } },
    ])
    assert.deepEqual(blocksOf(stream), [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'Hallo' },
    ])
  })

  it('keep interleaved blocks apart, in order of their first words', () => {
    const { stream } = play(
      { type: 'text-start', id: 'a' },
      { type: 'text-start', id: 'b' },
      { type: 'text-delta', id: 'b', delta: 'B1' },
      { type: 'text-delta', id: 'a', delta: 'A1' },
      { type: 'text-delta', id: 'b', delta: 'B2' },
      { type: 'text-end', id: 'b' },
      { type: 'text-delta', id: 'a', delta: 'A2' },
    )
    stream.close()
    assert.deepEqual(blocksOf(stream), [
      { type: 'text', text: 'B1B2' },
      { type: 'text', text: 'A1A2' },
    ])
  })

  it('are told apart when a provider uses an id again', () => {
    const text = (delta: string): LanguageModelV4StreamPart[] => [
      { type: 'text-start', id: 'txt-0' },
      { type: 'text-delta', id: 'txt-0', delta },
      { type: 'text-end', id: 'txt-0' },
    ]
    const { stream } = play(...text('one'), ...text('two'))
    assert.deepEqual(blocksOf(stream), [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ])
  })

  it('never show when they are empty', () => {
    const { chunks, stream } = play(
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: '' },
      { type: 'text-end', id: '0' },
    )
    assert.deepEqual(chunks, [])
    assert.equal(stream.visible, false)
  })

  it('name a call on its first delta, and trust the complete call', () => {
    const { chunks, stream } = play(
      { type: 'tool-input-start', id: 'c', toolName: 'peek' },
      { type: 'tool-input-delta', id: 'c', delta: '{"p' },
      { type: 'tool-input-delta', id: 'c', delta: 'ath":1}' },
      { type: 'tool-input-end', id: 'c' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'peek', input: '{"path":"x"}' },
    )
    assert.deepEqual(chunks, [
      { type: 'block-start', index: 0, blockType: 'tool-call' },
      { type: 'tool-call-delta', index: 0, id: 'c', name: 'peek', argumentsDelta: '{"p' },
      { type: 'tool-call-delta', index: 0, id: 'c', argumentsDelta: 'ath":1}' },
      {
        type: 'block-end',
        index: 0,
        block: { type: 'tool-call', id: 'c', name: 'peek', arguments: '{"path":"x"}' },
      },
    ])
    assert.equal(blocksOf(stream).length, 1)
  })

  it('take a call that comes without deltas, and deltas that come without a call', () => {
    const { chunks, stream } = play(
      { type: 'tool-call', toolCallId: 'a', toolName: 'peek', input: '{}' },
      { type: 'tool-input-start', id: 'b', toolName: 'peek' },
      { type: 'tool-input-delta', id: 'b', delta: '{"path":' },
    )
    stream.close()
    assert.deepEqual(chunks[1], { type: 'tool-call-delta', index: 0, id: 'a', name: 'peek', argumentsDelta: '{}' })
    assert.deepEqual(blocksOf(stream), [
      { type: 'tool-call', id: 'a', name: 'peek', arguments: '{}' },
      { type: 'tool-call', id: 'b', name: 'peek', arguments: '{"path":' },
    ])
  })

  it('give every call of one answer an id of its own', () => {
    const { stream } = play(
      { type: 'tool-call', toolCallId: 'x', toolName: 'peek', input: '{"path":"1"}' },
      { type: 'tool-call', toolCallId: 'x', toolName: 'peek', input: '{"path":"2"}' },
      { type: 'tool-call', toolCallId: '', toolName: 'peek', input: '{"path":"3"}' },
    )
    const ids = blocksOf(stream).map(block => (block.type === 'tool-call' ? block.id : ''))
    assert.equal(ids[0], 'x')
    assert.equal(new Set(ids).size, 3)
    assert.ok(ids.every(id => id !== ''))
  })

  it('leave out what the provider ran itself and what this build does not know', () => {
    const unknown = { type: 'hologram', id: '7' } as unknown as LanguageModelV4StreamPart
    const { chunks } = play(
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'r' },
      { type: 'tool-input-start', id: 's', toolName: 'web', providerExecuted: true },
      { type: 'tool-input-delta', id: 's', delta: '{}' },
      { type: 'tool-call', toolCallId: 's', toolName: 'web', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 's', toolName: 'web', result: 'found' },
      { type: 'source', sourceType: 'url', id: 'u', url: 'https://example.org' },
      { type: 'raw', rawValue: 1 },
      { type: 'ping' },
      unknown,
    )
    assert.deepEqual(chunks, [])
  })

  it('carry what the provider wants back with them', () => {
    const { stream } = play(
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'hm' },
      { type: 'reasoning-end', id: '0', providerMetadata: { anthropic: { signature: 's' } } },
      { type: 'text-delta', id: '1', delta: 'Hi' },
    )
    assert.deepEqual(
      stream.assembled().map(({ metadata }) => metadata),
      [{ anthropic: { signature: 's' } }, null],
    )
  })
})

describe('usage', () => {
  const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }
  const silent = { total: undefined, text: undefined, reasoning: undefined }

  it('takes cached input and reasoning out of the totals', () => {
    const usage = usageOf({
      inputTokens: { total: 100, noCache: undefined, cacheRead: 60, cacheWrite: 10 },
      outputTokens: { total: 50, text: undefined, reasoning: 20 },
    })
    assert.deepEqual(usage, {
      inputTokens: 30,
      outputTokens: 30,
      cacheReadTokens: 60,
      cacheWriteTokens: 10,
      reasoningTokens: 20,
    })
  })

  it('prefers the counts that are disjoint already', () => {
    const usage = usageOf({
      inputTokens: { total: 100, noCache: 35, cacheRead: 65, cacheWrite: undefined },
      outputTokens: { total: 50, text: 44, reasoning: 6 },
    })
    assert.deepEqual(usage, { inputTokens: 35, outputTokens: 44, cacheReadTokens: 65, reasoningTokens: 6 })
  })

  it('is absent when nothing was counted, and never negative or broken', () => {
    assert.equal(usageOf({ inputTokens: none, outputTokens: silent }), undefined)
    assert.deepEqual(
      usageOf({
        inputTokens: { ...none, total: 5, cacheRead: 9 },
        outputTokens: { ...silent, total: Number.NaN },
      }),
      { inputTokens: 0, outputTokens: 0, cacheReadTokens: 9 },
    )
  })
})
