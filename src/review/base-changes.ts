import type { Session } from '../session/session.ts'
import { changesBetween, sizeOf } from './changes.ts'
import { baseOf, isDecided, reviewHistory, revisionText } from './revisions.ts'

/** A stretch of the shown text that differs from the base; `removed` is what the base has there. */
export interface Hunk {
  /** Lines of the shown text, 0-based, `end` exclusive; equal where lines were only removed. */
  readonly start: number
  readonly end: number
  readonly removed: string
}

export interface BaseChanges {
  /** The number of the base revision, and whether a human has decided it. */
  readonly base: number
  readonly decided: boolean
  readonly added: number
  readonly removed: number
  readonly hunks: readonly Hunk[]
}

/**
 * What changed in a plan since a human last decided on one, or since an older revision that is named; undefined for the
 * first plan of a session.
 */
export function changesSinceBase(session: Session, reviewId: string, named?: string): BaseChanges | undefined {
  const { revisions } = session.state(reviewHistory)
  const shown = revisions.find(each => each.reviewId === reviewId)
  const older = revisions.find(each => each.reviewId === named && each.revision < (shown?.revision ?? 0))
  const base = shown === undefined ? undefined : (older ?? baseOf(revisions, shown))
  if (shown === undefined || base === undefined) return undefined
  const before = revisionText(session, base)
  const changes = changesBetween(before, revisionText(session, shown))
  const lines = before.split('\n')
  const hunks = changes.map(({ from, to }) => ({ ...to, removed: lines.slice(from.start, from.end).join('\n') }))
  return { base: base.revision, decided: isDecided(base), ...sizeOf(changes), hunks }
}
