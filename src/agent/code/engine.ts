/** The seam behind which programs run: whatever is behind it shares nothing with a program but texts. */

/** What one program may use. */
export interface CodeBounds {
  /** Milliseconds of wall time while the program itself computes; waiting for tools or people does not count. */
  readonly computeMs: number
  /** At least 16 MB, which the engine takes at once. */
  readonly memoryBytes: number
  readonly stackBytes: number
  /** UTF-16 units of what it prints, and again of what it returns; more is left out. */
  readonly outputChars: number
  readonly calls: number
  /** UTF-16 units of one call's arguments. */
  readonly argumentChars: number
}

export interface Program {
  /** TypeScript: the body of an async function. */
  readonly code: string
  /** Names of the tools it can call. Others can be called too, and fail. */
  readonly tools: readonly string[]
  readonly bounds: CodeBounds
}

/** What a call of a tool gives the program: a text, or a failure with the text and code of the error it throws. */
export type BridgeAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly text: string; readonly code?: string }

/** Calls a tool for the program; `args` is JSON text. A rejection ends the program as stopped. */
export type Bridge = (name: string, args: string) => Promise<BridgeAnswer>

/** `output` is what the program printed, `value` what it returned: a text as it is, anything else as JSON. Both bounded. */
export type ProgramEnd =
  | { readonly kind: 'returned'; readonly output: string; readonly value?: string }
  /** `problem` is one sentence without a full stop; `line` counts from 1. */
  | { readonly kind: 'failed'; readonly output: string; readonly problem: string; readonly line?: number }
  | { readonly kind: 'stopped'; readonly output: string }

/**
 * Runs programs, each in a context of its own that nothing survives. `run` never rejects; it resolves with `stopped` at
 * once when the signal aborts, and nothing of the program runs on after it resolved.
 */
export interface CodeEngine {
  run(program: Program, bridge: Bridge, signal: AbortSignal): Promise<ProgramEnd>
}
