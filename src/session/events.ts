import { z } from 'zod'
import { assistantMessage, block, chunk, failure, toolMessage, usage, userMessage } from './messages.ts'
import { epochHeader } from './request-header.ts'
import { approvalChoice, editedPlan, planStep, remark, remarkId } from './reviews.ts'
import { subagentDescriptor } from './subagent.ts'
import { turnEndReason } from './turn-end.ts'

/** The vocabulary of a session log: one strict schema per event type (session-log format, sections 3, 9, 11, 13 to 16). */
const turn = z.int().positive()
const step = z.int().positive()
const id = z.string().min(1)
/** Shapes of other programs' features: carried in the log, never interpreted or written here. */
const opaque = z.json()

export const approvalPolicy = z.enum(['ask', 'never'])
export type ApprovalPolicy = z.infer<typeof approvalPolicy>

export const reviewDecision = z.enum(['approved', 'kept', 'dismissed', 'withdrawn', 'superseded'])
export type ReviewDecision = z.infer<typeof reviewDecision>

/** One call that a program makes: `root` is the model's own call, `parent` the call whose program makes it (section 16). */
const dispatched = { rootCallId: id, parentCallId: id, subCallId: id, name: id, arguments: z.json() }

const toolFailure = z.strictObject({ name: z.string(), code: z.string() })
const seq = z.int().nonnegative()
/** What a replacement took off the surface: every seq in surface order, the first and the last of them, and its tokens. */
const shadowed = {
  shadowedRange: z.strictObject({ start: seq, end: seq }),
  shadowedSeqs: z.array(seq).min(1),
  shadowedTokenCount: z.int().nonnegative(),
}
/** `turn` owns the bracket: null between turns. */
const compaction = { compactionId: id, sourceCommandId: id.optional() }
const retryBase = { retryId: id, turn, step, provider: id, policyKey: z.string(), retry: z.int().positive() }

export const eventSchemas = {
  'turn/start': z.strictObject({ turn }),
  'turn/end': z.strictObject({ turn, reason: turnEndReason }),
  'step/start': z.strictObject({ turn, step }),
  'step/end': z.strictObject({ turn, step }),
  'user/message': userMessage,
  'assistant/chunk': z.strictObject({ turn, step, chunk }),
  'assistant/message': z.strictObject({
    turn,
    step,
    message: assistantMessage,
    usage: usage.optional(),
    interrupted: z.literal(true).optional(),
  }),
  'tool/call': z.strictObject({ turn, step, callId: z.string(), name: z.string(), arguments: z.string() }),
  'tool/result': z.strictObject({
    turn,
    step,
    message: toolMessage,
    error: toolFailure.optional(),
    meta: z.json().optional(),
  }),
  'tool/code-dispatch-start': z.strictObject(dispatched),
  'tool/code-dispatch': z.strictObject({ ...dispatched, isError: z.boolean(), content: z.array(block) }),
  'request/header': z.strictObject({ header: epochHeader, reason: z.enum(['initial', 'resume', 'change']) }),
  /** `images: false` is ours: the model takes none, so that pictures are named to it in words. */
  'request/context': z.strictObject({
    provider: id,
    model: id,
    contextWindow: z.int().positive().optional(),
    images: z.literal(false).optional(),
  }),
  /** One splice of a pending-input list; `outcome` only when removed entries were discarded (section 9.2). */
  'agent/inbox/spliced': z.strictObject({
    target: z.enum(['next-turn', 'next-step']),
    start: z.int().nonnegative(),
    removedCount: z.int().positive().optional(),
    inserted: z.array(userMessage),
    outcome: z.literal('canceled').optional(),
  }),
  'session/end-seed': z.strictObject({}),
  'session/title': z.strictObject({
    title: z.string().min(1),
    messageSeqs: z.array(z.int().nonnegative()),
    source: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('fallback') }),
      z.strictObject({
        kind: z.literal('provider'),
        provider: id,
        model: z.strictObject({ provider: id, model: id }).optional(),
      }),
      z.strictObject({ kind: z.literal('user') }),
    ]),
  }),
  'plan/mode': z.strictObject({ active: z.boolean() }),
  /** Ours: a waiting selection, so that it survives a crash. `by: review` is an approved, silent exit. */
  'plan/selected': z.strictObject({ active: z.boolean(), by: z.enum(['user', 'review']) }),
  /**
   * Ours: a plan went before a human. `planHash` is the SHA-256 (hex) of the exact text; `plan` is that text where the
   * arguments of the call are not (a revision by edits).
   */
  'review/presented': z.strictObject({ reviewId: id, callId: z.string(), planHash: id, plan: z.string().optional() }),
  /**
   * Ours: what a human decided of it. `feedback` is the text the model got. The rest is what was said, for surfaces:
   * `edited` is the text as the human changed it (of an approval: the approved text), `next` how an approved plan goes on.
   */
  'review/decided': z.strictObject({
    reviewId: id,
    decision: reviewDecision,
    planHash: id,
    feedback: z.string().optional(),
    remarks: z.array(remark).optional(),
    edited: editedPlan.optional(),
    notes: z.string().optional(),
    next: approvalChoice.optional(),
  }),
  /** Ours: a remark that was sent is dealt with, or is not after all. */
  'review/remark-settled': z.strictObject({ remarkId, state: z.enum(['resolved', 'open']) }),
  /** Ours: an approved plan of another session is carried out in this one. */
  'plan/adopted': z.strictObject({
    from: z.strictObject({ sessionId: id, reviewId: id }),
    planHash: id,
    plan: z.string(),
  }),
  /** Ours: the steps of the plan approved or adopted last, as they were read from its text. */
  'plan/steps': z.strictObject({ planHash: id, steps: z.array(planStep) }),
  /** Ours: what the agent says of one of these steps. */
  'plan/progress': z.strictObject({
    step: id,
    state: z.enum(['running', 'done', 'skipped']),
    note: z.string().optional(),
  }),
  /** Ours: the approved plan is over. */
  'plan/closed': z.strictObject({ planHash: id, as: z.enum(['done', 'dropped']) }),
  'command/run': z.strictObject({
    commandId: id,
    name: id,
    args: z.string().optional(),
    source: z.strictObject({ kind: z.literal('user') }),
  }),
  'command/done': z.strictObject({
    commandId: id,
    kind: z.enum(['success', 'error']),
    text: z.string().optional(),
    sourceEventSeq: z.int().nonnegative().optional(),
  }),
  'approval/asked': z.strictObject({
    id,
    toolName: id,
    callId: z.string().optional(),
    reason: z.string().optional(),
  }),
  'approval/decided': z.strictObject({
    id,
    outcome: z.enum(['allowed-once', 'rejected', 'cancelled', 'unavailable']),
  }),
  'approval/policy': z.strictObject({ policy: approvalPolicy, source: z.literal('delegation').optional() }),
  'sandbox/mode': z.strictObject({
    mode: z.enum(['read-only', 'workspace-write', 'danger-full-access']),
    source: z.literal('delegation').optional(),
  }),
  'subagent/descriptor': subagentDescriptor,
  /** Ours: a call began a child, whose own log is the session `childId`. */
  'subagent/started': z.strictObject({ callId: z.string(), childId: id }),
  'llm/retry': z.discriminatedUnion('mode', [
    z.strictObject({
      ...retryBase,
      mode: z.literal('normal'),
      maxRetries: z.int().positive(),
      delayMs: z.number().nonnegative(),
      failure,
    }),
    z.strictObject({ ...retryBase, mode: z.literal('always'), delayMs: z.number().nonnegative(), failure }),
  ]),
  'llm/retry-started': z.strictObject({ retryId: id, turn, step, retry: z.int().positive() }),
  'todo/write': z.strictObject({
    todos: z.array(z.strictObject({ content: z.string(), status: z.enum(['pending', 'in_progress', 'completed']) })),
  }),
  /** A bracket around one summarising of the surface (section 15); `error` means that the surface was left alone. */
  'compaction/start': z.strictObject({ ...compaction, turn: turn.nullable() }),
  'compaction/summary': z
    .strictObject({
      ...compaction,
      ...shadowed,
      summary: z.array(block),
      provider: id,
      model: id,
      maxTokens: z.int().positive().optional(),
      usage: usage.optional(),
      rawOutput: z.array(block).optional(),
      llmStreamCall: z.literal(true).optional(),
    })
    .refine(data => data.llmStreamCall === undefined || data.rawOutput !== undefined, 'a streamed call has its output'),
  'compaction/end': z.strictObject({ ...compaction, turn: turn.nullable(), error: z.string().optional() }),
  'compaction/prune': z.strictObject(shadowed),
  'agent-preset/selected': opaque,
  'feedback/record': opaque,
  'goal/change': opaque,
  'hook/invoked': opaque,
  'hook/result': opaque,
  'permission/preset': opaque,
  'schedule/change': opaque,
  'session/title-llm-request': opaque,
  'team/member': opaque,
  'team/message/delivered': opaque,
  'team/message/queued': opaque,
  'team/task': opaque,
  'tool-workflow/agent-end': opaque,
  'tool-workflow/agent-start': opaque,
  'tool-workflow/run-end': opaque,
  'tool-workflow/run-start': opaque,
  'web/deepseek-search-llm-request': opaque,
} as const

export type EventType = keyof typeof eventSchemas
export type EventData<T extends EventType> = z.infer<(typeof eventSchemas)[T]>

/** The three types that make up what the model sees; only they carry a `surfaceOp`. */
export type SurfaceType = 'user/message' | 'assistant/message' | 'tool/result'

export function isSurfaceType(type: string): type is SurfaceType {
  return type === 'user/message' || type === 'assistant/message' || type === 'tool/result'
}

/** `append` puts the event last on the surface; `replace` puts it in place of the nodes `start` to `end` (seqs). */
export const surfaceOp = z.union([
  z.literal('append'),
  z.strictObject({
    op: z.literal('replace'),
    start: z.int().nonnegative(),
    end: z.int().nonnegative(),
  }),
])
export type SurfaceOp = z.infer<typeof surfaceOp>

/**
 * One line of the log. `seq` is the 0-based position, `time` epoch milliseconds (may go backwards).
 * Events of other builds with `ignorable: true` keep their own `type` and data; a switch on `type` passes over them.
 */
export type SessionEvent<T extends EventType = EventType> = {
  [K in T]: {
    readonly type: K
    readonly seq: number
    readonly time: number
    readonly data: EventData<K>
    readonly surfaceOp?: SurfaceOp
    readonly sourceEventSeqs?: readonly number[]
    readonly ignorable?: true
  }
}[T]

/** Types of our own that a reader of the ancestor's format may skip: always written with `ignorable: true`. */
export const ignorableTypes: ReadonlySet<string> = new Set<EventType>([
  'plan/selected',
  'review/presented',
  'review/decided',
  'review/remark-settled',
  'plan/adopted',
  'plan/steps',
  'plan/progress',
  'plan/closed',
  'subagent/started',
])

export function isKnownType(type: string): type is EventType {
  return knownTypes.has(type)
}

const knownTypes: ReadonlySet<string> = new Set(Object.keys(eventSchemas))
