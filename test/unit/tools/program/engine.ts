import type { BridgeAnswer, CodeBounds, ProgramEnd } from '../../../../src/agent/code/engine.ts'
import { defaultBounds } from '../../../../src/agent/code/run-code.ts'
import { type EngineFiles, type EnginePatience, QuickJsEngine } from '../../../../src/tools/program/quickjs-engine.ts'
import { engineFiles } from '../../../support/engine-files.ts'

/** The engine as the product has it, with a scripted bridge: `echo` answers with its arguments, others do not exist. */
export class TestEngine implements AsyncDisposable {
  readonly engine: QuickJsEngine
  readonly calls: { readonly name: string; readonly args: string }[] = []

  constructor(files: EngineFiles = engineFiles, patience?: EnginePatience) {
    this.engine = new QuickJsEngine(files, patience)
  }

  run(code: string, bounds: Partial<CodeBounds> = {}, signal = new AbortController().signal): Promise<ProgramEnd> {
    const program = { code, tools: ['echo'], bounds: { ...defaultBounds, ...bounds } }
    return this.engine.run(program, async (name, args) => this.answer(name, args), signal)
  }

  answer(name: string, args: string): BridgeAnswer | Promise<BridgeAnswer> {
    this.calls.push({ name, args })
    if (name === 'echo') return { ok: true, text: args }
    return { ok: false, text: `There is no tool named "${name}".`, code: 'UNKNOWN_TOOL' }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine[Symbol.asyncDispose]()
  }
}
