import { planText, planTitle } from '../../plan/review.ts'
import { type ApprovedPlan, approvedPlan, isCarriedOutHere } from '../../plan/steps/approved-plan.ts'
import { closingCheck, isOver } from '../../plan/steps/closing-check.ts'
import { type ChangedFile, filesChanged } from '../../plan/steps/file-changes.ts'
import type { Session } from '../../session/session.ts'
import type { PinnedPlan } from '../../webview/messages.ts'

type Steps = Omit<PinnedPlan, 'check'> & { readonly closing: NonNullable<PinnedPlan['check']> }

/** A plan is a value of the fold: what was made of it stays right as long as it is the same object. */
const made = new WeakMap<ApprovedPlan, Steps>()

/**
 * The plan that is carried out in a session, as the conversation view pins it; null when there is none. The closing check
 * comes with it when it was asked for, and by itself once nothing is left to do and no turn runs.
 */
export function pinnedPlan(
  session: Session,
  now: { readonly asked: boolean; readonly running: boolean },
): PinnedPlan | null {
  const { plan } = session.state(approvedPlan)
  if (plan === undefined || !isCarriedOutHere(plan)) return null
  const { closing, ...steps } = made.get(plan) ?? make(session, plan)
  return { ...steps, check: now.asked || (isOver(plan) && !now.running) ? closing : null }
}

function make(session: Session, plan: ApprovedPlan): Steps {
  const text = textOf(session, plan)
  const files = new Map(plan.steps.map(step => [step.id, filesChanged(session, step.changes)]))
  const of = ({ id }: { readonly id: string }) => files.get(id) ?? []
  const elsewhere = filesChanged(session, plan.elsewhere)
  const { steps, unplanned } = closingCheck(plan, text, { of, elsewhere })
  const state: Steps = {
    title: planTitle(text),
    steps: plan.steps.map(step => ({
      id: step.id,
      title: step.title,
      state: step.state,
      note: step.note ?? null,
      files: of(step).map(shown),
    })),
    elsewhere: elsewhere.map(shown),
    closing: { outcomes: steps.map(({ outcome }) => outcome), unplanned: unplanned.map(shown) },
  }
  made.set(plan, state)
  return state
}

function shown({ path, added, removed, refs }: ChangedFile): PinnedPlan['elsewhere'][number] {
  return { path, added, removed, refs: refs.map(ref => ({ ...ref })) }
}

/** A log edited by hand may not hold the text any more. */
function textOf(session: Session, plan: ApprovedPlan): string {
  try {
    return planText(session, plan)
  } catch {
    return ''
  }
}
