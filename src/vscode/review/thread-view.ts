import type { Range } from '../../review/anchors/anchor.ts'
import type { ShownRemark } from '../../review/shown-remark.ts'
import { type Position, SourceLines } from '../../review/source-lines.ts'
import type { RemarkKind } from '../../session/reviews.ts'

/** What surfaces of a review need of whoever keeps its remarks: a session's plans, or a file. */
export interface RemarkKeeper {
  textOf(): string
  remarks(): readonly ShownRemark[]
  add(kind: RemarkKind, range: Range | null, text: string): { readonly id: string }
  edit(id: string, change: { readonly text: string }): void
  remove(id: string): void
}

/** Words that a thread shows; translated where the window is. */
export interface ThreadWords {
  readonly kinds: Readonly<Record<RemarkKind, string>>
  readonly states: Readonly<Record<ShownRemark['state'], string>>
  readonly fates: Readonly<Record<ShownRemark['fate'], string | undefined>>
}

/**
 * One remark as a native comment thread. `range` null: about the whole text, or without a place in it. `context` is
 * what menus ask for. The remark's text is data: whoever draws it must not let it be markup.
 */
export interface ThreadView {
  readonly id: string
  readonly range: { readonly start: Position; readonly end: Position } | null
  readonly label: string
  readonly context: ShownRemark['state']
  readonly resolved: boolean
  readonly text: string
  /** The words it was made on, where it has no place any more. */
  readonly quote: string | undefined
  readonly claim: string | undefined
  /** What an explorer answered. */
  readonly answer: string | undefined
}

export function threadViews(text: string, remarks: readonly ShownRemark[], words: ThreadWords): readonly ThreadView[] {
  const lines = new SourceLines(text)
  return remarks.map(({ id, kind, anchor, range, fate, state, claim, ask, text: said }): ThreadView => {
    const parts = [id, words.kinds[kind], words.states[state], words.fates[fate]]
    return {
      id,
      range: range === null ? null : { start: lines.positionAt(range.start), end: lines.positionAt(range.end) },
      label: parts.filter(part => part !== undefined).join(' · '),
      context: state,
      resolved: state === 'resolved',
      text: said,
      quote: range === null ? anchor?.quote : undefined,
      claim,
      answer: ask?.state === 'answered' ? ask.text : undefined,
    }
  })
}

/** The words that a place picked in an editor stands for: exactly those selected, else the whole lines. */
export function pickedRange(text: string, picked: { readonly start: Position; readonly end: Position }): Range {
  const lines = new SourceLines(text)
  const { start, end } = picked
  const isEmpty = start.line === end.line && start.character === end.character
  // The gutter names lines, from the first character of one.
  const isLines = isEmpty || (start.character === 0 && end.character === 0)
  if (isLines) return lines.wholeLines(start.line, Math.max(start.line, end.line))
  return { start: lines.offsetAt(start), end: lines.offsetAt(end) }
}
