import { PlanModeError } from '../../session/errors.ts'
import type { PersistenceBackend } from '../backend.ts'
import { storageCodes } from '../errors.ts'
import type { SessionPersistenceSnapshot } from '../persistence.ts'

const AT_ONCE = 16

/** Every listed session with its revision; one that goes away or cannot be read meanwhile is left out. */
export async function snapshotsOf(
  backend: PersistenceBackend,
  signal?: AbortSignal,
): Promise<readonly SessionPersistenceSnapshot[]> {
  if (backend.revision === undefined) {
    throw new PlanModeError(storageCodes.unsupported, 'This store does not tell when a log has changed.')
  }
  const { sessions } = await backend.list(signal)
  const snapshots: SessionPersistenceSnapshot[] = []
  for (let at = 0; at < sessions.length; at += AT_ONCE) {
    signal?.throwIfAborted()
    const some = await Promise.all(
      sessions.slice(at, at + AT_ONCE).map(async ({ header, revision }) => ({
        header,
        revision: revision ?? (await backend.revision?.(header.id, signal).catch(() => undefined)),
      })),
    )
    for (const { header, revision } of some) if (revision !== undefined) snapshots.push({ header, revision })
  }
  return snapshots
}
