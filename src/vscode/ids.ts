/** The commands of a review in native editors. */
export const REVIEW_COMMANDS = [
  'planMode.openPlanSource',
  'planMode.editPlan',
  'planMode.discardEdits',
  'planMode.compareRevisions',
  'planMode.whatChanged',
  'planMode.restoreRevision',
  'planMode.exportPlan',
  'planMode.importRemarks',
  'planMode.reviewFile',
  'planMode.finishFileReview',
  'planMode.addThreadRemark',
  'planMode.addQuestion',
  'planMode.addRemoval',
  'planMode.addPraise',
  'planMode.editRemark',
  'planMode.saveRemark',
  'planMode.cancelRemark',
  'planMode.removeRemark',
  'planMode.resolveRemark',
  'planMode.reopenRemark',
  'planMode.sendRemarkAgain',
] as const
export type ReviewCommandId = (typeof REVIEW_COMMANDS)[number]

/** Every id this extension shares with package.json; a test holds the two equal. */
export const COMMANDS = [
  'planMode.enter',
  'planMode.exit',
  'planMode.toggle',
  'planMode.newConversation',
  'planMode.openConversation',
  'planMode.openReview',
  'planMode.watchPlan',
  'planMode.approve',
  'planMode.approveWithNotes',
  'planMode.approveAndSave',
  'planMode.keepPlanning',
  'planMode.dismissReview',
  'planMode.nextRemark',
  'planMode.previousRemark',
  'planMode.addRemark',
  'planMode.askAboutPlan',
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
  'planMode.forkConversation',
  'planMode.openPlan',
  'planMode.reviewPlan',
  'planMode.startPlan',
  'planMode.startPlanHere',
  'planMode.dropPlan',
  'planMode.closePlan',
  'planMode.checkPlan',
  'planMode.refreshPlans',
  ...REVIEW_COMMANDS,
] as const
export type CommandId = (typeof COMMANDS)[number]

export const CONTEXT_KEYS = [
  'planMode.active',
  'planMode.pending',
  'planMode.reviewWaiting',
  'planMode.problem',
  'planMode.readOnly',
  'planMode.hasPlan',
  'planMode.hasRevisions',
  'planMode.hasEdits',
  'planMode.fileUnderReview',
] as const
export type ContextKey = (typeof CONTEXT_KEYS)[number]

export const CONVERSATION_VIEW = 'planMode.conversation'
export const PLANS_VIEW = 'planMode.plans'
export const REVIEW_PANEL = 'planMode.review'
/** Scheme of the read-only documents that show both sides of a proposed change. */
export const CHANGE_SCHEME = 'plan-mode-change'
/** Scheme of the read-only documents that show one change of a file as it was logged. */
export const LOGGED_CHANGE_SCHEME = 'plan-mode-logged-change'
/** Scheme of the read-only documents that show a log which is no text file of its own. */
export const LOG_SCHEME = 'plan-mode-log'
/** Scheme of the read-only documents that show what an explorer said and did. */
export const EXPLORER_SCHEME = 'plan-mode-explorer'
/** Scheme of the documents of plans: a presented text, or a person's own version of one. */
export const PLAN_SCHEME = 'plan-mode-plan'
