import { z } from 'zod'

const id = z.string().min(1)

/** What a delegated session is; other versions, and other programs' keys, are theirs to read (section 10). */
export const subagentDescriptor = z.discriminatedUnion('mode', [
  z.strictObject({ version: z.literal(2), mode: z.literal('one-shot'), provider: id, label: z.string().optional() }),
  z.strictObject({
    version: z.literal(2),
    mode: z.literal('continuable'),
    provider: id,
    label: z.string(),
    agentProvider: z.string().optional(),
    agentModel: z.string().optional(),
    persona: z.string().optional(),
    toolFilter: z
      .strictObject({ allow: z.array(z.string()).optional(), deny: z.array(z.string()).optional() })
      .optional(),
  }),
])
export type SubagentDescriptor = z.infer<typeof subagentDescriptor>
