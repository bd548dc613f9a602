import { type PresentedReview, planText, planTitle, reviewProjection } from '../plan/review.ts'
import type { ReviewDecision } from '../session/events.ts'
import { type ImageAttachment, imagesOf } from '../session/messages.ts'
import type { Session } from '../session/session.ts'
import { title } from '../session/title.ts'

/** One presented plan with what came of it; `decision` is null while it waits. Times are epoch milliseconds. */
export interface ExportedPlan {
  readonly revision: number
  readonly title: string
  readonly plan: string
  readonly planHash: string
  readonly presentedAt: number
  readonly decision: ReviewDecision | null
  readonly decidedAt: number | null
  readonly feedback: string | null
}

export interface ExportedSession {
  readonly id: string
  readonly title: string | null
  readonly plans: readonly ExportedPlan[]
  /** The pictures that the user sent, oldest first; their bytes lie in the root's attachments under the id. */
  readonly images: readonly ImageAttachment[]
}

/** Every plan of a session, each revision with its decision and feedback. */
export function exportPlans(session: Session): ExportedSession {
  const plans = new Map<string, ExportedPlan>()
  const images: ImageAttachment[] = []
  let state = reviewProjection.initial
  for (const event of session.from()) {
    state = reviewProjection.apply(state, event)
    if (event.type === 'user/message') images.push(...imagesOf(event.data))
    if (event.type === 'review/presented' && state.waiting !== null) {
      plans.set(event.data.reviewId, presented(session, state.waiting, event.time))
    }
    const plan = event.type === 'review/decided' ? plans.get(event.data.reviewId) : undefined
    if (event.type === 'review/decided' && plan !== undefined) {
      const { reviewId, decision, feedback = null } = event.data
      plans.set(reviewId, { ...plan, decision, feedback, decidedAt: event.time })
    }
  }
  return { id: session.id, title: session.state(title) ?? null, plans: [...plans.values()], images }
}

/** The same as Markdown: a plan's own text stands between rules, exactly as it was presented. */
export function planMarkdown({ id, title: name, plans, images }: ExportedSession): string {
  const head = `# ${name ?? id}\n\nSession \`${id}\`, ${plans.length} ${plans.length === 1 ? 'plan' : 'plans'} presented.`
  return `${[head, ...(images.length === 0 ? [] : [imageList(images)]), ...plans.map(section)].join('\n\n')}\n`
}

function imageList(images: readonly ImageAttachment[]): string {
  const rows = images.map(({ attachmentId, name = 'image', mediaType, width, height }) => {
    return `- ${name.replace(/[\\`*_[\]<>]/g, '\\$&')} (${mediaType}, ${width} x ${height}, \`${attachmentId}\`)`
  })
  return `Images sent:\n\n${rows.join('\n')}`
}

function presented(session: Session, review: PresentedReview, presentedAt: number): ExportedPlan {
  const plan = planText(session, review)
  return {
    revision: review.revision,
    title: planTitle(plan),
    plan,
    planHash: review.planHash,
    presentedAt,
    decision: null,
    decidedAt: null,
    feedback: null,
  }
}

function section({ revision, presentedAt, decision, decidedAt, feedback, plan }: ExportedPlan): string {
  const decided =
    decision === null || decidedAt === null ? 'waiting' : `${decision} ${new Date(decidedAt).toISOString()}`
  const said = feedback === null ? '' : `\n\nFeedback:\n\n${feedback.replace(/^/gm, '> ')}`
  const when = new Date(presentedAt).toISOString()
  return `## Revision ${revision}\n\nPresented ${when}, ${decided}.${said}\n\n---\n\n${plan.trim()}\n\n---`
}
