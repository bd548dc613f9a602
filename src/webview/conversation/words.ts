// Every sentence of the conversation view.
import type { Item, ReviewState } from '../transcript-messages.ts'

type Approval = Extract<Item, { kind: 'approval' }>

export const words = {
  loading: 'Loading the conversation',
  untitled: 'New conversation',
  openPicker: 'Open another conversation',
  chooseModel: 'Choose a model',
  contextUse: 'Context use',
  percent: (share: number): string => `${share} %`,
  contextText: (used: number, window: number): string =>
    `${Math.round((used / window) * 100)} % of the model's window: ${used.toLocaleString()} of ${window.toLocaleString()} tokens`,
  transcript: 'Transcript',
  showEarlier: (count: number): string => `Show earlier (${count})`,
  jump: 'Jump to latest',
  you: 'You',
  assistant: 'Assistant',
  interrupted: 'Stopped here',
  thinking: 'Thinking',
  thought: 'Thought',
  working: 'Working',
  summarising: 'Summarising the conversation…',
  summarised: (messages: number, tokens: number): string =>
    `${messages === 1 ? 'One message' : `${messages.toLocaleString()} messages`} summarised, about ${tokens.toLocaleString()} tokens`,
  notSummarised: (why: string): string => `Not summarised. ${why}`,
  input: 'Input',
  output: 'Output',
  program: 'Program',
  noOutput: 'No output yet',
  cut: (left: number): string => `${left.toLocaleString()} more characters are in the log`,
  showDiff: 'Show diff',
  allow: 'Allow',
  reject: 'Reject',
  approval: 'Approval',
  plan: (revision: number): string => `Plan · revision ${revision}`,
  review: 'Review',
  openPlan: 'Open plan',
  sentBack: 'Sent back',
  feedback: 'Your feedback',
  fork: 'Fork from here',
  forkTitle: (turn: number): string =>
    `Go on from the end of turn ${turn} in a new conversation; this one stays as it is`,
  forked: 'Forked here',
  explorerReport: 'Open explorer',
  modeOn: 'Plan mode on',
  modeOff: 'Plan mode off',
  planReady: (title: string): string => `A plan is ready for review: ${title}`,
  approvalNeeded: (title: string): string => `Approval needed: ${title}`,
  finished: 'The agent has finished',
  asksYou: (count: number): string => (count === 1 ? 'The agent asks' : `The agent asks ${count} questions`),
  asked: (question: string, count: number): string =>
    count === 1 ? `The agent asks: ${question}` : `The agent asks ${count} questions. The first one: ${question}`,
  questionOver: 'The question is not waiting any more',
  waitsForAnswer: 'Waits for your answer',
  questionWaiting: 'The agent waits for your answer. What you send here is queued until then.',
  goToQuestion: 'Answer',
  questionDetail: 'To read before you answer',
  severalAllowed: 'Several may be chosen',
  ownAnswer: 'Your own answer',
  ownPlaceholder: 'Or say it in your own words',
  answerPlaceholder: 'Your answer',
  answerMissing: 'Choose an option, or write an answer of your own.',
  wordsMissing: 'Write an answer.',
  sendAnswer: 'Send answer',
  sendAnswerHint: 'Ctrl+Enter, or Command+Enter on a Mac',
  dismissQuestion: 'Dismiss',
  dismissHint: 'Close without an answer; the agent is told so',
  yourAnswer: 'Your answer',
  questionRecord: 'Question of the agent',
  noneChosen: 'None of the options',
  unsent: 'Typed and not sent',
  takeUnsent: 'Put into the message',
  composerLabel: 'Message to the agent',
  placeholder: 'Ask, or / for commands',
  hint: (toggles: boolean): string =>
    `Enter sends, Shift and Enter starts a new line${toggles ? ', Shift and Tab toggles plan mode' : ''}, Escape leaves the box.`,
  hintTitle: (toggles: boolean): string =>
    `Enter sends · Shift+Enter new line${toggles ? ' · Shift+Tab plan mode' : ''} · Escape leaves the box`,
  commands: 'Commands',
  unavailable: (why: string): string => `Not now: ${why}`,
  sentImages: 'Images',
  send: 'Send',
  queue: 'Queue',
  stop: 'Stop',
  queued: 'Queued',
  runQueue: 'Run now',
  target: { 'next-turn': 'next turn', 'next-step': 'next step' },
  unqueue: (text: string): string => `Remove from the queue: ${text}`,
  reviewWaiting: (title: string, queues: boolean): string =>
    `“${title}” waits for your review. ${queues ? 'What you send is queued until you answer it.' : 'You can answer it at any time; what you send now starts a turn of its own.'}`,
  continueHere: 'Continue here',
  noFolder: 'Open a folder to start a conversation: its log is kept there.',
  openFolder: 'Open folder',
  empty: 'The agent explores and designs first; you review the plan, then it works.',
  startPlan: 'Plan a change',
  startPlanText: 'Turns plan mode on; say what you want to change',
  startDemo: 'Try the offline demo',
  startDemoText: 'A scripted walk through a plan and its review, without a network',
  demoPrompt: 'Plan a small improvement to this workspace.',
  startOpen: 'Open a past conversation',
  startOpenText: 'Everything said and decided is in the log of this workspace',
} as const

export const planStates: Readonly<Record<ReviewState, string>> = {
  waiting: 'Waiting for your review',
  approved: 'Approved',
  kept: 'Sent back with your feedback',
  dismissed: 'Dismissed to talk',
  withdrawn: 'Withdrawn',
  superseded: 'Replaced by a newer plan',
}

export const questionStates: Readonly<Record<Extract<Item, { kind: 'question' }>['state'], string>> = {
  waiting: 'Waits for an answer',
  answered: 'Answered',
  dismissed: 'Dismissed without an answer',
  stopped: 'Not waiting any more: the turn ended before an answer. You can answer in a message.',
  failed: 'Could not be asked',
}

export const approvalStates: Readonly<Record<Approval['state'], string>> = {
  waiting: 'Waiting for your answer',
  'allowed-once': 'Allowed once',
  rejected: 'Rejected',
  cancelled: 'Cancelled',
  unavailable: 'Could not be asked',
}

const deeds: readonly { readonly name: RegExp; readonly one: string; readonly many: (count: number) => string }[] = [
  { name: /^run_code$/, one: 'ran 1 program', many: count => `ran ${count} programs` },
  { name: /search|grep|find/, one: 'searched once', many: count => `searched ${count} times` },
  { name: /list|glob|dir/, one: 'listed 1 folder', many: count => `listed ${count} folders` },
  { name: /^explore$/, one: 'sent out an explorer', many: count => `sent out ${count} explorers` },
  { name: /read|open|view/, one: 'read 1 file', many: count => `read ${count} files` },
  { name: /edit|replace|patch/, one: 'edited 1 file', many: count => `edited ${count} files` },
  { name: /write|create/, one: 'wrote 1 file', many: count => `wrote ${count} files` },
]

/** "Read 6 files · searched 2 times", in the order in which each kind of tool came first. */
export function toolSummary(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const parts = [...counts].map(([name, count]) => {
    const deed = deeds.find(candidate => candidate.name.test(name))
    if (!deed) return count === 1 ? `used ${name}` : `used ${name} ${count} times`
    return count === 1 ? deed.one : deed.many(count)
  })
  const text = parts.join(' · ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
