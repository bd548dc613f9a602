import { access, rename, rm } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { StoredEvent } from '../session/envelope.ts'
import { messageOf, PlanModeError } from '../session/errors.ts'
import type { SessionEvent } from '../session/events.ts'
import type { SessionHeader } from '../session/header.ts'
import { AttachmentStore } from './attachments/attachment-store.ts'
import type { SessionPersistence } from './persistence.ts'
import { persistenceOf, type RootForm } from './root-form.ts'

/** What became of each log of a root; `left` says why a log was not copied. */
export interface Conversion {
  readonly copied: readonly { readonly id: string; readonly events: number }[]
  readonly left: readonly { readonly id: string | undefined; readonly file: string; readonly why: string }[]
}

/** A name for the moment, for a folder. */
export function stampOf(date: Date): string {
  return date.toISOString().replace(/[:.]/g, '-')
}

/** Events per append: large enough to pack well, small enough to keep the process light. */
const BATCH = 5000

/**
 * Copies the pictures that a root's logs name, whatever form its logs have. Before the logs, so that no copied log
 * names what is not there. @throws PlanModeError `STORAGE`, `NOT_WRITABLE`.
 */
export async function copyAttachments(fromRoot: string, toRoot: string): Promise<void> {
  await new AttachmentStore(fromRoot).copyInto(new AttachmentStore(toRoot))
}

/**
 * Copies every session of one store into another, whatever backend or encoding each has, and reads each copy back event
 * by event. Only the stored prefix is copied: an interrupted turn is closed when it is opened next. `from` is only read.
 */
export async function copySessions(from: SessionPersistence, to: SessionPersistence): Promise<Conversion> {
  const { sessions, problems } = await from.list()
  const copied: { id: string; events: number }[] = []
  const left: { id: string | undefined; file: string; why: string }[] = problems.map(({ id, file, message }) => ({
    id,
    file,
    why: message,
  }))
  for (const { header, file } of sessions) {
    try {
      copied.push({ id: header.id, events: await copyOne(from, to, header) })
    } catch (error) {
      left.push({ id: header.id, file, why: messageOf(error) })
    }
  }
  return { copied, left }
}

/**
 * Converts a root where it is: copied beside itself, read back, and only when every log was copied put in the old
 * root's place. Resolves with the path the old root is kept under, undefined when something was left and nothing moved.
 */
export async function convertInPlace(
  root: string,
  form: { readonly from: RootForm; readonly to: RootForm },
  stamp: string,
): Promise<Conversion & { readonly backup: string | undefined }> {
  const beside = `${root}.converting`
  await rm(beside, { recursive: true, force: true })
  // A copy is judged by the logs alone, never by an index.
  const from = persistenceOf(root, form.from, { indexFrom: Number.POSITIVE_INFINITY })
  const to = persistenceOf(beside, form.to, { indexFrom: Number.POSITIVE_INFINITY })
  try {
    await copyAttachments(root, beside)
    const conversion = await copySessions(from, to)
    await Promise.all([from.dispose(), to.dispose()])
    const whole = conversion.left.length === 0 && conversion.copied.length > 0
    const backup = whole ? await replaceRoot(root, beside, stamp) : undefined
    return { ...conversion, backup }
  } finally {
    await Promise.all([from.dispose(), to.dispose()])
    await rm(beside, { recursive: true, force: true })
  }
}

/**
 * Puts a verified copy in the place of a root and keeps the old root beside it. Resolves with the old root's new path.
 * @throws PlanModeError `ROOT_IN_USE` when a backup of that name exists; nothing was moved then.
 */
async function replaceRoot(root: string, copy: string, stamp: string): Promise<string> {
  const backup = `${root}.before-${stamp}`
  if (await exists(backup)) throw new PlanModeError('ROOT_IN_USE', `${backup} exists already. Move it away first.`)
  await rename(root, backup)
  try {
    await rename(copy, root)
  } catch (error) {
    await rename(backup, root)
    throw error
  }
  return backup
}

async function copyOne(from: SessionPersistence, to: SessionPersistence, header: SessionHeader): Promise<number> {
  const { id } = header
  if (!(await from.writable(id))) {
    throw new PlanModeError('WRITER_BUSY', 'Another window is writing it. Close the conversation there first.')
  }
  const events = await from.readFrom(id, 0)
  await to.create(header)
  try {
    // An append of nothing would leave nothing.
    if (events.length === 0) await to.rewrite(id, [])
    for (let at = 0; at < events.length; at += BATCH) await to.append(id, events.slice(at, at + BATCH).map(asEvent))
  } finally {
    await to.release(id)
  }
  await compare(to, header, events)
  return events.length
}

async function compare(to: SessionPersistence, header: SessionHeader, events: readonly StoredEvent[]): Promise<void> {
  const copy = await to.readFrom(header.id, 0)
  const differs = events.findIndex((event, seq) => !isDeepStrictEqual(event, copy[seq]))
  if (differs < 0 && copy.length === events.length) return
  const seq = differs < 0 ? events.length : differs
  throw new PlanModeError(
    'COPY_DIFFERS',
    `The copy of "${header.id}" differs at event ${seq}; the original is untouched.`,
  )
}

/** Safe: the reader has judged the envelope, and the payload is copied as it is. */
function asEvent(event: StoredEvent): SessionEvent {
  return event as unknown as SessionEvent
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
