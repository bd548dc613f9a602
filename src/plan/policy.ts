import { z } from 'zod'
import type { PromptSection } from '../agent/prompt.ts'
import { PlanModeError } from '../session/errors.ts'
import { planProjection } from './projection.ts'
import { DEFAULT_SECTION } from './words.ts'

/** The guidance a model reads while plan mode is active. */
export interface PlanPolicy {
  readonly section: string
}

const planPolicy = z.strictObject({
  section: z.string('"section" must be text.').refine(text => text.trim() !== '', '"section" must not be blank.'),
})

export const defaultPolicy: PlanPolicy = { section: DEFAULT_SECTION }

/**
 * Parses a configured policy strictly and as a whole.
 * @throws PlanModeError `BAD_POLICY` for a missing, blank or non-string `section` and for unknown keys.
 */
export function parsePolicy(value: unknown): PlanPolicy {
  const parsed = planPolicy.safeParse(value)
  if (parsed.success) return parsed.data
  const why = parsed.error.issues.map(describe).join(' ')
  throw new PlanModeError('BAD_POLICY', `The setting planMode.policy was refused. ${why}`)
}

/** The `plan:policy` section: exactly the configured text while plan mode is committed, else nothing. */
export function policySection(current: () => PlanPolicy): PromptSection {
  return {
    name: 'plan:policy',
    order: 50,
    render: ({ session, runtime }) =>
      runtime.projections.state(session, planProjection).active ? current().section : undefined,
  }
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `Unknown key: ${issue.keys.join(', ')}. Only "section" is allowed.`
  if (issue.path.length === 0) return 'It must be an object such as { "section": "…" }.'
  return issue.message
}
