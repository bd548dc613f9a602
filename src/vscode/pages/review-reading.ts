import * as vscode from 'vscode'
import { changesSinceBase } from '../../review/base-changes.ts'
import { namedIn, symbolOf } from '../../review/reach.ts'
import { Writing } from '../../review/writing.ts'
import type { Session } from '../../session/session.ts'
import type { ReviewView, ToReview } from '../../webview/review-messages.ts'
import { gitStates } from '../reading/git-states.ts'
import { lookUpFiles } from '../reading/named-files.ts'
import { type FoundSymbol, lookUpSymbols } from '../reading/named-symbols.ts'

/** Ms between two posts of a plan that grows; a long one costs the page more to draw, so it comes less often. */
const pauseFor = (text: string): number => 150 + text.length / 500

type Drawn = Pick<ReviewView, 'reviewId' | 'planHash' | 'state' | 'markdown'>

/** What is read of a conversation. */
interface Read {
  readonly session: Session
  /** Absolute paths: its workspace folder, and where its logs are. */
  readonly project: { readonly folder: string; readonly root: string; readonly onError: (error: unknown) => void }
}

/**
 * What helps to read a plan in one panel: what of it is there in the workspace, what changed since the last decision,
 * and the plan that the model is writing.
 */
export class ReviewReading {
  readonly #post: (message: ToReview) => void
  #session: Session | undefined
  #observing: Disposable | undefined
  #writing = new Writing()
  #timer: ReturnType<typeof setTimeout> | undefined
  #posted: string | undefined
  #drawn = ''
  /** The changes drawn last, and the revision they were asked to be held against. */
  #changed = ''
  #base: string | undefined
  #shown = ''
  #symbols: ReadonlyMap<string, FoundSymbol> = new Map()

  constructor(post: (message: ToReview) => void) {
    this.#post = post
  }

  /** Follows what the model writes in a conversation, from the step that runs. */
  follow({ session }: Pick<Read, 'session'>): void {
    if (session === this.#session) return
    this.#observing?.[Symbol.dispose]()
    this.#session = session
    this.#writing = new Writing()
    let from = session.length
    while (from > 0 && session.at(from - 1).type !== 'step/start') from--
    // Without a step, nothing is being written.
    for (let seq = from; from > 0 && seq < session.length; seq++) this.#writing.apply(session.at(seq))
    this.#observing = session.observe(event => {
      if (this.#writing.apply(event)) this.#soon()
    })
    this.#soon()
  }

  /** Sends what belongs to a review, once for each text and state of it. */
  draw(conversation: Read, { reviewId, planHash, state, markdown }: Drawn): void {
    const key = `${reviewId} ${planHash} ${state}`
    if (reviewId !== this.#shown) this.#base = undefined
    this.#shown = reviewId
    if (this.#changed !== `${key} ${this.#base}`) this.#drawChanges(conversation.session, reviewId)
    this.#changed = `${key} ${this.#base}`
    if (key === this.#drawn) return
    this.#drawn = key
    this.#reach(conversation, reviewId, markdown).catch(error => conversation.project.onError(error))
  }

  /** Holds the plan shown against this older revision; null, or another plan: against the last one that was decided. */
  compareWith(base: string | null): void {
    this.#base = base ?? undefined
  }

  /** The page was loaded anew and knows nothing. */
  reset(): void {
    this.#drawn = ''
    this.#changed = ''
    this.#posted = undefined
    this.#soon()
  }

  /** Opens where a symbol is that was found for the plan; another name opens nothing. */
  async openSymbol(name: string): Promise<void> {
    const symbol = this.#symbols.get(name)
    if (symbol === undefined) return
    const { uri, range } = symbol.location
    await vscode.window.showTextDocument(uri, { preview: true, selection: range })
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#observing?.[Symbol.dispose]()
  }

  #drawChanges(session: Session, reviewId: string): void {
    const changes = changesSinceBase(session, reviewId, this.#base)
    if (changes === undefined) return
    const hunks = changes.hunks.map(hunk => ({ ...hunk }))
    this.#post({ kind: 'changes', reviewId, changes: { ...changes, hunks } })
  }

  async #reach({ project }: Read, reviewId: string, markdown: string): Promise<void> {
    const { folder, root } = project
    const key = this.#drawn
    const named = namedIn(markdown)
    const states = gitStates(folder)
    const allFiles = await lookUpFiles(folder, [root], [...named.files, ...named.either], states)
    const sure = new Set(named.files)
    // A bare name that is no file here may be anything else.
    const files = allFiles.filter(({ path, exists }) => exists || sure.has(path))
    if (key !== this.#drawn) return
    this.#post({ kind: 'reach', reviewId, reach: { files: [...files], symbols: [] } })
    const plain = new Set(named.symbols)
    const maybe = named.either
      .filter(name => !files.some(({ path }) => path === name))
      .flatMap(name => symbolOf(name) ?? [])
    const { found, view: all } = await lookUpSymbols(folder, [...new Set([...plain, ...maybe])])
    // What may be a file's name as well is never called missing.
    const view = all.filter(({ name, exists }) => exists || plain.has(name))
    if (key !== this.#drawn) return
    this.#symbols = found
    if (view.length > 0) this.#post({ kind: 'reach', reviewId, reach: { files: [...files], symbols: [...view] } })
  }

  #soon(): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined
        const text = this.#writing.text
        if (text === this.#posted) return
        this.#posted = text
        this.#post({ kind: 'writing', text: text ?? null })
      },
      pauseFor(this.#posted ?? ''),
    )
  }
}
