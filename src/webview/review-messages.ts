import * as z from 'zod'
import { addedImage, fromImages, image, toImages } from './image-messages.ts'
import { keptAt, modeView } from './messages.ts'
import { reviewState } from './transcript-messages.ts'

/** Everything that crosses between the extension host and the review panel, in both directions. */
const text = z.string()
const id = z.string().min(1)

/** Offsets (UTF-16) in the plan's source text; `end` is exclusive. */
const range = z.strictObject({ start: z.int().nonnegative(), end: z.int().nonnegative() })
export type SourceRange = z.infer<typeof range>

const remarkKind = z.enum(['remark', 'question', 'remove', 'good'])
export type RemarkKind = z.infer<typeof remarkKind>

/**
 * What an explorer was asked: `text` is its answer, in Markdown, or why there is none. `activity` is what it does now,
 * `by` its session. `attached`: the answer goes, or went, with the remark.
 */
const ask = z.strictObject({
  state: z.enum(['asking', 'answered', 'failed', 'stopped']),
  by: id.nullable(),
  text,
  attached: z.boolean(),
  activity: text.nullable(),
})
export type AskView = z.infer<typeof ask>

/**
 * A remark beside the plan that is shown. `quote` are the words it was made on, null: about the whole plan; `range` is
 * their place in the text shown, if they have one. `under` is the heading above. `claim` is the agent's own word.
 * `keptBack`: it was said to an explorer, and goes to nobody else unless its answer is attached.
 */
export const remarkView = z.strictObject({
  id,
  kind: remarkKind,
  quote: text.nullable(),
  under: text,
  range: range.nullable(),
  text,
  state: z.enum(['unsent', 'again', 'open', 'resolved']),
  fate: z.enum(['here', 'unchanged', 'changed', 'gone', 'unclear']),
  claim: text.nullable(),
  images: z.array(image),
  ask: ask.nullable(),
  keptBack: z.boolean(),
})
export type RemarkView = z.infer<typeof remarkView>

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
  /** Every plan that was presented, the oldest first. */
  history: z.array(z.strictObject({ reviewId: id, revision: z.int().positive(), state: reviewState })),
  /** Whether this is one of the older ones, shown to be read. */
  older: z.boolean(),
  state: reviewState,
  feedback: text.nullable(),
  mode: modeView,
  /** False when no call waits for the answer: the verdict will be sent as the next turn. */
  live: z.boolean(),
  /** Whether the agent is at work on the next revision. */
  revising: z.boolean(),
  readOnly: text.nullable(),
  /** Whether another window writes it, so that "Continue here" is offered. */
  continueHere: z.boolean(),
  /** What will carry the plan out: "Demo (offline, scripted) · asks before edits". */
  carriedOutWith: text,
  /**
   * Tokens that the plan is carried out with: in this conversation (null: unknown) and, about, in a fresh one that has
   * only the plan. Null where no fresh one can be started.
   */
  fresh: z.strictObject({ here: z.int().nonnegative().nullable(), plan: z.int().nonnegative() }).nullable(),
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
  /** `where`: file and line; `preview`: the lines there. Both are empty for a name that was not found. */
  symbols: z.array(z.strictObject({ name: id, exists: z.boolean(), where: text, preview: text })),
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

/** Characters of the text of a diagram that is drawn at most. */
export const longestDiagram = 20_000
const diagramText = text.max(longestDiagram)

/** What a command of the window can make the panel do. */
export const panelAct = z.enum([
  'approve',
  'approveWithNotes',
  'save',
  'keep',
  'dismiss',
  'nextRemark',
  'previousRemark',
  'addRemark',
  /** Read along what the model writes. */
  'watch',
  'ask',
])
export type PanelAct = z.infer<typeof panelAct>

export const toReview = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('review'), review: reviewView }),
  /** All remarks on the plan that is shown; `editedHash` is the hash of the person's own version, if there is one. */
  z.strictObject({
    kind: z.literal('remarks'),
    reviewId: id,
    remarks: z.array(remarkView),
    editedHash: id.nullable(),
  }),
  /** The unsent feedback kept for this review. */
  z.strictObject({ kind: z.literal('draft'), reviewId: id, text, at: keptAt }),
  /** What was typed is on disk: into a remark, or (null) into the notes. */
  z.strictObject({ kind: z.literal('kept'), id: id.nullable(), text }),
  /** A decision could not be taken; nothing typed is lost. */
  z.strictObject({ kind: z.literal('refused'), reviewId: id, text }),
  z.strictObject({ kind: z.literal('act'), act: panelAct }),
  /** The picture of a diagram (SVG, not clean: its text is anyone's); null: it cannot be drawn. */
  z.strictObject({ kind: z.literal('diagram'), text: diagramText, picture: text.nullable() }),
  z.strictObject({ kind: z.literal('reach'), reviewId: id, reach: reachView }),
  z.strictObject({ kind: z.literal('changes'), reviewId: id, changes: changesView }),
  /** The plan that the model writes at this moment, as far as it is there; null: none any more. */
  z.strictObject({ kind: z.literal('writing'), text: text.nullable() }),
  ...toImages,
  /** Asks for everything that is typed and not posted yet; `flushed` with the same key comes after it. */
  z.strictObject({ kind: z.literal('flush'), key: id }),
  /** Nothing to review: why, as a sentence. */
  z.strictObject({ kind: z.literal('empty'), text }),
])
export type ToReview = z.infer<typeof toReview>

export const fromReview = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  z.strictObject({ kind: z.literal('flushed'), key: id }),
  /**
   * `planHash` is the hash of the text that the page shows. `feedback` are the notes on the plan as a whole. A plan that
   * is sent back goes with everything unsent, an approved one only where `said` is given; `editedHash` is then that of
   * the person's own version as it was shown.
   */
  z.strictObject({
    kind: z.literal('decide'),
    reviewId: id,
    planHash: id,
    decision: z.enum(['approved', 'kept', 'dismissed']),
    feedback: text,
    said: z.literal(true).optional(),
    editedHash: id.optional(),
    next: z.enum(['fresh', 'save']).optional(),
  }),
  /** What the notes hold, at each pause in typing. */
  z.strictObject({ kind: z.literal('draft'), reviewId: id, text }),
  /** A remark on a range of the text with this hash; null: on the whole plan. */
  z.strictObject({ kind: z.literal('addRemark'), planHash: id, remark: remarkKind, range: range.nullable() }),
  /** What an unsent remark says, at each pause in typing. */
  z.strictObject({ kind: z.literal('editRemark'), id, text }),
  z.strictObject({ kind: z.literal('turnRemark'), id, to: z.enum(['removed', 'again', 'resolved', 'open']) }),
  /** Asks an explorer what an unsent question says, stops it, or says what becomes of its answer. */
  z.strictObject({
    kind: z.literal('turnAsk'),
    id,
    to: z.enum(['asked', 'stopped', 'attached', 'detached', 'dropped']),
  }),
  /** What an explorer said and did, to read. */
  z.strictObject({ kind: z.literal('openExplorer'), sessionId: id }),
  /** A picture for an unsent remark, to be stored at once. */
  z.strictObject({ kind: z.literal('addImage'), id, ...addedImage }),
  z.strictObject({ kind: z.literal('removeImage'), id, attachmentId: id }),
  ...fromImages,
  /** Shows a revision; null: the latest. */
  z.strictObject({ kind: z.literal('showRevision'), reviewId: id.nullable() }),
  /** Leaves plan mode without approving. */
  z.strictObject({ kind: z.literal('leave') }),
  z.strictObject({ kind: z.literal('toggleMode') }),
  z.strictObject({ kind: z.literal('continueHere') }),
  z.strictObject({ kind: z.literal('showConversation') }),
  z.strictObject({ kind: z.literal('openFile'), path: text }),
  z.strictObject({ kind: z.literal('openLink'), href: text }),
  /** Shows what changed since an older revision; null: since the last one that was decided. */
  z.strictObject({ kind: z.literal('compareWith'), base: id.nullable() }),
  /** Asks for the picture of a Mermaid diagram. */
  z.strictObject({ kind: z.literal('drawDiagram'), text: diagramText }),
  /** The name of a symbol that `reach` found. */
  z.strictObject({ kind: z.literal('openSymbol'), name: id }),
])
export type FromReview = z.infer<typeof fromReview>
