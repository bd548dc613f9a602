import * as vscode from 'vscode'
import { withWords } from '../../review/new-remark.ts'
import { PlanModeError } from '../../session/errors.ts'
import type { RemarkKind } from '../../session/reviews.ts'
import { type CommentBox, CommentBoxes } from './comment-boxes.ts'
import { pickedRange, type RemarkKeeper, type ThreadView, threadViews } from './thread-view.ts'
import { threadWords } from './words.ts'

interface Drawn {
  readonly thread: vscode.CommentThread
  shown: string
  /** A person is changing its words; nothing may be drawn over them. `before` is what they were. */
  editing: { readonly box: CommentBox; readonly before: string } | undefined
}

/** Where a native thread or comment belongs. */
interface Place {
  readonly uri: vscode.Uri
  readonly id: string
}

/** What VS Code hands to a command beside a comment box. */
interface Reply {
  readonly thread: Pick<vscode.CommentThread, 'uri' | 'range' | 'dispose'>
  readonly text: string
}

/** Remarks as native comment threads in the documents they are on: a drawing of the keeper, never a store of its own. */
export class CommentThreads implements vscode.CommentingRangeProvider {
  readonly #controller: vscode.CommentController
  readonly #keeperOf: (uri: vscode.Uri) => RemarkKeeper | undefined
  readonly #drawn = new Map<string, Map<string, Drawn>>()
  readonly #places = new WeakMap<object, Place>()
  readonly #boxes = new CommentBoxes()

  constructor(keeperOf: (uri: vscode.Uri) => RemarkKeeper | undefined) {
    this.#keeperOf = keeperOf
    this.#controller = vscode.comments.createCommentController('plan-remarks', vscode.l10n.t('Plan remarks'))
    this.#controller.options = {
      prompt: vscode.l10n.t('Remark on this'),
      placeHolder: vscode.l10n.t('What should change, or what is unclear?'),
    }
    this.#controller.commentingRangeProvider = this
  }

  provideCommentingRanges({ uri, lineCount }: vscode.TextDocument): vscode.CommentingRanges | undefined {
    if (this.#keeperOf(uri) === undefined) return undefined
    return { enableFileComments: true, ranges: [new vscode.Range(0, 0, Math.max(0, lineCount - 1), 0)] }
  }

  /** Lets VS Code ask anew which documents can be remarked on. */
  askAgain(): void {
    this.#controller.commentingRangeProvider = this
  }

  /** Draws the threads of every open document that has a keeper, and takes away those of closed ones. */
  render(): void {
    const open = new Set<string>()
    for (const { uri } of vscode.workspace.textDocuments) {
      const keeper = this.#keeperOf(uri)
      if (keeper === undefined) continue
      open.add(uri.toString())
      this.#draw(uri, keeper)
    }
    for (const [key, drawn] of this.#drawn) {
      if (open.has(key)) continue
      for (const { thread } of drawn.values()) thread.dispose()
      this.#drawn.delete(key)
    }
  }

  /** Makes a remark of what was written into a comment box. Words are never refused: without a place they keep a quote. */
  add(kind: RemarkKind, argument: unknown): void {
    const { thread, text } = replyOf(argument)
    const keeper = this.#keeperOf(thread.uri)
    if (keeper === undefined) throw new PlanModeError('NO_PLAN', 'There is no review at this place any more.')
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === thread.uri.toString())
    const now = keeper.textOf()
    const shown = document?.getText() ?? now
    const range = thread.range === undefined ? null : pickedRange(shown, thread.range)
    if (range === null || shown.slice(range.start, range.end).trim() === '') keeper.add(kind, null, text)
    else if (withLf(shown) !== withLf(now)) {
      // The plan was presented anew while this was written on the text before.
      keeper.add(kind, null, withWords(shown.slice(range.start, range.end), text))
    } else keeper.add(kind, thread.range === undefined ? null : pickedRange(now, thread.range), text)
    thread.dispose()
    this.render()
  }

  /** Opens the words of an unsent remark for changing. */
  edit(argument: unknown): void {
    const { drawn, keeper, id } = this.#find(argument)
    const text = keeper.remarks().find(remark => remark.id === id)?.text ?? ''
    drawn.editing?.box.end()
    drawn.editing = { box: this.#boxes.begin(text, said => keeper.edit(id, { text: said })), before: text }
    drawn.thread.comments = drawn.thread.comments.map((comment, index) =>
      index > 0 ? comment : this.#placed({ ...comment, body: text, mode: vscode.CommentMode.Editing }, drawn.thread),
    )
  }

  /** Takes the changed words, or with `keep` false leaves them as they were. */
  endEdit(argument: unknown, keep: boolean): void {
    const { drawn, keeper, id } = this.#find(argument)
    const { box, before = '' } = drawn.editing ?? {}
    box?.end()
    drawn.editing = undefined
    drawn.shown = ''
    if (keep && typeof argument === 'object' && argument !== null && 'body' in argument) {
      const { body } = argument
      keeper.edit(id, { text: body instanceof vscode.MarkdownString ? body.value : String(body) })
    } else if (box !== undefined && !keep) keeper.edit(id, { text: before })
    this.render()
  }

  /** Brings what is being typed into the boxes of a document to its keeper. */
  gather(of: (uri: vscode.Uri) => boolean): void {
    for (const [uri, drawn] of this.#drawn) {
      if (!of(vscode.Uri.parse(uri))) continue
      for (const { editing } of drawn.values()) editing?.box.now()
    }
  }

  /** The remark that a command of a thread or a comment is about. @throws PlanModeError `NO_REMARK` */
  remarkOf(argument: unknown): { readonly id: string; readonly uri: vscode.Uri; readonly keeper: RemarkKeeper } {
    const { keeper, id, uri } = this.#find(argument)
    return { keeper, id, uri }
  }

  dispose(): void {
    this.#boxes.dispose()
    this.#controller.dispose()
  }

  #find(argument: unknown): Place & { readonly drawn: Drawn; readonly keeper: RemarkKeeper } {
    const place = typeof argument === 'object' && argument !== null ? this.#places.get(argument) : undefined
    const drawn = place === undefined ? undefined : this.#drawn.get(place.uri.toString())?.get(place.id)
    const keeper = place === undefined ? undefined : this.#keeperOf(place.uri)
    if (place === undefined || drawn === undefined || keeper === undefined) {
      throw new PlanModeError('NO_REMARK', 'Use this on a remark in the source of a plan.')
    }
    return { ...place, drawn, keeper }
  }

  #draw(uri: vscode.Uri, keeper: RemarkKeeper): void {
    const key = uri.toString()
    const drawn = this.#drawn.get(key) ?? new Map<string, Drawn>()
    const isFirst = !this.#drawn.has(key)
    this.#drawn.set(key, drawn)
    const views = threadViews(keeper.textOf(), keeper.remarks(), threadWords())
    const ids = new Set(views.map(({ id }) => id))
    for (const [id, { thread }] of drawn) {
      if (ids.has(id)) continue
      thread.dispose()
      drawn.delete(id)
    }
    for (const view of views) {
      const known = drawn.get(view.id)
      if (known === undefined) drawn.set(view.id, this.#make(uri, view, isFirst))
      else this.#update(uri, known, view)
    }
  }

  #make(uri: vscode.Uri, view: ThreadView, isFirst: boolean): Drawn {
    const thread = this.#controller.createCommentThread(uri, new vscode.Range(0, 0, 0, 0), [])
    thread.canReply = false
    const { Collapsed, Expanded } = vscode.CommentThreadCollapsibleState
    thread.collapsibleState = isFirst || view.resolved ? Collapsed : Expanded
    this.#places.set(thread, { uri, id: view.id })
    const drawn: Drawn = { thread, shown: '', editing: undefined }
    this.#update(uri, drawn, view)
    return drawn
  }

  #update(uri: vscode.Uri, drawn: Drawn, view: ThreadView): void {
    const shown = JSON.stringify(view)
    // It was sent while its words were being changed: what was typed since is a remark of its own, and the box closes.
    if (view.context !== 'unsent' && drawn.editing !== undefined) {
      const { box } = drawn.editing
      drawn.editing = undefined
      box.now()
      box.end()
    }
    if (drawn.editing !== undefined || drawn.shown === shown) return
    drawn.shown = shown
    const { thread } = drawn
    const { range } = view
    thread.range =
      range === null
        ? undefined
        : new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character)
    thread.label = view.label
    thread.contextValue = view.context
    thread.state = view.resolved ? vscode.CommentThreadState.Resolved : vscode.CommentThreadState.Unresolved
    const own = comment(vscode.l10n.t('You'), view.text, view.context, view.quote)
    const claim = view.claim === undefined ? [] : [comment(vscode.l10n.t('Agent'), view.claim, 'claim')]
    const answer = view.answer === undefined ? [] : [comment(vscode.l10n.t('Explorer'), view.answer, 'answer')]
    thread.comments = [own, ...answer, ...claim].map(each => this.#placed(each, thread))
    this.#places.set(thread, { uri, id: view.id })
  }

  #placed(made: vscode.Comment, thread: vscode.CommentThread): vscode.Comment {
    const place = this.#places.get(thread)
    if (place !== undefined) this.#places.set(made, place)
    return made
  }
}

/** Words of people, files and models are shown as they are: no markup of theirs counts, and nothing of it loads. */
function comment(author: string, text: string, contextValue: string, quote?: string): vscode.Comment {
  const body = new vscode.MarkdownString()
  if (quote !== undefined) body.appendText(`“${quote}”`).appendMarkdown('\n\n---\n\n')
  body.appendText(text)
  return { author: { name: author }, body, mode: vscode.CommentMode.Preview, contextValue }
}

function replyOf(argument: unknown): Reply {
  if (isReply(argument)) return argument
  throw new PlanModeError('NO_REMARK', 'Use this in a comment box of the source of a plan.')
}

function isReply(argument: unknown): argument is Reply {
  if (typeof argument !== 'object' || argument === null) return false
  if (!('thread' in argument) || !('text' in argument) || typeof argument.text !== 'string') return false
  const { thread } = argument
  return typeof thread === 'object' && thread !== null && 'uri' in thread && thread.uri instanceof vscode.Uri
}

function withLf(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}
