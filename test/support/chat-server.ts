// A real HTTP server on loopback that streams chat completions from a script, and can misbehave in every way a test needs.
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

/** What the server does with one request. `arguments` as a string is sent as it is, valid JSON or not. */
export type ChatStep =
  | {
      readonly kind: 'answer'
      readonly reasoning?: string
      readonly text?: string
      readonly tools?: readonly { readonly id?: string; readonly name: string; readonly arguments: string | object }[]
      /** Milliseconds between pieces of text. */
      readonly pause?: number
      /** Awaited before the last piece of a tool's arguments is sent. */
      readonly hold?: Promise<unknown>
      readonly finish?: 'stop' | 'tool_calls' | 'length'
    }
  /** A plain HTTP answer, such as 401, 429 with `retry-after`, 500, or a redirect with `location`. */
  | {
      readonly kind: 'status'
      readonly status: number
      readonly headers?: Record<string, string>
      readonly body?: unknown
    }
  /** Starts to answer and stops in the middle: `reset` drops the connection, `end` closes the answer without a finish. */
  | { readonly kind: 'cut'; readonly text: string; readonly how: 'reset' | 'end' }
  /** Streams raw event data, for answers that are no chat completion. */
  | { readonly kind: 'events'; readonly events: readonly string[] }
  /** Sends `text`, if any, and then nothing more until the client goes away. */
  | { readonly kind: 'hang'; readonly text?: string }

export interface ChatRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: { readonly model?: string; readonly messages?: readonly unknown[]; readonly [key: string]: unknown }
}

/** Uses the steps in order; with none left it answers 500. A function decides by the request instead. */
export type ChatScript = readonly ChatStep[] | ((request: ChatRequest, index: number) => ChatStep)

export class ChatServer implements AsyncDisposable {
  /** Every request that arrived, oldest first. */
  readonly requests: ChatRequest[] = []
  readonly #server: Server
  readonly #script: ChatScript

  private constructor(script: ChatScript) {
    this.#script = script
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy())
    })
  }

  static async start(script: ChatScript): Promise<ChatServer> {
    const server = new ChatServer(script)
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** What `planMode.model.baseUrl` is set to. */
  get baseUrl(): string {
    return `${this.origin}/v1`
  }

  /** Drops every connection and resolves when the port is free. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request)
    const seen: ChatRequest = { path: request.url ?? '', headers: request.headers, body: JSON.parse(body || '{}') }
    const index = this.requests.push(seen) - 1
    const step = typeof this.#script === 'function' ? this.#script(seen, index) : this.#script[index]
    await play(
      step ?? { kind: 'status', status: 500, body: { error: { message: 'The script has no step left.' } } },
      response,
    )
  }
}

/** A base URL on loopback where nothing listens. */
export async function unreachableBaseUrl(): Promise<string> {
  await using server = await ChatServer.start([])
  return server.baseUrl
}

async function play(step: ChatStep, response: ServerResponse): Promise<void> {
  switch (step.kind) {
    case 'answer':
      return await answer(step, response)
    case 'status':
      response.writeHead(step.status, { 'content-type': 'application/json', ...step.headers })
      response.end(typeof step.body === 'string' ? step.body : JSON.stringify(step.body ?? {}))
      return
    case 'cut':
      open(response)
      send(response, delta({ role: 'assistant', content: step.text }))
      if (step.how === 'end') response.end()
      else {
        // The bytes must be on their way before the connection drops, or the client sees no answer at all.
        await delay(20)
        response.destroy()
      }
      return
    case 'events':
      open(response)
      for (const event of step.events) response.write(`data: ${event}\n\n`)
      response.end()
      return
    case 'hang':
      if (step.text !== undefined) {
        open(response)
        send(response, delta({ role: 'assistant', content: step.text }))
      }
      await once(response, 'close')
  }
}

async function answer(step: Extract<ChatStep, { kind: 'answer' }>, response: ServerResponse): Promise<void> {
  open(response)
  send(response, delta({ role: 'assistant', content: '' }))
  if (step.reasoning !== undefined) send(response, delta({ reasoning_content: step.reasoning }))
  for (const piece of step.text?.match(/.{1,12}/gsu) ?? []) {
    send(response, delta({ content: piece }))
    if (step.pause !== undefined) await delay(step.pause)
  }
  for (const [index, { id = `call_${crypto.randomUUID()}`, name, arguments: given }] of (step.tools ?? []).entries()) {
    send(response, delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }))
    const text = typeof given === 'string' ? given : JSON.stringify(given)
    const pieces = text.match(/.{1,16}/gsu) ?? []
    for (const [at, piece] of pieces.entries()) {
      if (at === pieces.length - 1) await step.hold
      send(response, delta({ tool_calls: [{ index, function: { arguments: piece } }] }))
    }
  }
  send(response, delta({}, step.finish ?? (step.tools === undefined ? 'stop' : 'tool_calls')))
  send(response, { choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } })
  response.end('data: [DONE]\n\n')
}

function open(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
}

function send(response: ServerResponse, chunk: object): void {
  response.write(
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, ...chunk })}\n\n`,
  )
}

function delta(part: object, finish: string | null = null): object {
  return { choices: [{ index: 0, delta: part, finish_reason: finish }] }
}
