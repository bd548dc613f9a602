// The one way a tool changes a file: compute, show, get a yes, check again, write.
import type { ApprovalOutcome, Approvals } from '../../agent/approvals.ts'
import type { ToolCall, ToolOutcome } from '../../agent/tool.ts'
import { assertNever } from '../../session/errors.ts'
import type { ApprovalPolicy } from '../../session/events.ts'
import { changeDiff } from './change-diff.ts'
import { FileError } from './file-error.ts'
import { countLines, type LineCounts } from './line-counts.ts'
import { maxFileBytes, readTextFileIfThere, type TextFile, tooLarge, writeTextFile } from './text-file.ts'
import type { Workspace, WritablePlace } from './workspace.ts'

/** What the editor holds open; `isDirty` is true for a file (absolute path) with unsaved changes. */
export interface OpenDocuments {
  isDirty(path: string): boolean
}

/** What every edit needs. */
export interface EditContext {
  readonly workspace: Workspace
  readonly approvals: Approvals
  readonly openDocuments?: OpenDocuments
}

export interface Edit {
  readonly toolName: string
  readonly path: string
  /** The whole new text, from the whole old one (undefined: there is no file). @throws FileError when it cannot be made. */
  compute(before: string | undefined): string
}

/**
 * Carries out one edit. Nothing is written unless the approval was `allowed-once` and the file still is exactly what
 * the approval showed.
 * @throws FileError for everything that keeps the edit from being made; the abort reason when the call was aborted.
 */
export async function carryOut(edit: Edit, context: EditContext, call: ToolCall): Promise<ToolOutcome> {
  const place = await writablePlace(edit.path, context)
  const before = await readTextFileIfThere(place)
  const after = edit.compute(before?.text)
  if (Buffer.byteLength(after) > maxFileBytes) throw tooLarge(place.path, Buffer.byteLength(after))
  if (after === before?.text) return { kind: 'success', text: `${place.path} has exactly this text already.` }
  const counts = countLines(before?.text, after)
  call.signal.throwIfAborted()
  const outcome = await context.approvals.ask({
    toolName: edit.toolName,
    call,
    reason: `The agent wants to ${before === undefined ? 'create' : 'change'} ${place.path} (${inWords(counts)}).`,
    ...(place.warning === undefined ? {} : { warning: place.warning }),
    change: { path: place.path, before: before?.text, after },
  })
  call.signal.throwIfAborted()
  if (outcome !== 'allowed-once') return withoutApproval(outcome, place.path, context.approvals.policyOf(call.agent))
  await assertUnchanged(place, before, edit.path, context)
  await writeTextFile(place, after, before?.mode)
  const done = before === undefined ? 'Created' : 'Changed'
  const meta = { path: place.path, ...counts, ...changeDiff(before?.text, after) }
  return { kind: 'success', text: `${done} ${place.path} (${inWords(counts)}).`, meta }
}

async function writablePlace(path: string, { workspace, openDocuments }: EditContext): Promise<WritablePlace> {
  const place = await workspace.locateForWrite(path)
  if (openDocuments?.isDirty(place.real)) {
    throw new FileError(
      'FS_UNSAVED',
      `${place.path} has unsaved changes in the editor. Nothing was written; ask the user to save or discard them.`,
    )
  }
  return place
}

async function assertUnchanged(
  shown: WritablePlace,
  before: TextFile | undefined,
  path: string,
  context: EditContext,
): Promise<void> {
  const place = await writablePlace(path, context)
  const now = place.real === shown.real ? await readTextFileIfThere(place) : undefined
  if (place.real === shown.real && now?.text === before?.text) return
  throw new FileError(
    'FS_CHANGED',
    `${shown.path} changed while the edit waited for approval. Nothing was written; read the file again and repeat the edit.`,
  )
}

function withoutApproval(
  outcome: Exclude<ApprovalOutcome, 'allowed-once'>,
  path: string,
  policy: ApprovalPolicy,
): ToolOutcome {
  switch (outcome) {
    case 'rejected':
      return refusal(
        'APPROVAL_REJECTED',
        policy === 'never'
          ? `Edits are refused here without asking: the approval policy is "never". ${path} was not changed; do not try other edits.`
          : `The user refused this edit. ${path} was not changed; do not repeat the edit, ask what to do instead.`,
      )
    case 'unavailable':
      return refusal('APPROVAL_UNAVAILABLE', `Nobody could be asked to approve this edit. ${path} was not changed.`)
    case 'cancelled':
      return {
        kind: 'failure',
        text: `The approval of this edit was cancelled. ${path} was not changed.`,
        error: { name: 'AbortError', code: 'ABORTED' },
      }
    default:
      return assertNever(outcome)
  }
}

function refusal(code: string, text: string): ToolOutcome {
  return { kind: 'failure', text, error: { name: 'ApprovalError', code } }
}

function inWords({ added, removed }: LineCounts): string {
  return `${added} ${added === 1 ? 'line' : 'lines'} added, ${removed} removed`
}
