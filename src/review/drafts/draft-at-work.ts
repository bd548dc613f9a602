import type { Remark } from '../../session/reviews.ts'
import type { DraftStore } from './draft-store.ts'
import { forgot } from './forget.ts'
import { emptyDraft, type ReviewDraft } from './review-draft.ts'

/** What a remark of a draft may still change. */
export type RemarkChange = Partial<Pick<Remark, 'kind' | 'text' | 'images'>>

/**
 * A draft that is being written: kept in the store under its key at every change, told to listeners at once. What a
 * review of a session and a review of a file have in common.
 */
export class DraftAtWork {
  readonly #key: string
  readonly #store: DraftStore
  readonly #onError: (error: unknown) => void
  readonly #settle: (kept: ReviewDraft) => ReviewDraft
  readonly #listeners = new Set<() => void>()
  #draft: ReviewDraft = emptyDraft
  /** Resolves when the draft of an earlier life is there. */
  readonly loaded: Promise<void>

  /** `settle` takes out of a draft of an earlier life what needs saying no more. */
  constructor(
    key: string,
    store: DraftStore,
    onError: (error: unknown) => void,
    settle: (kept: ReviewDraft) => ReviewDraft = kept => kept,
  ) {
    this.#key = key
    this.#store = store
    this.#onError = onError
    this.#settle = settle
    this.loaded = this.#load()
  }

  get now(): ReviewDraft {
    return this.#draft
  }

  change(change: Partial<ReviewDraft>): void {
    this.replace({ ...this.#draft, ...change })
  }

  replace(draft: ReviewDraft): void {
    this.#draft = { ...draft, at: Date.now() }
    this.#store.keep(this.#key, this.#draft).catch(this.#onError)
    this.tell()
  }

  add(on: string, remarks: readonly Remark[]): void {
    this.change({ remarks: [...this.#draft.remarks, ...remarks.map(remark => ({ on, remark }))] })
  }

  edit(id: string, change: RemarkChange): void {
    this.change({
      remarks: this.#draft.remarks.map(each =>
        each.remark.id === id ? { ...each, remark: { ...each.remark, ...change } } : each,
      ),
    })
  }

  /** Takes an unsent remark away, or a sent one out of what is to be sent again. */
  remove(id: string): void {
    this.change({
      remarks: this.#draft.remarks.filter(({ remark }) => remark.id !== id),
      again: this.#draft.again.filter(each => each !== id),
    })
  }

  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  /** Resolves when what was typed so far is on disk. @throws PlanModeError `DRAFT_UNSAVED` */
  async flush(): Promise<void> {
    await this.#store.keep(this.#key, this.#draft)
  }

  async #load(): Promise<void> {
    try {
      const kept = await this.#store.read(this.#key)
      if (this.#draft === emptyDraft) this.#draft = kept
      const before = this.#draft
      if (before === emptyDraft) return this.tell()
      this.#draft = this.#settle(before)
      if (forgot(before, this.#draft)) this.replace(this.#draft)
      else this.tell()
    } catch (error) {
      this.#onError(error)
    }
  }
}
