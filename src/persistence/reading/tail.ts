import type { StoredEvent } from '../../session/envelope.ts'
import { PlanModeError } from '../../session/errors.ts'
import type { PersistenceBackend, StoredLog } from '../backend.ts'
import { interpret } from './recovery.ts'

/** The stored events from `fromSeq` on, by seeking where the backend can. @throws as the backend's `read`. */
export async function readTail(
  backend: PersistenceBackend,
  id: string,
  fromSeq: number,
  signal?: AbortSignal,
): Promise<readonly StoredEvent[]> {
  if (!Number.isSafeInteger(fromSeq) || fromSeq < 0) {
    throw new PlanModeError('INVALID_SEQ', `${fromSeq} is no place in the conversation "${id}".`)
  }
  const sought = fromSeq === 0 ? undefined : await backend.readFrom?.(id, fromSeq, signal)
  return (sought && interpretAlone(sought)) ?? interpret(await backend.read(id, signal), fromSeq)
}

/** Undefined when a tail cannot be understood on its own; the whole log then says what is wrong, if anything is. */
function interpretAlone(tail: StoredLog): readonly StoredEvent[] | undefined {
  try {
    return interpret(tail)
  } catch {
    return undefined
  }
}
