import { z } from 'zod'
import type { Invariant, Problem } from './invariant.ts'
import { read } from './invariant.ts'

const sandbox = z.looseObject({
  mode: z.enum(['read-only', 'workspace-write', 'danger-full-access']),
  source: z.literal('delegation').optional(),
})
const preset = z.looseObject({ preset: z.string().min(1) })

/** The knobs of another program that its logs carry: sandbox mode and permission preset are known words. */
export const access: Invariant = {
  types: ['sandbox/mode', 'permission/preset'],
  begin: () =>
    function* (event): Generator<Problem> {
      if (event.type === 'sandbox/mode' && !read(sandbox, event)) yield ['access/sandbox', 'that mode is not known']
      if (event.type === 'permission/preset' && !read(preset, event)) yield ['access/preset', 'it names no preset']
    },
}
