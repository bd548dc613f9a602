import type { BridgeAnswer, Program } from '../../agent/code/engine.ts'

/** What the engine tells its worker. A program is the first message, its answers follow. */
export type ToWorker =
  | { readonly kind: 'program'; readonly program: Program }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: BridgeAnswer }

/** What the worker is started with: nothing of the program. */
export interface EngineParts {
  readonly wasm: WebAssembly.Module
  readonly memoryBytes: number
}
