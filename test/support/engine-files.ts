import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { EngineFiles } from '../../src/tools/program/quickjs-engine.ts'

/** The engine as it lies in the sources, without a build. */
export const engineFiles: EngineFiles = {
  worker: new URL('../../src/tools/program/worker.ts', import.meta.url),
  wasm: createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm'),
}

/** The same with the worker in one file of plain JavaScript in `folder`: it starts several times faster. */
export async function builtEngineFiles(folder: string): Promise<EngineFiles> {
  const outfile = join(folder, 'program-worker.mjs')
  const entryPoints = [fileURLToPath(engineFiles.worker)]
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' })
  return { ...engineFiles, worker: outfile }
}
