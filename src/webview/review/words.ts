// Every sentence of the review panel.

import type { RemarkKind, RemarkView } from '../review-messages.ts'
import type { ReviewState } from '../transcript-messages.ts'

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
  keepWith: (remarks: number): string => `Keep planning (${remarks} ${remarks === 1 ? 'remark' : 'remarks'})`,
  keepHint: 'Send the feedback back; the agent revises the plan',
  keepKey: (mac: boolean): string => (mac ? '⌘⏎' : 'Ctrl+Enter'),
  approve: 'Approve',
  approveHint: (mac: boolean): string => `The agent carries the plan out (${mac ? '⌥⏎' : 'Alt+Enter'})`,
  carriedOutWith: (what: string): string => `carried out with ${what}`,
  sending: 'Sending your decision',
  unanswered: 'The decision was not answered. What you typed is kept; try again, or reload the window.',
  askApprove: 'Approve the plan as it is shown?',
  askApproveSave: 'Approve the plan as it is shown, and save it for later?',
  askApproveFresh: 'Approve the plan as it is shown, for a fresh conversation?',
  askApproveText: 'Your feedback has not been sent. Approving does not send it.',
  askUnsent: (things: string, notes: boolean, decision: 'approve' | 'dismiss'): string =>
    `Not sent yet: ${things}${notes ? ' and your feedback' : ''}. ${decision === 'approve' ? 'Approving' : 'Dismissing'} alone sends nothing and keeps it.`,
  unsentThings: (remarks: number, edited: boolean): string =>
    [remarks > 0 ? (remarks === 1 ? '1 remark' : `${remarks} remarks`) : '', edited ? 'your edits' : '']
      .filter(Boolean)
      .join(' and '),
  askDismissText: 'Your feedback has not been sent. Dismissing does not send it.',
  askKeepEmpty: 'Send the plan back without saying what should change?',
  sendInstead: 'Send as feedback instead',
  approveWithout: 'Approve without it',
  approveWithText: 'Approve with it as notes',
  choices: 'Other ways to approve',
  approveStart: 'Approve and start',
  approveStartHint: (what: string): string => `The agent carries the plan out now, with ${what}`,
  approveNotes: 'Approve with notes',
  approveNotesHint: 'The agent starts, and gets what you have not sent yet as notes',
  approveNotesNone: 'Nothing is unsent; write a note or a remark first',
  approveEdits: 'Approve with these edits',
  approveEditsHint: 'The plan as you edited it is approved and carried out',
  approveFresh: 'Approve, fresh conversation with only the plan',
  approveFreshHint: (plan: number, here: number | null): string =>
    here === null
      ? `It starts with about ${tokens(plan)}`
      : `It starts with about ${tokens(plan)}; this conversation has ${tokens(here)}`,
  approveSave: 'Approve and save for later',
  approveSaveHint: 'Plan mode ends and nothing is carried out now',
  leave: 'Leave plan mode without approving',
  leaveHint: 'Plan mode goes off; the plan stays undecided',
  remarks: 'Remarks',
  closeRemarks: 'Close remarks',
  noRemarks: 'There are no remarks on this revision.',
  noRemarksYet: 'Select words in the plan, or press C on a paragraph (J and K step through them), to remark.',
  wholePlan: 'whole plan',
  remarkHere: 'Remark on this paragraph (C)',
  sayOnSelection: 'Say something on the selected words',
  sayHint: (what: string, key: string): string => `${what} (${key.toUpperCase()})`,
  remarkText: (id: string): string => `Text of remark ${id}`,
  remarkPlaceholders: {
    remark: 'What should change here?',
    question: 'What do you want to know?',
    remove: 'Why, if it needs saying',
    good: 'Why, if it needs saying',
  },
  showWords: 'Show these words in the plan',
  ask: 'Ask an explorer',
  askAgain: 'Ask again',
  askHint:
    'A read-only explorer answers from the plan and the workspace; the review goes on waiting (Control or Command, Shift and Enter)',
  askPlan: 'Ask about the plan',
  askPlanHint: 'Ask an explorer about the whole plan, without ending the review (A)',
  askFirst: 'Write the question first; then an explorer can answer it.',
  asking: (activity: string): string => `An explorer looks${activity === '' ? '' : `: ${activity}`}`,
  answering: 'An explorer looks for the answer',
  answered: (id: string): string => `An explorer answered ${id}`,
  notAnswered: (id: string): string => `An explorer did not answer ${id}`,
  explorer: 'Explorer',
  stopAsking: 'Stop',
  askStopped: 'The explorer was stopped before it answered. Ask again, or send the question to the agent.',
  askedOnly: 'asked an explorer, not sent',
  answerHere: 'The explorer’s words, for you alone',
  answerAttached: 'The explorer’s words, sent with your question',
  attach: 'Send along',
  attachHint: 'The question and this answer go to the agent with your feedback',
  detach: 'Do not send along',
  dropAnswer: 'Drop answer',
  dropAnswerHint: 'Forget the answer; the question is a remark that you can send',
  showWork: 'Show its work',
  showWorkHint: 'Opens what the explorer was asked, did and said',
  images: 'Images',
  waitForImages: 'An image is still being added. Decide again in a moment.',
  noPlace: 'These words are no longer in one place of the plan',
  claim: (said: string): string => `Agent: ${said}`,
  remove: 'Remove',
  notAgain: 'Do not send again',
  resolve: 'Resolve',
  reopen: 'Reopen',
  sendAgain: 'Send again',
  remarkOf: (at: number, all: number, under: string): string =>
    under === '' ? `Remark ${at} of ${all}` : `Remark ${at} of ${all}, under ${under}`,
  revisionMenu: 'Revision',
  revisionName: (revision: number, revisions: number, state: string): string =>
    `Revision ${revision} of ${revisions}${state === '' ? '' : ` · ${state}`}`,
  older: 'This is an older revision, to be read.',
  latest: 'Show the latest',
  revising: 'The agent is revising. This is the text you sent back; the revision will take its place here.',
  writingBegan: 'The agent is writing a plan',
  writing: 'The agent is writing a plan.',
  watch: 'Watch',
  dismissWithout: 'Dismiss without it',
  sendEmpty: 'Send back without feedback',
  back: 'Back',
  unsent: 'Not sent, kept here',
  sentFeedback: 'Your feedback',
} as const

/** What was decided, once it was. */
export const decided: Readonly<Record<Exclude<ReviewState, 'waiting'>, string>> = {
  approved: 'You approved this plan.',
  kept: 'You sent this plan back. The agent revises it; the revision will appear here.',
  dismissed: 'You dismissed this review. Plan mode stays as it is and the agent waits for you.',
  withdrawn: 'This review was withdrawn. The plan is not approved.',
  superseded: 'A newer plan replaced this one.',
}

/** About how much a request carries, in words. */
function tokens(count: number): string {
  return `${count.toLocaleString('en')} tokens`
}

export const kinds: readonly RemarkKind[] = ['remark', 'question', 'remove', 'good']
export const kindWords: Readonly<Record<RemarkKind, string>> = {
  remark: 'Remark',
  question: 'Question',
  remove: 'Remove this',
  good: 'Looks good',
}
export const kindIcons: Readonly<Record<RemarkKind, string>> = {
  remark: 'comment',
  question: 'question',
  remove: 'trash',
  good: 'thumbsup',
}
export const kindKeys: Readonly<Record<RemarkKind, string>> = { remark: 'c', question: 'q', remove: 'x', good: 'g' }

export const stateWords: Readonly<Record<RemarkView['state'], string>> = {
  unsent: 'not sent',
  again: 'to be sent again',
  open: 'sent',
  resolved: 'resolved',
}
export const fateWords: Readonly<Record<Exclude<RemarkView['fate'], 'here'>, string>> = {
  unchanged: 'unchanged',
  changed: 'changed here',
  gone: 'text gone',
  unclear: 'in several places',
}

export const stateNames: Readonly<Record<ReviewState, string>> = {
  waiting: '',
  approved: 'approved',
  kept: 'sent back',
  dismissed: 'dismissed',
  withdrawn: 'withdrawn',
  superseded: 'replaced',
}
