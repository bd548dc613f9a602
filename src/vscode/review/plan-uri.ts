import * as vscode from 'vscode'
import { PLAN_SCHEME } from '../ids.ts'

/**
 * What a document of ours shows. `source`: the plan under review of a session, whichever it is; `revision`: one
 * presented text for good; `edits`: the person's own version of one.
 */
export type PlanPlace =
  | { readonly kind: 'source'; readonly sessionId: string }
  | { readonly kind: 'revision' | 'edits'; readonly sessionId: string; readonly reviewId: string }

/** The path is what a tab says; the query is what counts. */
export function planUri(place: PlanPlace, name: string): vscode.Uri {
  const { kind, sessionId } = place
  const review = place.kind === 'source' ? {} : { review: place.reviewId }
  const query = new URLSearchParams({ kind, session: sessionId, ...review }).toString()
  return vscode.Uri.from({ scheme: PLAN_SCHEME, path: `/${name.replaceAll('/', '∕')}.md`, query })
}

/** Undefined for every other document, also for one that only looks like ours. */
export function planPlaceOf({ scheme, query }: vscode.Uri): PlanPlace | undefined {
  if (scheme !== PLAN_SCHEME) return undefined
  const said = new URLSearchParams(query)
  const [kind, sessionId, reviewId] = [said.get('kind'), said.get('session'), said.get('review')]
  if (sessionId === null) return undefined
  if (kind === 'source') return { kind, sessionId }
  if ((kind !== 'revision' && kind !== 'edits') || reviewId === null) return undefined
  return { kind, sessionId, reviewId }
}

/** Names of the tabs. */
export const names = {
  source: () => vscode.l10n.t('Plan source'),
  revision: (revision: number) => vscode.l10n.t('Plan (revision {0})', revision),
  edits: () => vscode.l10n.t('Plan (your edits)'),
}
