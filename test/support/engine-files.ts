import { createRequire } from 'node:module'
import type { EngineFiles } from '../../src/tools/program/quickjs-engine.ts'

/** The engine as it lies in the sources, without a build. */
export const engineFiles: EngineFiles = {
  worker: new URL('../../src/tools/program/worker.ts', import.meta.url),
  wasm: createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm'),
}
