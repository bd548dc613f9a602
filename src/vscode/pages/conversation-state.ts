import { compactionOf } from '../../agent/compaction/bracket.ts'
import { messageTokens, usedTokens } from '../../agent/compaction/tokens.ts'
import { inboxOf } from '../../agent/live/inbox.ts'
import { textOf, type UserMessage } from '../../session/messages.ts'
import type { Projection } from '../../session/projections.ts'
import type { ConversationState, OpenQuestion, QueuedPrompt } from '../../webview/messages.ts'
import type { Conversation } from '../conversations/conversation.ts'
import { activity } from '../transcript/activity.ts'
import { shownImages } from '../transcript/shown-images.ts'
import type { ModelLabel } from '../window-models.ts'
import { pinnedPlan } from './plan-state.ts'

/** What the view knows beside its conversation. */
export interface Surroundings {
  readonly model: ModelLabel
  readonly problem: ConversationState['problem']
  readonly noFolder: boolean
  readonly shiftTabTogglesMode: boolean
  readonly earlier: number
  /** Whether the closing check of its plan was asked for. */
  readonly checkAsked?: boolean
  /** What waits for an answer, with what is chosen and typed so far. */
  readonly questions: OpenQuestion[]
}

/** All of the conversation view but its transcript, from the log and the window around it. */
export function conversationState(conversation: Conversation | undefined, around: Surroundings): ConversationState {
  const { model, problem, noFolder, shiftTabTogglesMode, earlier, questions } = around
  const common = {
    model: { label: model.label, ready: model.ready },
    noFolder,
    shiftTabTogglesMode,
    earlier,
    questions,
  }
  if (conversation === undefined) return { ...common, ...nothing, problem }
  const review = conversation.reviewWaiting
  const stored = conversation.problem
  return {
    ...common,
    sessionId: conversation.id,
    title: conversation.title,
    mode: conversation.mode,
    running: conversation.running,
    waitsForYou: waitsForHuman(conversation),
    activity: activity(conversation.session),
    reviewWaiting: review === undefined ? null : { reviewId: review.reviewId, title: review.title },
    plan: pinnedPlan(conversation.session, { asked: around.checkAsked === true, running: conversation.running }),
    queue: queueOf(conversation),
    context: contextUse(conversation),
    readOnly: conversation.readOnly ?? null,
    continueHere: conversation.writtenElsewhere,
    problem: stored === undefined ? problem : { text: stored.message, action: RETRY },
    commands: commandsOf(conversation),
  }
}

const RETRY = { label: 'Try again', command: 'planMode.retrySaving' }

const nothing = {
  sessionId: null,
  title: 'New conversation',
  mode: { active: false, pending: false },
  running: false,
  waitsForYou: false,
  activity: null,
  reviewWaiting: null,
  plan: null,
  queue: [],
  context: null,
  readOnly: null,
  continueHere: false,
  commands: [],
} satisfies Partial<ConversationState>

/** Whether the running turn waits for a human: nothing spins then. */
function waitsForHuman({ agent, project, questions }: Conversation): boolean {
  return project.desk.isLive(agent) || project.cards.waitFor(agent) || questions.length > 0
}

function queueOf({ session }: Conversation): QueuedPrompt[] {
  const { nextStep, nextTurn } = inboxOf(session)
  const prompts = (messages: readonly UserMessage[], target: QueuedPrompt['target']) =>
    messages
      .filter(({ source }) => source.kind === 'user')
      .map(message => ({ id: message.id, text: textOf(message), target, ...shownImages(message) }))
  return [...prompts(nextStep, 'next-step'), ...prompts(nextTurn, 'next-turn')]
}

/** One that cannot run now is listed with the reason, so that nobody looks for it in vain. */
function commandsOf({ agent, project }: Conversation): ConversationState['commands'] {
  const { commands } = project.runtime
  return (commands?.list() ?? []).map(command => {
    const { name, description, input } = command
    const availability = commands?.availability(command, agent)
    return {
      name,
      description,
      ...(input === undefined ? {} : { input }),
      ...(availability?.kind === 'unavailable' ? { unavailable: availability.why } : {}),
    }
  })
}

interface ContextState {
  readonly used: number | null
  readonly window: number | null
  /** Tokens that the message of the open compaction takes away. */
  readonly leaving: number
}

/**
 * Tokens of the last request with its answer, and the window they have to fit. A compaction takes what it summarised
 * off, so that the bar shows the gain before the next request is counted.
 */
export const contextState: Projection<ContextState> = {
  key: 'contextUse',
  version: 2,
  initial: { used: null, window: null, leaving: 0 },
  types: ['request/context', 'assistant/message', 'compaction/summary', 'user/message'],
  apply(state: ContextState, event) {
    switch (event.type) {
      case 'request/context':
        return { ...state, window: event.data.contextWindow ?? null }
      case 'assistant/message':
        return event.data.usage === undefined ? state : { ...state, used: usedTokens(event.data.usage) }
      case 'compaction/summary':
        return { ...state, leaving: event.data.shadowedTokenCount }
      case 'user/message': {
        if (state.used === null || compactionOf(event) === undefined) return state
        return { ...state, used: Math.max(0, state.used - state.leaving) + messageTokens(event.data), leaving: 0 }
      }
      default:
        return state
    }
  },
}

function contextUse({ session }: Conversation): ConversationState['context'] {
  const { used, window } = session.state(contextState)
  return used === null || window === null ? null : { used, window }
}
