import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Block, Chunk } from '../../session/messages.ts'

type BlockType = 'text' | 'reasoning' | 'tool-call'
type Metadata = { [provider: string]: unknown }

/** One block of an answer; `metadata` is what its provider sent along for later requests. */
export interface AssembledBlock {
  readonly block: Block
  readonly metadata: Metadata | null
}

interface StreamBlock {
  readonly index: number
  readonly type: BlockType
  /** Of a tool call: the id under which it is logged, and its name. */
  readonly callId: string
  readonly name: string
  text: string
  named: boolean
  metadata: Metadata | undefined
}

/**
 * Turns stream parts into chunks (session-log format, section 4.3) and the blocks they add up to. Parts that are no
 * model output of their own kind (sources, files, provider-run tools, kinds yet unknown) pass without effect.
 */
export class BlockStream {
  readonly #emit: (chunk: Chunk) => void
  readonly #blocks: StreamBlock[] = []
  /** Blocks that still grow, by kind and the provider's own id; providers use an id again once its block ended. */
  readonly #growing = new Map<string, StreamBlock>()
  readonly #callIds = new Set<string>()
  readonly #providerRun = new Set<string>()

  constructor(emit: (chunk: Chunk) => void) {
    this.#emit = emit
  }

  /** True once anything came that a person could have seen. */
  get visible(): boolean {
    return this.#blocks.length > 0
  }

  accept(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        this.#words(part.type === 'text-delta' ? 'text' : 'reasoning', part.id, part.delta, part.providerMetadata)
        break
      case 'text-end':
        this.#wordsEnd('text', part.id, part.providerMetadata)
        break
      case 'reasoning-end':
        this.#wordsEnd('reasoning', part.id, part.providerMetadata)
        break
      case 'tool-input-start':
        if (part.providerExecuted === true) this.#providerRun.add(part.id)
        else this.#open('tool-call', part.id, part.toolName)
        break
      case 'tool-input-delta':
        this.#argumentsDelta(part.id, part.delta)
        break
      case 'tool-call':
        if (part.providerExecuted !== true) {
          this.#call(part.toolCallId, part.toolName, part.input, part.providerMetadata)
        }
        break
      default:
        break
    }
  }

  /** Ends the blocks that still grow, as they are. */
  close(): void {
    for (const [key, block] of this.#growing) this.#end(key, block)
  }

  /** The blocks in order of their first appearance, without empty words. */
  assembled(): readonly AssembledBlock[] {
    const kept = this.#blocks.filter(block => block.type === 'tool-call' || block.text !== '')
    return kept.map(block => ({ block: blockOf(block), metadata: block.metadata ?? null }))
  }

  /** A block opens with its first words, so that an empty one never shows. */
  #words(type: 'text' | 'reasoning', id: string, delta: string, metadata: Metadata | undefined): void {
    if (delta === '') return
    const block = this.#growing.get(keyOf(type, id)) ?? this.#open(type, id, '')
    block.text += delta
    block.metadata = metadata ?? block.metadata
    const { index } = block
    this.#emit(
      type === 'text' ? { type: 'text-delta', index, text: delta } : { type: 'reasoning-delta', index, text: delta },
    )
  }

  #wordsEnd(type: 'text' | 'reasoning', id: string, metadata: Metadata | undefined): void {
    const key = keyOf(type, id)
    const block = this.#growing.get(key)
    if (block === undefined) return
    block.metadata = metadata ?? block.metadata
    this.#end(key, block)
  }

  #argumentsDelta(id: string, delta: string): void {
    const block = this.#growing.get(keyOf('tool-call', id))
    if (block === undefined || this.#providerRun.has(id) || delta === '') return
    block.text += delta
    this.#emitArguments(block, delta)
  }

  /** The complete call is authoritative over the deltas that announced it. */
  #call(id: string, name: string, input: string, metadata: Metadata | undefined): void {
    const key = keyOf('tool-call', id)
    const block = this.#growing.get(key) ?? this.#open('tool-call', id, name)
    if (block.text === '' && input !== '') this.#emitArguments(block, input)
    block.text = input
    block.metadata = metadata ?? block.metadata
    this.#end(key, block)
  }

  #emitArguments(block: StreamBlock, argumentsDelta: string): void {
    const named = block.named ? {} : { name: block.name }
    block.named = true
    this.#emit({ type: 'tool-call-delta', index: block.index, id: block.callId, ...named, argumentsDelta })
  }

  #open(type: BlockType, id: string, name: string): StreamBlock {
    const key = keyOf(type, id)
    const before = this.#growing.get(key)
    if (before !== undefined) this.#end(key, before)
    const callId = type === 'tool-call' ? this.#uniqueCallId(id) : ''
    const index = this.#blocks.length
    const block: StreamBlock = { index, type, callId, name, text: '', named: false, metadata: undefined }
    this.#blocks.push(block)
    this.#growing.set(key, block)
    this.#emit({ type: 'block-start', index, blockType: type })
    return block
  }

  #end(key: string, block: StreamBlock): void {
    this.#growing.delete(key)
    this.#emit({ type: 'block-end', index: block.index, block: blockOf(block) })
  }

  /** Results are matched to calls by id: an empty one, or one that this answer used already, is replaced. */
  #uniqueCallId(id: string): string {
    const unique = id === '' || this.#callIds.has(id) ? crypto.randomUUID() : id
    this.#callIds.add(unique)
    return unique
  }
}

function keyOf(type: BlockType, id: string): string {
  return `${type} ${id}`
}

function blockOf(block: StreamBlock): Block {
  return block.type === 'tool-call'
    ? { type: 'tool-call', id: block.callId, name: block.name, arguments: block.text }
    : { type: block.type, text: block.text }
}
