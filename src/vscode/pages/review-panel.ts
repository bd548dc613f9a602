import * as vscode from 'vscode'
import type { Diagrams } from '../../diagrams/diagrams.ts'
import { hashPlan } from '../../plan/present-plan.ts'
import { reviewHistory } from '../../review/revisions.ts'
import { assertNever, messageOf, PlanModeError } from '../../session/errors.ts'
import { type FromReview, fromReview, type PanelAct, type ToReview } from '../../webview/review-messages.ts'
import { attempt, continueHere, openFile, openLink, select, toggle } from '../acts.ts'
import type { Conversation } from '../conversations/conversation.ts'
import type { Surfaces } from '../surfaces.ts'
import type { PlanWindow } from '../window.ts'
import { Page } from './page.ts'
import { PageImages } from './page-images.ts'
import { addImage, removeImage, turnAsk, turnRemark } from './remark-acts.ts'
import { remarkViews, remarkViewsOf } from './remarks-view.ts'
import { type CarryOut, decideReview } from './review-decision.ts'
import { ReviewReading } from './review-reading.ts'
import { reviewView } from './review-view.ts'

export interface ReviewPanelParts {
  readonly window: PlanWindow
  readonly surfaces: Surfaces
  /** Unless given, no conversation of its own is offered to an approved plan. */
  readonly carryOut: CarryOut | undefined
  readonly diagrams: Diagrams
  /** Brings into the review what surfaces beside the panels hold and have not said yet. */
  readonly gather: (conversation: Conversation) => void
}

/** A page that does not answer is not waited for longer: it holds nothing that it did not post, or hangs. */
const FLUSH_MS = 1_000

/** The review panel of one conversation. */
export class ReviewPanel {
  readonly panel: vscode.WebviewPanel
  readonly #sessionId: string
  readonly #parts: ReviewPanelParts
  readonly #page: Page<ToReview, FromReview>
  readonly #reading: ReviewReading
  readonly #images: PageImages
  #chosen: string | undefined
  /** What the page was sent last, so that nothing is sent twice. */
  #drawn = { review: '', remarks: '' }
  #ready = false
  readonly #flushing = new Map<string, () => void>()
  readonly #acts: PanelAct[] = []

  constructor(panel: vscode.WebviewPanel, sessionId: string, parts: ReviewPanelParts) {
    this.panel = panel
    this.#sessionId = sessionId
    this.#parts = parts
    const { window } = parts
    panel.iconPath = vscode.Uri.joinPath(window.extensionUri, 'media', 'icon.svg')
    this.#page = new Page<ToReview, FromReview>(panel.webview, {
      extensionUri: window.extensionUri,
      name: 'review',
      title: 'Plan review',
      messages: fromReview,
      onMessage: message => attempt(window, () => this.#receive(message)),
      onRefused: error => window.report(error),
    })
    this.#reading = new ReviewReading(message => this.#page.post(message))
    this.#images = new PageImages(window, message => this.#page.post(message))
    // A page that is out of sight is unloaded; it says `ready` anew.
    panel.onDidChangeViewState(() => {
      if (!panel.visible) this.#ready = false
    })
  }

  /** Makes the page do what a command asks for, once it is there. */
  act(act: PanelAct): void {
    this.#acts.push(act)
    if (this.#ready) this.#runActs()
  }

  draw(): void {
    const conversation = this.#conversation
    if (conversation === undefined) return
    this.#reading.follow(conversation)
    const review = this.#view(conversation)
    if (review === undefined) {
      if (this.#drawn.review !== 'empty') {
        this.#page.post({ kind: 'empty', text: 'No plan was presented in this conversation yet.' })
      }
      this.#drawn.review = 'empty'
      return
    }
    const title = `Plan: ${review.title}`
    if (this.panel.title !== title) this.panel.title = title
    const drawing = JSON.stringify({ ...review, markdown: '' })
    if (drawing !== this.#drawn.review) this.#page.post({ kind: 'review', review })
    this.#drawn.review = drawing
    this.#drawRemarks(conversation, review.reviewId, review.older)
    this.#reading.draw(conversation, review)
  }

  /** Resolves when what the page holds and had not posted is in the review. */
  async gather(): Promise<void> {
    if (!this.#ready) return
    const key = crypto.randomUUID()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#flushing.set(key, resolve)
    const timer = setTimeout(resolve, FLUSH_MS)
    this.#page.post({ kind: 'flush', key })
    await promise
    clearTimeout(timer)
    this.#flushing.delete(key)
  }

  dispose(): void {
    this.#reading[Symbol.dispose]()
    this.#page.dispose()
  }

  get #conversation(): Conversation | undefined {
    return this.#parts.window.conversations.find(this.#sessionId)
  }

  #view(conversation: Conversation) {
    return reviewView(conversation, {
      carriedOutWith: this.#parts.window.carriedOutWith(),
      offersFresh: this.#parts.carryOut !== undefined,
      chosen: this.#chosen,
    })
  }

  #drawRemarks({ review, session, project }: Conversation, reviewId: string, older: boolean): void {
    const remarks = older
      ? remarkViewsOf(session.state(reviewHistory), reviewId)
      : remarkViews(review, by => project.explorers.activityOf(by))
    const edited = older ? undefined : review.edited
    const editedHash = edited === undefined ? null : hashPlan(edited)
    const message: ToReview = { kind: 'remarks', reviewId, remarks, editedHash }
    const drawing = JSON.stringify(message)
    if (drawing !== this.#drawn.remarks) this.#page.post(message)
    this.#drawn.remarks = drawing
  }

  async #receive(message: FromReview): Promise<void> {
    const conversation = this.#conversation
    if (conversation === undefined) return
    const { review } = conversation
    switch (message.kind) {
      case 'ready':
        return await this.#welcome(conversation)
      case 'flushed':
        return this.#flushing.get(message.key)?.()
      case 'decide':
        return await this.#decide(conversation, message)
      case 'draft':
        review.setNotes(message.text)
        return await this.#keep(conversation, null, message.text)
      case 'addRemark':
        if (message.planHash !== review.shown?.planHash) throw changed()
        return void review.add(message.remark, message.range, '')
      case 'editRemark':
        review.edit(message.id, { text: message.text })
        return await this.#keep(conversation, message.id, message.text)
      case 'turnRemark':
        return await turnRemark(conversation, message)
      case 'turnAsk':
        return await turnAsk(conversation, message)
      case 'openExplorer':
        return await this.#parts.surfaces.openExplorer(message.sessionId)
      case 'addImage':
        await this.#images.add(conversation.project, message, image => addImage(conversation, message.id, image))
        return await review.flush()
      case 'removeImage':
        return removeImage(conversation, message)
      case 'loadImage':
        return await this.#images.load(message.attachmentId)
      case 'openImage':
        return await this.#images.open(message.attachmentId)
      case 'showRevision':
        this.#chosen = message.reviewId ?? undefined
        return this.draw()
      case 'leave':
        return void (await select(conversation, false))
      case 'toggleMode':
        return void (await toggle(conversation))
      case 'continueHere':
        return await continueHere(this.#parts.window, conversation)
      case 'showConversation':
        return await this.#parts.surfaces.showConversation(conversation)
      case 'openFile':
        return await openFile(conversation.project.folder, message.path)
      case 'compareWith':
        this.#reading.compareWith(message.base)
        return this.draw()
      case 'drawDiagram':
        return await this.#drawDiagram(message.text)
      case 'openSymbol':
        return await this.#reading.openSymbol(message.name)
      case 'openLink':
        return await openLink(message.href)
      default:
        return assertNever(message)
    }
  }

  async #drawDiagram(text: string): Promise<void> {
    const picture = (await this.#parts.diagrams.draw(text)) ?? null
    this.#page.post({ kind: 'diagram', text, picture })
  }

  /** The page holds what it typed until this says that it is on disk. */
  async #keep({ review }: Conversation, id: string | null, text: string): Promise<void> {
    await review.flush()
    this.#page.post({ kind: 'kept', id, text })
  }

  /** A page that has just loaded gets the review, and what was typed for it before. */
  async #welcome(conversation: Conversation): Promise<void> {
    const { review } = conversation
    await review.loaded
    await this.#adoptOldDraft(conversation)
    this.#drawn = { review: '', remarks: '' }
    this.#reading.reset()
    this.draw()
    const reviewId = this.#view(conversation)?.reviewId
    if (reviewId !== undefined) {
      const { notes, at } = review.draft
      this.#page.post({ kind: 'draft', reviewId, text: notes, at })
    }
    this.#ready = true
    this.#runActs()
  }

  /** Feedback that an older version of the extension kept in a place of its own. */
  async #adoptOldDraft({ review, id }: Conversation): Promise<void> {
    const reviewId = review.shown?.reviewId ?? ''
    const { drafts } = this.#parts.window
    const places = [`review:${id}:${reviewId}`, `review:${reviewId}`]
    const texts = places.map(place => drafts.read(place).text).filter(text => text.trim() !== '')
    if (texts.length === 0) return
    review.setNotes([...texts, review.draft.notes].filter(each => each.trim() !== '').join('\n\n'))
    await review.flush()
    for (const place of places) drafts.keep(place, '')
  }

  async #decide(conversation: Conversation, message: Extract<FromReview, { kind: 'decide' }>): Promise<void> {
    const { reviewId } = message
    try {
      // The page has posted what it held before it posted this.
      await decideReview(conversation, message, async () => this.#parts.gather(conversation))
    } catch (error) {
      this.#page.post({ kind: 'refused', reviewId, text: messageOf(error) })
      this.#drawn = { review: '', remarks: '' }
      return this.draw()
    }
    if (message.next === 'fresh') await this.#parts.carryOut?.(conversation, reviewId)
  }

  #runActs(): void {
    for (const act of this.#acts.splice(0)) this.#page.post({ kind: 'act', act })
  }
}

function changed(): PlanModeError {
  return new PlanModeError('PLAN_CHANGED', 'The plan changed since it was shown. Select the words in the new revision.')
}
