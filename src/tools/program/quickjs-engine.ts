import { readFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { Bridge, CodeEngine, Program, ProgramEnd } from '../../agent/code/engine.ts'
import { type FromWorker, fromWorker } from './messages.ts'
import type { EngineParts, ToWorker } from './protocol.ts'

/** Where the worker's script and the engine's WebAssembly lie: paths or file URLs. */
export interface EngineFiles {
  readonly worker: string | URL
  readonly wasm: string | URL
}

/** How long a worker may take to start, and beyond the program's own bound to say that it ended; in milliseconds. */
export interface EnginePatience {
  readonly startMs: number
  readonly endMs: number
}

/**
 * Runs programs in QuickJS, in WebAssembly, in a worker thread that lives for one program. The program's own bounds hold
 * inside; a worker that does not come back is terminated from here. The WebAssembly is compiled once.
 */
export class QuickJsEngine implements CodeEngine, AsyncDisposable {
  readonly #files: EngineFiles
  readonly #patience: EnginePatience
  readonly #running = new Set<WorkerRun>()
  readonly #disposal = new AbortController()
  #wasm: Promise<WebAssembly.Module> | undefined

  constructor(files: EngineFiles, patience: EnginePatience = { startMs: 60_000, endMs: 2_000 }) {
    this.#files = files
    this.#patience = patience
  }

  /** Worker threads at work. */
  get running(): number {
    return this.#running.size
  }

  async run(program: Program, bridge: Bridge, signal: AbortSignal): Promise<ProgramEnd> {
    const either = AbortSignal.any([signal, this.#disposal.signal])
    let wasm: WebAssembly.Module
    try {
      wasm = await this.#compiled()
    } catch {
      return broken
    }
    if (either.aborted) return { kind: 'stopped', output: '' }
    const run = new WorkerRun(this.#files.worker, wasm, program, bridge, this.#patience)
    this.#running.add(run)
    const stop = () => run.stop()
    either.addEventListener('abort', stop, { once: true })
    const end = await run.end
    either.removeEventListener('abort', stop)
    this.#running.delete(run)
    return end
  }

  /** Ends what runs; resolves when no worker is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposal.abort()
    await Promise.all([...this.#running].map(run => run.end))
  }

  #compiled(): Promise<WebAssembly.Module> {
    this.#wasm ??= readFile(this.#files.wasm).then(bytes => WebAssembly.compile(bytes))
    return this.#wasm
  }
}

const broken: ProgramEnd = { kind: 'failed', output: '', problem: 'the engine could not run it' }

/** One worker from its start to its termination; `end` resolves when the thread is gone. */
class WorkerRun {
  readonly end: Promise<ProgramEnd>
  readonly #worker: Worker
  readonly #program: Program
  readonly #bridge: Bridge
  readonly #patience: EnginePatience
  readonly #over: (end: ProgramEnd) => void
  #timer: NodeJS.Timeout | undefined
  #isOver = false
  #sent = 0
  /** Milliseconds it has computed, as seen from here, and since when it computes. */
  #spent = 0
  #since = 0

  constructor(
    file: string | URL,
    wasm: WebAssembly.Module,
    program: Program,
    bridge: Bridge,
    patience: EnginePatience,
  ) {
    const { promise, resolve } = Promise.withResolvers<ProgramEnd>()
    this.#over = resolve
    this.#program = program
    this.#bridge = bridge
    this.#patience = patience
    this.#worker = new Worker(file, {
      workerData: { wasm, memoryBytes: program.bounds.memoryBytes } satisfies EngineParts,
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 },
    })
    this.#worker.on('message', text => this.#receive(text))
    this.#worker.on('error', () => this.#finish(broken))
    this.#worker.on('exit', () => this.#finish(broken))
    this.#watch(patience.startMs)
    this.end = promise.then(end => this.#worker.terminate().then(() => end))
  }

  stop(): void {
    this.#finish({ kind: 'stopped', output: '' })
  }

  #finish(end: ProgramEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#over(end)
  }

  #receive(text: unknown): void {
    if (this.#isOver) return
    const message = parse(text)
    switch (message?.kind) {
      case 'ready':
        if (this.#sent === 0) this.#send({ kind: 'program', program: this.#program })
        break
      case 'call':
        void this.#call(message)
        break
      case 'rests':
        if (message.after === this.#sent) this.#rest()
        break
      case 'ended':
        this.#finish(message.end)
        break
      case undefined:
        this.#finish(broken)
    }
  }

  async #call({ id, name, args }: Extract<FromWorker, { kind: 'call' }>): Promise<void> {
    try {
      const answer = await this.#bridge(name, args)
      if (!this.#isOver) this.#send({ kind: 'answer', id, answer })
    } catch {
      this.stop() // whoever gave the bridge knows why
    }
  }

  #send(message: ToWorker): void {
    this.#sent++
    if (this.#since === 0) {
      this.#since = performance.now()
      this.#watch(this.#program.bounds.computeMs - this.#spent + this.#patience.endMs)
    }
    this.#worker.postMessage(JSON.stringify(message))
  }

  #rest(): void {
    this.#spent += performance.now() - this.#since
    this.#since = 0
    clearTimeout(this.#timer)
  }

  #watch(ms: number): void {
    clearTimeout(this.#timer)
    const { computeMs } = this.#program.bounds
    const problem = `it computed longer than ${computeMs / 1000} seconds`
    const late: ProgramEnd = this.#sent === 0 ? broken : { kind: 'failed', output: '', problem }
    this.#timer = setTimeout(() => this.#finish(late), Math.max(0, ms))
  }
}

/** Undefined for what no worker of ours says. */
function parse(text: unknown): FromWorker | undefined {
  if (typeof text !== 'string') return undefined
  try {
    return fromWorker.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
