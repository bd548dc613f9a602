import * as z from 'zod'
import { addedImage, fromImages, imageLimits, images, toImages } from './image-messages.ts'
import { change, item } from './transcript-messages.ts'

/**
 * Everything that crosses between the extension host and the conversation view, in both directions, and what the review
 * panel's messages (review-messages.ts) share with it. The host parses every message of a page; the page parses what the host sends once, at its door.
 */
const text = z.string()
const id = z.string().min(1)
/** When a draft was kept, epoch milliseconds: the later of the host's and the page's own wins after a crash. */
export const keptAt = z.number().nonnegative().optional()

/** The mode as every surface draws it: the committed state, and whether it changes at the next step. */
export const modeView = z.strictObject({ active: z.boolean(), pending: z.boolean() })
export type ModeView = z.infer<typeof modeView>

/** An answer as it is sent; `custom` is what a person wrote in their own words. */
const answer = z.strictObject({ id, selected: z.array(text), custom: text.optional() })

/** What is chosen and typed for one question and not sent yet. `own`: the person's own words count, not only lie there. */
export const choice = z.strictObject({ id, selected: z.array(text), custom: text, own: z.boolean() })
export type Choice = z.infer<typeof choice>

/**
 * Questions of one call that wait for a person. `id` is the id of their transcript entry, where they have one; `detail`
 * is Markdown.
 */
export const openQuestion = z.strictObject({
  id,
  questions: z.array(
    z.strictObject({
      id,
      question: text,
      header: text.optional(),
      detail: text.optional(),
      options: z.array(z.strictObject({ label: text, description: text.optional() })),
      multiSelect: z.boolean(),
    }),
  ),
  /** What was kept of an earlier page; `keptAt` tells when. */
  kept: z.array(choice),
  keptAt: z.number().nonnegative(),
})
export type OpenQuestion = z.infer<typeof openQuestion>

export const queuedPrompt = z.strictObject({
  id,
  text,
  target: z.enum(['next-turn', 'next-step']),
  images: images.optional(),
})
export type QueuedPrompt = z.infer<typeof queuedPrompt>

/** A change in the log: the seq of a tool result, and of a program the call that made it. */
const changeRef = z.strictObject({ seq: z.int().nonnegative(), callId: id.optional() })
const changedFile = z.strictObject({ ...change.shape, refs: z.array(changeRef) })
export type ChangedFile = z.infer<typeof changedFile>
const stepState = z.enum(['open', 'running', 'done', 'skipped'])
const stepOutcome = z.enum(['done', 'skipped', 'partly', 'untouched'])

/** The approved plan that is being carried out, with the files changed under each step and while none was at work. */
export const pinnedPlan = z.strictObject({
  title: text,
  steps: z.array(
    z.strictObject({ id, title: text, state: stepState, note: text.nullable(), files: z.array(changedFile) }),
  ),
  elsewhere: z.array(changedFile),
  /** What it came to: one outcome for each step, and files that were changed though the plan does not name them. */
  check: z.strictObject({ outcomes: z.array(stepOutcome), unplanned: z.array(changedFile) }).nullable(),
})
export type PinnedPlan = z.infer<typeof pinnedPlan>

/** All of the conversation view but its transcript; sent whole on every change. */
export const conversationState = z.strictObject({
  /** Null while no conversation is open. */
  sessionId: id.nullable(),
  title: text,
  mode: modeView,
  running: z.boolean(),
  /** The running turn waits for a person, not for the model or a tool. */
  waitsForYou: z.boolean(),
  /** A sentence while something holds the request up ("Trying again in 2 s"). */
  activity: text.nullable(),
  reviewWaiting: z.strictObject({ reviewId: id, title: text }).nullable(),
  /** The approved plan, until it is closed. */
  plan: pinnedPlan.nullable(),
  /** What the agent waits to be answered here, oldest first. */
  questions: z.array(openQuestion),
  queue: z.array(queuedPrompt),
  model: z.strictObject({ label: text, ready: z.boolean() }),
  /** Tokens of the last request and of the model's window; null when either is unknown. */
  context: z.strictObject({ used: z.int().nonnegative(), window: z.int().positive() }).nullable(),
  /** Why this window cannot write, as a sentence. */
  readOnly: text.nullable(),
  /** Whether another window writes it, so that "Continue here" is offered. */
  continueHere: z.boolean(),
  /** What is wrong and the command that mends it, when there is one. */
  problem: z.strictObject({ text, action: z.strictObject({ label: text, command: id }).nullable() }).nullable(),
  noFolder: z.boolean(),
  /** `unavailable`: why it cannot run now, as a sentence. */
  commands: z.array(
    z.strictObject({ name: id, description: text, input: text.optional(), unavailable: text.optional() }),
  ),
  /** False when the setting gives Shift+Tab back to the browser's own focus order. */
  shiftTabTogglesMode: z.boolean(),
  /** Entries of the transcript before the first one that was sent. */
  earlier: z.int().nonnegative(),
})
export type ConversationState = z.infer<typeof conversationState>

export const toConversation = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('state'), state: conversationState }),
  /** Replaces the whole transcript. */
  z.strictObject({ kind: z.literal('transcript'), items: z.array(item) }),
  /** Known ids are replaced in place, new ones go last. */
  z.strictObject({ kind: z.literal('upsert'), items: z.array(item) }),
  /** Earlier entries, to go before the first one shown. */
  z.strictObject({ kind: z.literal('prepend'), items: z.array(item) }),
  /** Streamed text to add to an assistant or reasoning entry. */
  z.strictObject({ kind: z.literal('delta'), id, text }),
  /**
   * Puts text and images into the composer (a kept draft); `whenEmpty` leaves what was typed later alone. `sessionId`
   * says whose composer; without it, that of the conversation shown.
   */
  z.strictObject({
    kind: z.literal('composer'),
    text,
    images: images.optional(),
    whenEmpty: z.boolean(),
    at: keptAt,
    sessionId: id.nullable().optional(),
  }),
  ...toImages,
  z.strictObject({ kind: z.literal('focusComposer') }),
  z.strictObject({ kind: z.literal('focusQuestion'), id }),
  /** An answer did not count: why, as a sentence. What was typed stays. */
  z.strictObject({ kind: z.literal('questionRefused'), id, text }),
])
export type ToConversation = z.infer<typeof toConversation>

export const fromConversation = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  /** A prompt or a `/command`, for the conversation it was typed in; null: for the one it begins. */
  z.strictObject({
    kind: z.literal('send'),
    sessionId: id.nullable(),
    text,
    images: images.max(imageLimits.count).optional(),
  }),
  z.strictObject({ kind: z.literal('stop') }),
  z.strictObject({ kind: z.literal('toggleMode') }),
  z.strictObject({ kind: z.literal('openReview'), reviewId: id }),
  z.strictObject({ kind: z.literal('answerApproval'), id, allow: z.boolean() }),
  z.strictObject({ kind: z.literal('showChange'), id }),
  /** Changes of one file that are in the log. */
  z.strictObject({ kind: z.literal('showLoggedChange'), path: text, refs: z.array(changeRef).min(1) }),
  z.strictObject({ kind: z.literal('unqueue'), id }),
  /** Starts a turn with what is queued (after a stop or a reload). */
  z.strictObject({ kind: z.literal('runQueue') }),
  /** What the composer of a conversation holds, sent at each pause in typing. */
  z.strictObject({
    kind: z.literal('draft'),
    sessionId: id.nullable(),
    text,
    images: images.max(imageLimits.count).optional(),
  }),
  /** A picture for the composer of a conversation (null: of the one not begun yet), to be stored at once. */
  z.strictObject({
    kind: z.literal('addImage'),
    sessionId: id.nullable(),
    ...addedImage,
  }),
  ...fromImages,
  z.strictObject({ kind: z.literal('answerQuestion'), sessionId: id, id, answers: z.array(answer) }),
  z.strictObject({ kind: z.literal('dismissQuestion'), sessionId: id, id }),
  /** What is chosen and typed so far; nothing forgets it. */
  z.strictObject({ kind: z.literal('questionDraft'), sessionId: id, id, choices: z.array(choice) }),
  z.strictObject({ kind: z.literal('loadEarlier') }),
  /** Goes on from the end of a turn in a new conversation. */
  z.strictObject({ kind: z.literal('fork'), sessionId: id, turn: z.int().positive() }),
  /** What an explorer said and did, to read. */
  z.strictObject({ kind: z.literal('openExplorer'), sessionId: id }),
  /** A workspace-relative path. */
  z.strictObject({ kind: z.literal('openFile'), path: text }),
  z.strictObject({ kind: z.literal('openLink'), href: text }),
  /** One of the commands the state offered, or of the view's own buttons. */
  z.strictObject({
    kind: z.literal('command'),
    command: z.enum([
      'planMode.newConversation',
      'planMode.openConversation',
      'planMode.openLog',
      'planMode.openSettings',
      'planMode.setApiKey',
      'planMode.openFolder',
      'planMode.chooseModel',
      'planMode.retrySaving',
      'planMode.continueHere',
      'planMode.checkPlan',
      'planMode.closePlan',
      'planMode.dropPlan',
    ]),
  }),
])
export type FromConversation = z.infer<typeof fromConversation>
