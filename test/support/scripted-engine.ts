import type { Bridge, CodeEngine, Program, ProgramEnd } from '../../src/agent/code/engine.ts'

/** A program as a function of the test: it calls tools and prints as a real one does. */
export type ScriptedProgram = (
  call: (name: string, args?: unknown) => Promise<string>,
  print: (line: string) => void,
) => Promise<unknown>

/** An engine whose programs are functions, found by their code: what is tested is everything around them. */
export class ScriptedEngine implements CodeEngine {
  readonly #programs: (code: string) => ScriptedProgram

  constructor(programs: ((code: string) => ScriptedProgram) | Record<string, ScriptedProgram>) {
    this.#programs = typeof programs === 'function' ? programs : code => programs[code] ?? (async () => 'nothing')
  }

  async run({ code }: Program, bridge: Bridge, signal: AbortSignal): Promise<ProgramEnd> {
    const lines: string[] = []
    const stopped = Promise.withResolvers<ProgramEnd>()
    const stop = () => stopped.resolve({ kind: 'stopped', output: lines.join('\n') })
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    const call = async (name: string, args: unknown = {}) => {
      const answer = await bridge(name, typeof args === 'string' ? args : JSON.stringify(args))
      if (signal.aborted) return new Promise<never>(() => {}) // a program that is stopped reads no more answers
      if (answer.ok) return answer.text
      throw Object.assign(new Error(answer.text), answer.code === undefined ? {} : { code: answer.code })
    }
    const ended = this.#programs(code)(call, line => void lines.push(line)).then(
      (value): ProgramEnd => ({
        kind: 'returned',
        output: lines.join('\n'),
        ...(value === undefined ? {} : { value: String(value) }),
      }),
      (error: Error): ProgramEnd => ({ kind: 'failed', output: lines.join('\n'), problem: error.message }),
    )
    return Promise.race([stopped.promise, ended])
  }
}
