import { z } from 'zod'
import type { SessionEvent } from '../../session/events.ts'
import type { Session } from '../../session/session.ts'

/** Where a change of a file stands in the log: the seq of a tool result, and of a program the call that made it. */
export interface ChangeRef {
  readonly seq: number
  readonly callId?: string | undefined
}

const fileChange = z.object({
  path: z.string().min(1),
  added: z.int().nonnegative(),
  removed: z.int().nonnegative(),
  /** A unified diff without file names; absent in logs that were written without it. */
  diff: z.string().optional(),
  /** The diff is not whole. */
  cut: z.literal(true).optional(),
})
export type FileChange = z.infer<typeof fileChange>

const programMeta = z.object({ calls: z.record(z.string(), z.unknown()) })

/** The files that one tool result changed: its own, or those of the calls that a program made. A failed edit has none. */
export function changesOf(
  event: SessionEvent<'tool/result'>,
): readonly { readonly ref: ChangeRef; readonly change: FileChange }[] {
  const { seq, data, surfaceOp } = event
  if (surfaceOp !== 'append') return []
  const calls = programMeta.safeParse(data.meta).data?.calls
  if (calls !== undefined) {
    return Object.entries(calls).flatMap(([callId, meta]) => {
      const { data: change } = fileChange.safeParse(meta)
      return change === undefined ? [] : [{ ref: { seq, callId }, change }]
    })
  }
  const [part] = data.message.content
  if (part?.type === 'tool-result' && part.isError === true) return []
  const { data: change } = fileChange.safeParse(data.meta)
  return change === undefined ? [] : [{ ref: { seq }, change }]
}

/** A change that the fold refers to; undefined for a place that holds none. */
export function changeAt(session: Session, { seq, callId }: ChangeRef): FileChange | undefined {
  if (seq < 0 || seq >= session.length) return undefined
  const event = session.at(seq)
  if (event.type !== 'tool/result') return undefined
  return changesOf(event).find(({ ref }) => ref.callId === callId)?.change
}

/** One file with all its changes, counted together; `refs` in the order in which they were made. */
export interface ChangedFile {
  readonly path: string
  readonly added: number
  readonly removed: number
  readonly refs: readonly ChangeRef[]
}

/** The files behind some changes, each once, in the order in which they were first changed. */
export function filesChanged(session: Session, refs: readonly ChangeRef[]): readonly ChangedFile[] {
  const files = new Map<string, ChangedFile>()
  for (const ref of refs) {
    const change = changeAt(session, ref)
    if (change === undefined) continue
    const { path, added, removed } = change
    const known = files.get(path) ?? { path, added: 0, removed: 0, refs: [] }
    files.set(path, {
      path,
      added: known.added + added,
      removed: known.removed + removed,
      refs: [...known.refs, ref],
    })
  }
  return [...files.values()]
}
