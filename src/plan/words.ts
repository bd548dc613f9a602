import type { ApprovalChoice } from '../session/reviews.ts'

/**
 * Every word of plan mode that a model reads, in one place and pinned by a test: changing one changes behaviour.
 */
export const EXIT_PLAN_MODE = 'exit_plan_mode'
export const REVISE_PLAN = 'revise_plan'
export const PLUGIN = 'plan-mode'

/** The guidance that applies when no setting gives another one. */
export const DEFAULT_SECTION = `You are in plan mode: explore and design first, carry out nothing yet.

1. Read what matters before you propose anything: list folders, open the files that the task touches, search for callers, tests and configuration. Do not guess at what you can look up.
2. Change nothing while plan mode is on: no edits, no new files. If the task cannot be planned without an answer from the user, ask for it with ask_user_question; without that tool, ask in one short message and end your turn.
3. Then present the complete plan by calling ${EXIT_PLAN_MODE}. The plan is Markdown that begins with a level-1 heading and stands on its own: what is wanted and why, what you found (name real files), the steps in order with the files each one touches, risks, and how the result is checked.
4. The user reads the plan. Approval ends plan mode and you carry the plan out. If it comes back with feedback, work the feedback in and present the plan again: with revise_plan the edits alone are enough. Do not ask for approval in prose: only ${EXIT_PLAN_MODE} puts a plan before the user.`

export const EXIT_TOOL_DESCRIPTION =
  "Presents your complete plan to the user for review. Call it once exploring and designing are done. On approval plan mode ends and you carry the plan out from the next step. Otherwise the call fails with the user's feedback: revise the plan and call this again with the whole revised plan."

export const EXIT_PLAN_DESCRIPTION =
  'The complete plan as Markdown, beginning with a level-1 heading ("# Title"). It is shown to the user exactly as given.'

export const REVISE_TOOL_DESCRIPTION =
  'Presents the plan you presented last again, with edits, without sending all of it once more. Give either "edits" or "diff". If an edit does not apply, nothing is presented and the call says which one and why. For a plan that changes in most places call exit_plan_mode with the whole text instead.'
export const REVISE_EDITS_DESCRIPTION =
  'Exact replacements, applied in order: "old" must stand in the plan exactly once, "new" takes its place.'
export const REVISE_DIFF_DESCRIPTION = 'A unified diff of the plan whose context lines are exactly those of the plan.'
export const nothingToRevise = 'No plan was presented yet. Present the whole plan with exit_plan_mode.'
export const oneWayToRevise = 'Give either "edits" or "diff", and not both.'

export function editsRefused(why: string): string {
  return `The plan was not presented again, because the edits do not apply. ${why}`
}

export const PLAN_PROGRESS = 'plan_progress'
export const PROGRESS_TOOL_DESCRIPTION =
  'Says where you are in the approved plan: "running" when you begin a step, "done" when it is finished, "skipped" when it is not needed. The user sees it beside the plan. Call it as you go, one step at a time.'
export const PROGRESS_STEP_DESCRIPTION = 'The number of the step in the approved plan, such as "2".'
export const PROGRESS_NOTE_DESCRIPTION = 'One sentence for the user, such as why a step is skipped.'

interface StepName {
  readonly id: string
  readonly title: string
}

export function unknownStep(step: string, steps: readonly StepName[]): string {
  return `The approved plan has no step "${step}". Its steps are:\n${listed(steps)}`
}

export function progressed(title: string, state: string, open: readonly StepName[]): string {
  const rest = open.length === 0 ? 'No step is open any more.' : `Still open:\n${listed(open)}`
  return `Step "${title}" is ${state}. ${rest}`
}

function listed(steps: readonly StepName[]): string {
  return steps.map(({ id, title }) => `${id}. ${title}`).join('\n')
}

export const REVIEW_HEADER = 'Plan review'
export const REVIEW_QUESTION = 'Carry out this plan?'
export const APPROVE_LABEL = 'Approve'
export const APPROVE_MEANING = 'Plan mode ends and the agent carries the plan out.'
export const KEEP_LABEL = 'Keep planning'
export const KEEP_MEANING = 'The agent revises the plan and presents it again.'

export const notPlanShaped =
  'The plan must be complete Markdown that begins with a level-1 heading, such as "# Add rate limiting". Present the whole plan again in that form.'
export const alreadyApproved =
  'A plan was approved in this step already; a second one is not reviewed. Carry out the approved plan from your next step.'
export const approved =
  'The user approved the plan. Plan mode ends with your next step: carry the plan out, beginning there.'
export const approvedFresh =
  'The user approved the plan. It is carried out in a new conversation, so your work here ends: do nothing more now.'
export const approvedSaved =
  'The user approved the plan and saved it for later. Plan mode has ended; do not begin with the plan before the user asks for it.'

/** The result of an approved call, by how the plan goes on. */
export function approvedFor(next: ApprovalChoice | undefined): string {
  switch (next) {
    case 'fresh':
      return approvedFresh
    case 'save':
      return approvedSaved
    case 'start':
    case undefined:
      return approved
  }
}

export const dismissed =
  'The user closed the review without a decision, to talk first. The plan is not approved and plan mode stays on. Wait for the next message.'
export const withdrawn =
  'The user chose to leave plan mode without approving, so the review was withdrawn. The plan is not approved. Wait for what the user asks next.'
export const reloaded =
  'Plan mode was reloaded while the plan was under review, so there is no decision. The plan is not approved and plan mode stays on. Present the whole plan again.'

/** The failed call that a "keep planning" becomes; `feedback` is the user's text, exactly. */
export function kept(feedback: string | undefined): string {
  return feedback === undefined
    ? 'The user keeps planning and gave no remarks. Revise the plan and present it again.'
    : `The user keeps planning. The user's feedback on the plan:\n\n${feedback}\n\nWork it in and present the plan again: the edits alone with revise_plan, or the whole revised plan with exit_plan_mode.`
}

/** Before the pictures of remarks whose words came as the result of a call. */
export const REMARK_IMAGES = "The images that come with the user's remarks on the plan:"

export function imagesOfRemark(id: string, count: number): string {
  return count === 1 ? `The image of ${id}:` : `The ${count} images of ${id}:`
}

export const noticeOn = 'The user turned plan mode on. Explore and design; change nothing until a plan is approved.'
export const noticeOff = 'Plan mode is off. You may carry out work now.'

/** Titles under which a summary carries texts word for word. */
export const MODE_TITLE = 'Plan mode, as last told'
export const APPROVED_TITLE = 'The plan that the user approved'
export const WAITING_TITLE = 'The plan that waits for the review of the user'

interface LateWords {
  readonly feedback?: string | undefined
  readonly next?: ApprovalChoice | undefined
  /** What was said beside an approval. */
  readonly relay?: string | undefined
}

/** What the model is told of a verdict that arrives after its call ended. `title` is the plan's first heading. */
export function lateVerdict(
  decision: 'approved' | 'kept' | 'dismissed',
  title: string,
  { feedback, next = 'start', relay }: LateWords = {},
): string {
  switch (decision) {
    case 'approved':
      return [lateApproval[next](title), ...(relay === undefined ? [] : [relay])].join('\n\n')
    case 'kept':
      return `The user has now reviewed the plan "${title}". ${kept(feedback)}`
    case 'dismissed':
      return `The user has now closed the review of the plan "${title}" without a decision, to talk first. The plan is not approved and plan mode stays on. Do nothing more now; wait for the next message.`
  }
}

const lateApproval: Readonly<Record<ApprovalChoice, (title: string) => string>> = {
  start: title =>
    `The user has now approved the plan "${title}" as you presented it. Carry it out once plan mode is off.`,
  fresh: title => `The user has now approved the plan "${title}". It is carried out in a new conversation, not here.`,
  save: title =>
    `The user has now approved the plan "${title}" and saved it for later. Do not begin with it before the user asks for it.`,
}
