import { z } from 'zod'
import type { InnerCalls, Tool, ToolCall, ToolOutcome } from '../../src/agent/tool.ts'

const parameters = z.object({ path: z.string().optional() })

/** A tool that takes an optional path and does what the test says; it answers with the path unless told otherwise. */
export function testTool(
  name: string,
  run: (args: z.infer<typeof parameters>, call: ToolCall) => Promise<ToolOutcome> | ToolOutcome = ({ path }) => ({
    kind: 'success',
    text: `read ${path ?? 'nothing'}`,
  }),
  more: Partial<Tool> = {},
): Tool<z.infer<typeof parameters>> {
  const { parallel, order, available } = more
  return {
    name,
    description: `The tool ${name}.`,
    parameters,
    ...(parallel === undefined ? {} : { parallel }),
    ...(order === undefined ? {} : { order }),
    ...(available === undefined ? {} : { available }),
    run: async (args, call) => run(args, call),
  }
}

/** For a tool that is run by hand and calls no other. */
export const noInnerCalls: InnerCalls = {
  names: [],
  call: () => {
    throw new Error('No tool can be called from here.')
  },
  drain: async () => {},
}

/** A promise that the test resolves, and one that tells that somebody waits for it. */
export function gate<T = void>(): {
  readonly wait: () => Promise<T>
  readonly reached: Promise<void>
  readonly open: (value: T) => void
  readonly fail: (error: unknown) => void
} {
  const opened = Promise.withResolvers<T>()
  const reached = Promise.withResolvers<void>()
  opened.promise.catch(() => {}) // a gate nobody waits for may fail quietly
  return {
    wait: () => {
      reached.resolve()
      return opened.promise
    },
    reached: reached.promise,
    open: opened.resolve,
    fail: opened.reject,
  }
}
