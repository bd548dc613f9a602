/**
 * Every word of plan mode that a model reads, in one place and pinned by a test: changing one changes behaviour.
 */
export const EXIT_PLAN_MODE = 'exit_plan_mode'
export const PLUGIN = 'plan-mode'

/** The guidance that applies when no setting gives another one. */
export const DEFAULT_SECTION = `You are in plan mode: explore and design first, carry out nothing yet.

1. Read what matters before you propose anything: list folders, open the files that the task touches, search for callers, tests and configuration. Do not guess at what you can look up.
2. Change nothing while plan mode is on: no edits, no new files. If the task cannot be planned without an answer from the user, ask for it with ask_user_question; without that tool, ask in one short message and end your turn.
3. Then present the complete plan by calling ${EXIT_PLAN_MODE}. The plan is Markdown that begins with a level-1 heading and stands on its own: what is wanted and why, what you found (name real files), the steps in order with the files each one touches, risks, and how the result is checked.
4. The user reads the plan. Approval ends plan mode and you carry the plan out. If it comes back with feedback, work the feedback in and present the whole revised plan again. Do not ask for approval in prose: only ${EXIT_PLAN_MODE} puts a plan before the user.`

export const EXIT_TOOL_DESCRIPTION =
  "Presents your complete plan to the user for review. Call it once exploring and designing are done. On approval plan mode ends and you carry the plan out from the next step. Otherwise the call fails with the user's feedback: revise the plan and call this again with the whole revised plan."

export const EXIT_PLAN_DESCRIPTION =
  'The complete plan as Markdown, beginning with a level-1 heading ("# Title"). It is shown to the user exactly as given.'

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
    : `The user keeps planning. The user's feedback on the plan:\n\n${feedback}\n\nWork it in and present the whole revised plan again.`
}

export const noticeOn = 'The user turned plan mode on. Explore and design; change nothing until a plan is approved.'
export const noticeOff = 'Plan mode is off. You may carry out work now.'

/** Titles under which a summary carries texts word for word. */
export const MODE_TITLE = 'Plan mode, as last told'
export const APPROVED_TITLE = 'The plan that the user approved'
export const WAITING_TITLE = 'The plan that waits for the review of the user'

/** What the model is told of a verdict that arrives after its call ended. `title` is the plan's first heading. */
export function lateVerdict(decision: 'approved' | 'kept' | 'dismissed', title: string, feedback?: string): string {
  switch (decision) {
    case 'approved':
      return `The user has now approved the plan "${title}" as you presented it. Carry it out once plan mode is off.`
    case 'kept':
      return `The user has now reviewed the plan "${title}". ${kept(feedback)}`
    case 'dismissed':
      return `The user has now closed the review of the plan "${title}" without a decision, to talk first. The plan is not approved and plan mode stays on. Do nothing more now; wait for the next message.`
  }
}
