import type { CodeBounds } from './engine.ts'

/** Every word of programs that a model reads, pinned by a test: changing one changes behaviour. */
export const RUN_CODE = 'run_code'

export const CODE_DESCRIPTION = 'The program: the body of an async TypeScript function.'
export const DESCRIPTION_DESCRIPTION = 'What the program does, in a few words. The user reads it.'

/** The description of `run_code`; `methods` are the declarations of the tools that always exist. */
export function toolDescription(methods: string, { computeMs, calls }: CodeBounds): string {
  return `Runs a TypeScript program that calls tools and computes on what they give, where single calls would take many turns or carry much text through the conversation.

The code is the body of an async function: \`await\` and \`return\` work at its top level. \`tools.NAME(args)\` takes one object and resolves with the tool's text. A failed call throws an Error whose message says why and whose \`code\` names the failure. Reads run side by side under Promise.all; whatever changes something or asks the user runs alone, in order, and asks as it always does.

Only what the program prints with \`print(...)\` or returns comes back to you, so return what you need and no more. There are no files, network, timers, imports or Node in it: only the language and the tools. Each program starts fresh. It may compute for ${computeMs / 1000} seconds and make ${calls} calls; waiting for tools does not count.

declare const tools: {
${methods}
}
declare function print(...values: unknown[]): void`
}

/** Said while tools exist that come and go, after the guidance that brings them. */
export function conditionalTools(methods: string): string {
  return `In this step, programs of ${RUN_CODE} can call these tools as well:

declare const tools: {
${methods}
}`
}

export const nothingSaid = 'The program ended. It printed and returned nothing.'

export function failed(problem: string, line: number | undefined): string {
  return `The program failed${line === undefined ? '' : ` at line ${line}`}: ${problem}`
}
