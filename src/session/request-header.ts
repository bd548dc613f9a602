import { z } from 'zod'

const id = z.string().min(1)

/** Model, system text and tools of a request; `system` and `tools` are absent when empty (section 4.4). */
export const epochHeader = z.strictObject({
  config: z.strictObject({
    provider: id,
    model: id,
    reasoningEffort: id.optional(),
    temperature: z.number().optional(),
    maxTokens: z.int().positive().optional(),
    stop: z.array(z.string()).optional(),
  }),
  adapterDefaults: z
    .strictObject({ reasoningEffort: z.literal(true).optional(), maxTokens: z.literal(true).optional() })
    .optional(),
  system: z.string().optional(),
  tools: z
    .array(z.strictObject({ name: id, description: z.string(), parameters: z.record(z.string(), z.json()) }))
    .optional(),
})
export type EpochHeader = z.infer<typeof epochHeader>
