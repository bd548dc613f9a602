// Every sentence of the review panel.
import type { ReviewState } from '../messages.ts'

export const words = {
  loading: 'Loading the review',
  skip: 'Skip to the decision',
  plan: 'Plan',
  revision: (revision: number, revisions: number): string => `Revision ${revision} of ${revisions}`,
  revisionArrived: (revision: number): string => `Revised plan arrived, revision ${revision}`,
  conversation: 'Conversation',
  showConversation: (title: string): string => `Show the conversation “${title}”`,
  notLive: 'No agent is waiting for this review. Your verdict will be sent as the next turn.',
  continueHere: 'Continue here',
  decision: 'Decision',
  feedbackLabel: 'Feedback on the plan',
  feedbackPlaceholder: 'What should change?',
  feedbackHint: 'Control or Command and Enter sends the feedback. Alt and Enter approves. Escape leaves the box.',
  dismiss: 'Dismiss to talk',
  dismissHint: 'Close the review without a verdict; plan mode stays on and the agent waits for you',
  keep: 'Keep planning',
  keepHint: 'Send the feedback back; the agent revises the plan',
  keepKey: (mac: boolean): string => (mac ? '⌘⏎' : 'Ctrl+Enter'),
  approve: 'Approve',
  approveHint: (mac: boolean): string => `The agent carries the plan out (${mac ? '⌥⏎' : 'Alt+Enter'})`,
  carriedOutWith: (what: string): string => `carried out with ${what}`,
  sending: 'Sending your decision',
  unanswered: 'The decision was not answered. What you typed is kept; try again, or reload the window.',
  askApprove: 'Approve the plan as it is shown?',
  askApproveText: 'Your feedback has not been sent. Approving does not send it.',
  askDismissText: 'Your feedback has not been sent. Dismissing does not send it.',
  askKeepEmpty: 'Send the plan back without saying what should change?',
  sendInstead: 'Send as feedback instead',
  approveWithout: 'Approve without it',
  dismissWithout: 'Dismiss without it',
  sendEmpty: 'Send back without feedback',
  back: 'Back',
  unsent: 'Not sent, kept here',
  sentFeedback: 'Your feedback',
} as const

/** What was decided, once it was. */
export const decided: Readonly<Record<Exclude<ReviewState, 'waiting'>, string>> = {
  approved: 'You approved this plan. The agent carries it out.',
  kept: 'You sent this plan back. The agent revises it; the revision will appear here.',
  dismissed: 'You dismissed this review. Plan mode stays as it is and the agent waits for you.',
  withdrawn: 'This review was withdrawn. The plan is not approved.',
  superseded: 'A newer plan replaced this one.',
}
