import type { QuickJSContext, QuickJSDeferredPromise, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core'
import type { BridgeAnswer, CodeBounds, Program } from '../../agent/code/engine.ts'
import { BoundedLog, bounded } from './bounded-log.ts'
import { compile, FILE } from './compile.ts'
import type { Ended } from './messages.ts'
import { PRELUDE } from './prelude.ts'

type Calls = (id: number, name: string, args: string) => void

const UNSHOWN = 'it threw something that cannot be shown'

/** What is left of an error for which no room was left. */
const nameless: ReadonlySet<string> = new Set(['', 'null', UNSHOWN])

/** How many jobs run before the clock is asked again. */
const JOBS = 1_000

/** One program in a fresh QuickJS context. Texts go in and out, nothing else; the owner throws the whole engine away after. */
export class Sandbox {
  readonly #engine: QuickJSWASMModule
  readonly #vm: QuickJSContext
  readonly #bounds: CodeBounds
  readonly #calls: Calls
  readonly #log: BoundedLog
  readonly #waiting = new Map<number, QuickJSDeferredPromise>()
  #end: QuickJSHandle | undefined
  #count = 0
  /** Milliseconds computed in slices that are over, and when the slice at work began. */
  #spent = 0
  #since = 0

  constructor(engine: QuickJSWASMModule, bounds: CodeBounds, calls: Calls) {
    this.#engine = engine
    const runtime = engine.newRuntime()
    runtime.setMaxStackSize(bounds.stackBytes)
    runtime.setInterruptHandler(() => this.#isLate)
    this.#vm = runtime.newContext()
    this.#bounds = bounds
    this.#calls = calls
    this.#log = new BoundedLog(bounds.outputChars)
  }

  /** Starts the program. Undefined while it waits for answers. */
  start({ code, tools }: Program): Ended | undefined {
    return this.#slice(() => {
      const compiled = compile(code)
      if (compiled.kind === 'invalid') {
        const { problem, line } = compiled
        return this.#failed(problem, line)
      }
      const finish = this.#prelude(tools)
      const running = this.#vm.evalCode(compiled.script, FILE, { strict: true })
      if (running.error) return this.#thrown(running.error)
      const end = this.#vm.callFunction(finish, this.#vm.undefined, running.value)
      if (end.error) return this.#thrown(end.error)
      this.#end = end.value
      return this.#goOn()
    })
  }

  /** Settles a call of the program. Undefined while it waits for more answers. */
  answer(id: number, answer: BridgeAnswer): Ended | undefined {
    return this.#slice(() => {
      const deferred = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (deferred === undefined) return undefined
      this.#vm.newString(JSON.stringify(answer)).consume(text => deferred.resolve(text))
      return this.#goOn()
    })
  }

  get #isLate(): boolean {
    return this.#spent + performance.now() - this.#since > this.#bounds.computeMs
  }

  #slice(work: () => Ended | undefined): Ended | undefined {
    this.#since = performance.now()
    try {
      return work()
    } catch {
      // Its own limits end a program in an orderly way; what is left is the engine at its end, whose words are not for it.
      return this.#failed(this.#isLate ? this.#late : 'it went beyond what the engine can hold')
    } finally {
      this.#spent += performance.now() - this.#since
      this.#since = performance.now()
    }
  }

  /** Runs what can run. */
  #goOn(): Ended | undefined {
    const { runtime } = this.#vm
    while (runtime.hasPendingJob()) {
      const jobs = runtime.executePendingJobs(JOBS)
      if (jobs.error) return this.#thrown(jobs.error)
      if (this.#isLate) return this.#failed(this.#late)
    }
    return this.#readEnd()
  }

  #readEnd(): Ended | undefined {
    if (this.#end === undefined) return undefined
    const state = this.#vm.getPromiseState(this.#end)
    switch (state.type) {
      case 'pending':
        return this.#waiting.size > 0 ? undefined : this.#failed('it waits for something that cannot come')
      case 'rejected':
        return this.#thrown(state.error)
      case 'fulfilled':
        return this.#told(this.#vm.getString(state.value))
    }
  }

  /** The end as the prelude wrote it down. */
  #told(text: string): Ended {
    const told: unknown = JSON.parse(text)
    if (typeof told !== 'object' || told === null) return this.#failed('its end cannot be read')
    const end = told as { ok?: unknown; text?: unknown; what?: unknown; stack?: unknown }
    if (end.ok !== true) return this.#failed(this.#meaning(String(end.what)), lineIn(String(end.stack)))
    const value = typeof end.text === 'string' ? { value: bounded(end.text, this.#bounds.outputChars) } : {}
    return { kind: 'returned', output: `${this.#log}`, ...value }
  }

  /** What was thrown where no program could catch it. */
  #thrown(error: QuickJSHandle): Ended {
    if (this.#isLate) return this.#failed(this.#late, lineIn(this.#text(error, 'stack')))
    const what = [this.#text(error, 'name'), this.#text(error, 'message')].filter(text => text !== '').join(': ')
    return this.#failed(this.#meaning(what), lineIn(this.#text(error, 'stack')))
  }

  #text(error: QuickJSHandle, key: string): string {
    const value = this.#vm.typeof(error) === 'object' ? this.#vm.getProp(error, key) : undefined
    return value !== undefined && this.#vm.typeof(value) === 'string' ? this.#vm.getString(value) : ''
  }

  #meaning(what: string): string {
    if (/^InternalError: interrupted$/.test(what)) return this.#late
    const isFull = what.startsWith('InternalError: out of memory') || (nameless.has(what) && this.#isFull)
    if (isFull) return `it used more than ${this.#bounds.memoryBytes / 2 ** 20} MB`
    return what === '' ? UNSHOWN : what
  }

  get #isFull(): boolean {
    return this.#engine.getWasmMemory().buffer.byteLength > this.#bounds.memoryBytes * 0.9
  }

  get #late(): string {
    return `it computed longer than ${this.#bounds.computeMs / 1000} seconds`
  }

  #failed(problem: string, line?: number): Ended {
    const shown = bounded(problem, this.#bounds.outputChars)
    return { kind: 'failed', output: `${this.#log}`, problem: shown, ...(line === undefined ? {} : { line }) }
  }

  /** The prelude's own world and the two functions through which texts leave it. */
  #prelude(names: readonly string[]): QuickJSHandle {
    const vm = this.#vm
    const call = vm.newFunction('call', (name, args) => this.#call(name, args))
    const log = vm.newFunction('log', line => void this.#log.add(JSON.parse(this.#textOf(line))))
    const list = vm.unwrapResult(vm.evalCode(`(${JSON.stringify(names)})`, 'tools'))
    const prelude = vm.unwrapResult(vm.evalCode(PRELUDE, 'tools'))
    return vm.unwrapResult(vm.callFunction(prelude, vm.undefined, call, log, list))
  }

  #call(name: QuickJSHandle, args: QuickJSHandle): QuickJSHandle {
    const [called, given] = [this.#textOf(name), this.#textOf(args)]
    if (++this.#count > this.#bounds.calls) return this.#refuse(`A program makes at most ${this.#bounds.calls} calls.`)
    if (given.length > this.#bounds.argumentChars) {
      return this.#refuse(`The arguments of ${called} are longer than ${this.#bounds.argumentChars} characters.`)
    }
    const deferred = this.#vm.newPromise()
    this.#waiting.set(this.#count, deferred)
    this.#calls(this.#count, called, given)
    return deferred.handle
  }

  /** An answer that needs nobody outside. */
  #refuse(text: string): QuickJSHandle {
    return this.#vm.newString(JSON.stringify({ ok: false, text, code: 'CODE_BOUND' } satisfies BridgeAnswer))
  }

  #textOf(handle: QuickJSHandle | undefined): string {
    if (handle === undefined || this.#vm.typeof(handle) !== 'string') throw new TypeError('A text is needed.')
    return this.#vm.getString(handle)
  }
}

/** The first line of the program that a stack trace of the engine names. */
function lineIn(stack: string): number | undefined {
  const [, line] = new RegExp(`${FILE.replace('.', '\\.')}:(\\d{1,6})(?!\\d)`).exec(stack) ?? []
  return line === undefined || Number(line) === 0 ? undefined : Number(line)
}
