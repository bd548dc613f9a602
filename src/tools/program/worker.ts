// The thread in which one program runs. It knows no tool, no file and no network; it ends with its program.
import { parentPort, workerData } from 'node:worker_threads'
import variant from '@jitl/quickjs-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core'
import type { Ended, FromWorker } from './messages.ts'
import type { EngineParts, ToWorker } from './protocol.ts'
import { Sandbox } from './sandbox.ts'

const PAGE = 65_536
/** What the engine was built to start with. */
const INITIAL_PAGES = 256

const port = parentPort
if (port === null) throw new Error('This file runs as a worker only.')

const say = (message: FromWorker): void => port.postMessage(JSON.stringify(message))
// The package's types tell of its CommonJS form, where the variant is one level deeper.
const quickJs = variant as unknown as (typeof variant)['default']
const { wasm, memoryBytes } = workerData as EngineParts
// QuickJS does not count what it allocates in WebAssembly, so the memory itself has the bound.
const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: Math.floor(memoryBytes / PAGE) })
const engine = await newQuickJSWASMModuleFromVariant(newVariant(quickJs, { wasmModule: wasm, wasmMemory: memory }))
let sandbox: Sandbox | undefined
let received = 0

port.on('message', (text: string) => {
  received++
  const end = take(JSON.parse(text) as ToWorker)
  if (end === undefined) say({ kind: 'rests', after: received })
  else say({ kind: 'ended', end })
})
say({ kind: 'ready' })

function take(message: ToWorker): Ended | undefined {
  switch (message.kind) {
    case 'program':
      sandbox = new Sandbox(engine, message.program.bounds, (id, name, args) => say({ kind: 'call', id, name, args }))
      return sandbox.start(message.program)
    case 'answer':
      return sandbox?.answer(message.id, message.answer)
  }
}
