import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Characters of a text that is drawn at most, and of its picture. */
export const BOUNDS = { text: 20_000, picture: 2_000_000 } as const

/** Milliseconds that the thread may take to start and to draw one, and that it waits for another. */
export interface DrawingPatience {
  readonly startMs: number
  readonly drawMs: number
  readonly idleMs: number
}

/** The kinds that the library draws with the theme's own colours alone. */
const DRAWN = /^(?:graph|flowchart|stateDiagram(?:-v2)?|sequenceDiagram|classDiagram|erDiagram)\b/

/**
 * Draws Mermaid diagrams as SVG, in a thread that is there only while there is something to draw. The pictures are of
 * hostile texts: whoever shows them cleans them first. One that does not end is ended from here, with its thread.
 */
export class Diagrams implements AsyncDisposable {
  readonly #file: string | URL
  readonly #patience: DrawingPatience
  #worker: Promise<Worker> | undefined
  #last: Promise<unknown> = Promise.resolve()
  #idle: NodeJS.Timeout | undefined

  /** `file`: the built worker. */
  constructor(file: string | URL, patience: DrawingPatience = { startMs: 30_000, drawMs: 3_000, idleMs: 10_000 }) {
    this.#file = file
    this.#patience = patience
  }

  /** Whether a thread is there. */
  get working(): boolean {
    return this.#worker !== undefined
  }

  /** One after the other; undefined for a text that cannot be drawn within the bounds. */
  draw(text: string): Promise<string | undefined> {
    const source = withoutDirectives(text)
    if (text.length > BOUNDS.text || !DRAWN.test(source)) return Promise.resolve(undefined)
    const drawn = this.#last.then(() => this.#draw(source))
    this.#last = drawn
    return drawn
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle)
    await this.#end()
  }

  async #draw(text: string): Promise<string | undefined> {
    clearTimeout(this.#idle)
    try {
      const { startMs, drawMs, idleMs } = this.#patience
      this.#worker ??= start(this.#file, startMs)
      const worker = await this.#worker
      const answer = await answerOf(worker, drawMs, () => worker.postMessage(text))
      this.#idle = setTimeout(() => void this.#end(), idleMs)
      this.#idle.unref()
      const isPicture = typeof answer === 'string' && answer.length <= BOUNDS.picture && answer.includes('<text')
      return isPicture ? answer : undefined
    } catch {
      // It took too long, or more than the thread may have: the next diagram gets a new one.
      await this.#end()
      return undefined
    }
  }

  async #end(): Promise<void> {
    const ended = this.#worker
    this.#worker = undefined
    await ended?.then(
      worker => worker.terminate(),
      () => undefined,
    )
  }
}

/** What a text says of its looks and its safety is not for it to say. */
function withoutDirectives(text: string): string {
  return text
    .replace(/^\s*---\n[\s\S]*?\n---\n/, '')
    .replace(/%%\{[\s\S]*?\}%%/g, '')
    .trimStart()
}

async function start(file: string | URL, ms: number): Promise<Worker> {
  const worker = new Worker(file, {
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 },
  })
  worker.unref()
  try {
    await answerOf(worker, ms, () => undefined)
  } catch (error) {
    await worker.terminate()
    throw error
  }
  return worker
}

/** The next message of a worker. @throws when it fails, ends, or says nothing for so many milliseconds. */
async function answerOf(worker: Worker, ms: number, ask: () => void): Promise<unknown> {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), ms)
  const ended = () => over.abort()
  worker.once('exit', ended)
  try {
    const answer = once(worker, 'message', { signal: over.signal })
    ask()
    return (await answer)[0]
  } finally {
    clearTimeout(timer)
    worker.off('exit', ended)
  }
}
