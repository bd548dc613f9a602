/** Every id this extension shares with package.json; a test holds the two equal. */
export const COMMANDS = [
  'planMode.enter',
  'planMode.exit',
  'planMode.toggle',
  'planMode.newConversation',
  'planMode.openConversation',
  'planMode.openReview',
  'planMode.watchPlan',
  'planMode.openLog',
  'planMode.setApiKey',
  'planMode.ask',
  'planMode.stop',
  'planMode.chooseModel',
  'planMode.showProblem',
  'planMode.retrySaving',
  'planMode.convertLogs',
  'planMode.showConversation',
  'planMode.continueHere',
] as const
export type CommandId = (typeof COMMANDS)[number]

export const CONTEXT_KEYS = [
  'planMode.active',
  'planMode.pending',
  'planMode.reviewWaiting',
  'planMode.problem',
  'planMode.readOnly',
] as const
export type ContextKey = (typeof CONTEXT_KEYS)[number]

export const CONVERSATION_VIEW = 'planMode.conversation'
export const REVIEW_PANEL = 'planMode.review'
/** Scheme of the read-only documents that show both sides of a proposed change. */
export const CHANGE_SCHEME = 'plan-mode-change'
/** Scheme of the read-only documents that show a log which is no text file of its own. */
export const LOG_SCHEME = 'plan-mode-log'
