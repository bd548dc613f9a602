import * as z from 'zod'

/**
 * Everything that crosses between the extension host and its pages, in both directions: the one file both sides share.
 * The host parses every message of a page; the page parses what the host sends once, at its door.
 */
const text = z.string()
const id = z.string().min(1)
/** When a draft was kept, epoch milliseconds: the later of the host's and the page's own wins after a crash. */
const keptAt = z.number().nonnegative().optional()

/** The mode as every surface draws it: the committed state, and whether it changes at the next step. */
export const modeView = z.strictObject({ active: z.boolean(), pending: z.boolean() })
export type ModeView = z.infer<typeof modeView>

const change = z.strictObject({ path: text, added: z.int().nonnegative(), removed: z.int().nonnegative() })
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

const questionState = z.enum(['waiting', 'answered', 'dismissed', 'stopped', 'failed'])
const reviewState = z.enum(['waiting', 'approved', 'kept', 'dismissed', 'withdrawn', 'superseded'])
export type ReviewState = z.infer<typeof reviewState>

/** One entry of the transcript, in log order. `id` is stable; an entry may be sent again when its state changes. */
export const item = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('user'), id, text }),
  /** `text` is Markdown. */
  z.strictObject({ kind: z.literal('assistant'), id, text, streaming: z.boolean(), interrupted: z.boolean() }),
  z.strictObject({ kind: z.literal('reasoning'), id, text, streaming: z.boolean() }),
  z.strictObject({
    kind: z.literal('tool'),
    id,
    name: text,
    /** One line a person understands: "Read src/server.ts". */
    title: text,
    status: z.enum(['running', 'done', 'failed', 'stopped']),
    input: text,
    output: text,
    change: change.optional(),
    /** The TypeScript of a program. */
    code: text.optional(),
    /** The entry of the program that made this call. */
    parent: id.optional(),
  }),
  z.strictObject({
    kind: z.literal('approval'),
    id,
    title: text,
    warning: text.optional(),
    change: change.optional(),
    state: z.enum(['waiting', 'allowed-once', 'rejected', 'cancelled', 'unavailable']),
  }),
  z.strictObject({
    kind: z.literal('plan'),
    id,
    reviewId: id,
    title: text,
    excerpt: text,
    revision: z.int().positive(),
    state: reviewState,
    feedback: text.optional(),
  }),
  /** Questions of the agent, and what became of them. `unsent` is what was typed and never sent. */
  z.strictObject({
    kind: z.literal('question'),
    id,
    asked: z.array(
      z.strictObject({
        id: text,
        question: text,
        header: text.optional(),
        selected: z.array(text),
        custom: text.optional(),
      }),
    ),
    state: questionState,
    /** Why it failed. */
    trouble: text.optional(),
    unsent: text.optional(),
  }),
  z.strictObject({
    kind: z.literal('command'),
    id,
    text,
    status: z.enum(['running', 'success', 'error']),
    result: text.optional(),
  }),
  /** The older part of the conversation is summarised for the model here. `text`: the summary, or why there is none. */
  z.strictObject({
    kind: z.literal('compaction'),
    id,
    status: z.enum(['running', 'done', 'failed']),
    text,
    /** How many messages it stands for, and about how many tokens they had. */
    messages: z.int().nonnegative(),
    tokens: z.int().nonnegative(),
  }),
  /** The mode changed here. */
  z.strictObject({ kind: z.literal('mode'), id, active: z.boolean() }),
  z.strictObject({ kind: z.literal('notice'), id, level: z.enum(['info', 'error']), text }),
])
export type Item = z.infer<typeof item>

export const queuedPrompt = z.strictObject({ id, text, target: z.enum(['next-turn', 'next-step']) })
export type QueuedPrompt = z.infer<typeof queuedPrompt>

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
  commands: z.array(z.strictObject({ name: id, description: text, input: text.optional() })),
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
   * Puts text into the composer (a kept draft); `whenEmpty` leaves what was typed later alone. `sessionId` says whose
   * composer; without it, that of the conversation shown.
   */
  z.strictObject({
    kind: z.literal('composer'),
    text,
    whenEmpty: z.boolean(),
    at: keptAt,
    sessionId: id.nullable().optional(),
  }),
  z.strictObject({ kind: z.literal('focusComposer') }),
  z.strictObject({ kind: z.literal('focusQuestion'), id }),
  /** An answer did not count: why, as a sentence. What was typed stays. */
  z.strictObject({ kind: z.literal('questionRefused'), id, text }),
])
export type ToConversation = z.infer<typeof toConversation>

export const fromConversation = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  /** A prompt or a `/command`, for the conversation it was typed in; null: for the one it begins. */
  z.strictObject({ kind: z.literal('send'), sessionId: id.nullable(), text }),
  z.strictObject({ kind: z.literal('stop') }),
  z.strictObject({ kind: z.literal('toggleMode') }),
  z.strictObject({ kind: z.literal('openReview'), reviewId: id }),
  z.strictObject({ kind: z.literal('answerApproval'), id, allow: z.boolean() }),
  z.strictObject({ kind: z.literal('showChange'), id }),
  z.strictObject({ kind: z.literal('unqueue'), id }),
  /** Starts a turn with what is queued (after a stop or a reload). */
  z.strictObject({ kind: z.literal('runQueue') }),
  /** What the composer of a conversation holds, sent at each pause in typing. */
  z.strictObject({ kind: z.literal('draft'), sessionId: id.nullable(), text }),
  z.strictObject({ kind: z.literal('answerQuestion'), sessionId: id, id, answers: z.array(answer) }),
  z.strictObject({ kind: z.literal('dismissQuestion'), sessionId: id, id }),
  /** What is chosen and typed so far; nothing forgets it. */
  z.strictObject({ kind: z.literal('questionDraft'), sessionId: id, id, choices: z.array(choice) }),
  z.strictObject({ kind: z.literal('loadEarlier') }),
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
    ]),
  }),
])
export type FromConversation = z.infer<typeof fromConversation>

/** A review as the panel draws it. `planHash` is the SHA-256 (hex) of exactly `markdown`. */
export const reviewView = z.strictObject({
  reviewId: id,
  /** The page keeps it with `setState`, so that the panel can be brought back after a window reload. */
  sessionId: id,
  conversation: text,
  title: text,
  markdown: text,
  planHash: id,
  revision: z.int().positive(),
  revisions: z.int().positive(),
  state: reviewState,
  feedback: text.nullable(),
  mode: modeView,
  /** False when no call waits for the answer: the verdict will be sent as the next turn. */
  live: z.boolean(),
  readOnly: text.nullable(),
  /** Whether another window writes it, so that "Continue here" is offered. */
  continueHere: z.boolean(),
  /** What will carry the plan out: "Demo (offline, scripted) · asks before edits". */
  carriedOutWith: text,
})
export type ReviewView = z.infer<typeof reviewView>

const count = z.int().nonnegative()

/** A file that a plan names. `tree`: its state in version control; null: unknown, or no version control. */
export const namedFile = z.strictObject({
  path: id,
  exists: z.boolean(),
  test: z.boolean(),
  tree: z.enum(['clean', 'changed', 'untracked']).nullable(),
  /** Its first lines; empty for a folder or what is no text. */
  preview: text,
})
export type NamedFile = z.infer<typeof namedFile>

/** What of a plan is there in the workspace. Of names only those that were looked up are told. */
export const reachView = z.strictObject({
  files: z.array(namedFile),
  symbols: z.array(z.strictObject({ name: id, exists: z.boolean(), where: text })),
})
export type ReachView = z.infer<typeof reachView>

/** Where a plan differs from the revision `base`. Lines are 0-based, `end` exclusive; `removed` stood at `start`. */
export const changesView = z.strictObject({
  base: z.int().positive(),
  /** Whether the base is the one that was decided last. */
  decided: z.boolean(),
  added: count,
  removed: count,
  hunks: z.array(z.strictObject({ start: count, end: count, removed: text })),
})
export type ChangesView = z.infer<typeof changesView>

export const toReview = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('reach'), reviewId: id, reach: reachView }),
  z.strictObject({ kind: z.literal('changes'), reviewId: id, changes: changesView }),
  /** The plan that the model writes at this moment, as far as it is there; null: none any more. */
  z.strictObject({ kind: z.literal('writing'), text: text.nullable() }),
  z.strictObject({ kind: z.literal('review'), review: reviewView }),
  /** The unsent feedback kept for this review. */
  z.strictObject({ kind: z.literal('draft'), reviewId: id, text, at: keptAt }),
  /** A decision could not be taken; nothing typed is lost. */
  z.strictObject({ kind: z.literal('refused'), reviewId: id, text }),
  /** Nothing to review: why, as a sentence. */
  z.strictObject({ kind: z.literal('empty'), text }),
])
export type ToReview = z.infer<typeof toReview>

export const fromReview = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  /** `planHash` is the hash of the text that the page shows. `feedback` counts only with `kept`. */
  z.strictObject({
    kind: z.literal('decide'),
    reviewId: id,
    planHash: id,
    decision: z.enum(['approved', 'kept', 'dismissed']),
    feedback: text,
  }),
  z.strictObject({ kind: z.literal('draft'), reviewId: id, text }),
  z.strictObject({ kind: z.literal('toggleMode') }),
  z.strictObject({ kind: z.literal('continueHere') }),
  z.strictObject({ kind: z.literal('showConversation') }),
  z.strictObject({ kind: z.literal('openFile'), path: text }),
  z.strictObject({ kind: z.literal('openLink'), href: text }),
  /** The name of a symbol that `reach` found. */
  z.strictObject({ kind: z.literal('openSymbol'), name: id }),
])
export type FromReview = z.infer<typeof fromReview>
