import { createHash } from 'node:crypto'
import { PlanModeError } from '../session/errors.ts'
import type { Remark, RemarkKind } from '../session/reviews.ts'
import type { Range } from './anchors/anchor.ts'
import { DraftAtWork, type RemarkChange } from './drafts/draft-at-work.ts'
import type { DraftStore } from './drafts/draft-store.ts'
import { type Fate, fatesBetween } from './fate.ts'
import { feedbackText, type Said, saysAnything } from './feedback.ts'
import { madeRemarks, type NewRemark } from './new-remark.ts'
import { numberOf } from './remark-ids.ts'
import { type ShownRemark, saidRemark } from './shown-remark.ts'
import * as words from './words.ts'

/** Characters of the longest text that is reviewed: its remarks keep it, to be placed anew when it changes. */
export const MOST_CHARACTERS = 2_000_000

export type FileVerdict = 'approved' | 'kept'

/**
 * The review of a file, which no agent presented and no log knows: remarks and notes that are kept like those on a plan.
 * The text may change under them; each remark keeps the one it was made on.
 */
export class FileReview {
  readonly #work: DraftAtWork
  readonly #text: () => string
  readonly loaded: Promise<void>

  /** `key` names the file for good, such as its URI; `text` is what it holds now. */
  constructor(key: string, text: () => string, store: DraftStore, onError: (error: unknown) => void = () => {}) {
    this.#text = text
    this.#work = new DraftAtWork(key, store, onError)
    this.loaded = this.#work.loaded
  }

  textOf(): string {
    return this.#text()
  }

  /** Remarks beside the text as it is now, in the order of their ids. */
  remarks(): readonly ShownRemark[] {
    const { remarks, texts = {} } = this.#work.now
    const text = this.#text()
    const fates = new Map<string, ReturnType<typeof fatesBetween>>()
    const fateOf = (on: string, { anchor }: Remark): Fate | null => {
      if (anchor === null) return null
      const fate = fates.get(on) ?? fatesBetween(texts[on] ?? '', text)
      fates.set(on, fate)
      return fate(anchor)
    }
    const shown = remarks.map(({ on, remark }): ShownRemark => {
      const fate = texts[on] === text ? null : fateOf(on, remark)
      const place =
        fate === null
          ? { range: remark.anchor?.range ?? null, fate: 'here' as const }
          : { range: 'range' in fate ? fate.range : null, fate: fate.kind }
      return { ...remark, ...place, state: 'unsent', claim: undefined }
    })
    return shown.sort((one, other) => numberOf(one.id) - numberOf(other.id))
  }

  get notes(): string {
    return this.#work.now.notes
  }

  /** @throws PlanModeError `EMPTY_RANGE`, or `TEXT_TOO_LONG`. */
  add(kind: RemarkKind, range: Range | null, text: string): Remark {
    const [remark] = this.addAll([{ kind, range, text }])
    if (remark === undefined) throw new PlanModeError('UNREACHABLE', 'One remark was given and none was made.')
    return remark
  }

  /** Adds all of them or, with an error as of `add`, none. */
  addAll(given: readonly NewRemark[]): readonly Remark[] {
    const text = this.#text()
    if (text.length > MOST_CHARACTERS) {
      throw new PlanModeError(
        'TEXT_TOO_LONG',
        'This file is too long to be reviewed: remarks can be made on two million characters at most.',
      )
    }
    const { remarks, texts = {} } = this.#work.now
    const made = madeRemarks(
      text,
      given,
      remarks.map(({ remark }) => remark.id),
    )
    const on = hashOf(text)
    const all = [...remarks, ...made.map(remark => ({ on, remark }))]
    const needed = new Set(all.map(each => each.on))
    const kept = Object.fromEntries(Object.entries({ ...texts, [on]: text }).filter(([key]) => needed.has(key)))
    this.#work.change({ remarks: all, texts: kept })
    return made
  }

  edit(id: string, change: RemarkChange): void {
    this.#work.edit(id, change)
  }

  remove(id: string): void {
    this.#work.remove(id)
  }

  setNotes(notes: string): void {
    this.#work.change({ notes })
  }

  /** Whether anything is said. */
  get unsent(): boolean {
    return saysAnything('', this.#said())
  }

  /** The verdict with everything said, as one text for people and agents; `path` is how they know the file. */
  verdictText(path: string, verdict: FileVerdict): string {
    const said = feedbackText(this.#text(), this.#said(), 'file')
    return [words.fileVerdict(path, verdict), ...(said === undefined ? [] : [said])].join('\n\n')
  }

  /** Forgets what was said: it went to the agent, or its author wants it gone. */
  clear(): void {
    this.#work.change({ remarks: [], notes: '', texts: {} })
  }

  onChange(listener: () => void): Disposable {
    return this.#work.onChange(listener)
  }

  /** Resolves when what was typed so far is on disk. @throws PlanModeError `DRAFT_UNSAVED` */
  flush(): Promise<void> {
    return this.#work.flush()
  }

  #said(): Said {
    const text = this.#text()
    const remarks = this.remarks().map(remark => saidRemark(text, remark))
    return { remarks, notes: this.notes }
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
