// What a person typed and has not sent, kept with the page: found again after a reload, handed to the host where it is due.
import type { Host } from '../host.ts'
import type { Choice, FromConversation, OpenQuestion } from '../messages.ts'
import {
  choicesOf,
  type Draft,
  draftOf,
  draftTime,
  nothingSaved,
  type SavedDrafts,
  together,
  withChoices,
  withDraft,
} from './drafts.ts'

/** The words of one page. `host` is asked at each use. */
export class KeptWords {
  readonly #host: () => Host<FromConversation, SavedDrafts>

  constructor(host: () => Host<FromConversation, SavedDrafts>) {
    this.#host = host
  }

  get #saved(): SavedDrafts {
    return this.#host().saved() ?? nothingSaved
  }

  draft(sessionId: string | null): Draft {
    return draftOf(this.#saved, sessionId)
  }

  time(sessionId: string | null): number {
    return draftTime(this.#saved, sessionId)
  }

  /** `shown` is the conversation that is in view. */
  keepDraft(sessionId: string | null, draft: Draft, shown = sessionId): void {
    this.#host().save({ ...withDraft(this.#saved, sessionId, draft, Date.now()), sessionId: shown })
  }

  /** What could not be sent goes back to a conversation that is not shown now, before what it was typed since. */
  putBack(sessionId: string, { text, images }: Draft): void {
    const typed = this.draft(sessionId)
    const both = typed.text === '' || typed.text === text ? text : `${text}\n\n${typed.text}`
    const all = typed.images.reduce(together, images)
    this.keepDraft(sessionId, { text: both, images: all }, this.#saved.sessionId)
    const along = all.length === 0 ? {} : { images: [...all] }
    this.#host().post({ kind: 'draft', sessionId, text: both, ...along })
  }

  choices(sessionId: string | null, question: OpenQuestion): readonly Choice[] {
    return choicesOf(this.#saved, sessionId ?? '', question)
  }

  /** Null: they are on their way. */
  keepChoices(sessionId: string, id: string, choices: readonly Choice[] | null): void {
    this.#host().save(withChoices(this.#saved, { sessionId, id }, choices, Date.now()))
  }

  /** Choices for questions that wait no more go to the host, which shows what was typed beside their record. */
  handOver(sessionId: string | null, questions: readonly OpenQuestion[]): void {
    const { choices, ...saved } = this.#saved
    const gone = choices.filter(each => each.sessionId === sessionId && !questions.some(({ id }) => id === each.id))
    if (gone.length === 0) return
    for (const { at: _, ...left } of gone) this.#host().post({ kind: 'questionDraft', ...left })
    this.#host().save({ ...saved, choices: choices.filter(each => !gone.includes(each)) })
  }
}
