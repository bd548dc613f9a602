import { planTitle } from '../../plan/review.ts'
import { type Revision, reviewHistory, revisionText } from '../../review/revisions.ts'
import type { Session } from '../../session/session.ts'
import type { ReviewView } from '../../webview/review-messages.ts'
import type { Conversation } from '../conversations/conversation.ts'
import { contextState } from './conversation-state.ts'

export interface ReviewViewOptions {
  readonly carriedOutWith: string
  /** Whether a plan can be carried out in a conversation of its own. */
  readonly offersFresh: boolean
  /** The revision to read; the latest unless given. */
  readonly chosen?: string | undefined
}

/** About how many characters of a plan make a token. */
const CHARACTERS_PER_TOKEN = 4

/** The review a panel draws; undefined when no plan was presented. */
export function reviewView(conversation: Conversation, options: ReviewViewOptions): ReviewView | undefined {
  const { session } = conversation
  const { revisions } = session.state(reviewHistory)
  const latest = revisions.at(-1)
  const shown = revisions.find(({ reviewId }) => reviewId === options.chosen) ?? latest
  if (shown === undefined || latest === undefined) return undefined
  const markdown = revisionText(session, shown)
  return {
    reviewId: shown.reviewId,
    sessionId: conversation.id,
    conversation: conversation.title,
    title: planTitle(markdown),
    markdown,
    planHash: shown.planHash,
    revision: shown.revision,
    revisions: latest.revision,
    history: revisions.map(({ reviewId, revision, state }) => ({ reviewId, revision, state })),
    older: shown !== latest,
    state: shown.state,
    feedback: feedbackOn(session, shown),
    mode: conversation.mode,
    live: conversation.project.desk.isLive(conversation.agent),
    revising: shown === latest && shown.state === 'kept' && conversation.running,
    readOnly: conversation.readOnly ?? null,
    continueHere: conversation.writtenElsewhere,
    carriedOutWith: options.carriedOutWith,
    fresh: options.offersFresh
      ? { here: session.state(contextState).used, plan: Math.ceil(markdown.length / CHARACTERS_PER_TOKEN) }
      : null,
  }
}

function feedbackOn(session: Session, { decidedSeq }: Revision): string | null {
  const event = decidedSeq === undefined ? undefined : session.at(decidedSeq)
  return event?.type === 'review/decided' ? (event.data.feedback ?? null) : null
}
