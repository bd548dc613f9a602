import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, PlanModeError } from '../../session/errors.ts'
import { emptyDraft, isEmpty, type ReviewDraft, reviewDraft } from './review-draft.ts'

/** No write takes this long; another window may be in the middle of a younger one. */
const LEFT_BEHIND_MS = 60_000

/**
 * Unsent reviews, one file a session in a folder of the extension's own. A file is replaced as a whole: whatever stops
 * the process, the last draft whose `keep` resolved is there, or a later one, never half of one.
 */
export class DraftStore {
  readonly #folder: string
  readonly #writes = new Map<string, Write>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * The draft kept last, also while it is being written; an empty one when there is none.
   * @throws PlanModeError `DRAFT_UNREADABLE` naming the file, which stays as it is.
   */
  async read(sessionId: string): Promise<ReviewDraft> {
    const pending = this.#writes.get(sessionId)
    if (pending !== undefined) return pending.draft
    const file = this.#fileOf(sessionId)
    try {
      return reviewDraft.parse(JSON.parse(await readFile(file, 'utf8')))
    } catch (error) {
      if (isAbsent(error)) return emptyDraft
      throw new PlanModeError('DRAFT_UNREADABLE', `The unsent remarks in ${file} cannot be read: ${messageOf(error)}`, {
        cause: error,
      })
    }
  }

  /** Resolves when this draft, or a later one, is on disk. An empty one removes the file. */
  keep(sessionId: string, draft: ReviewDraft): Promise<void> {
    const running = this.#writes.get(sessionId)
    if (running !== undefined) {
      running.draft = draft
      running.again = true
      return running.done
    }
    const write: Write = { draft, again: false, done: Promise.resolve() }
    this.#writes.set(sessionId, write)
    write.done = this.#drain(sessionId, write)
    return write.done
  }

  /** Resolves when nothing is being written. */
  async settle(): Promise<void> {
    await Promise.allSettled([...this.#writes.values()].map(({ done }) => done))
  }

  /** Removes what writes that were killed left behind. */
  async sweep(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => [])
    for (const name of names.filter(each => each.endsWith('.tmp'))) {
      const file = join(this.#folder, name)
      const { mtimeMs = Date.now() } = (await stat(file).catch(() => undefined)) ?? {}
      if (Date.now() - mtimeMs > LEFT_BEHIND_MS) await rm(file, { force: true })
    }
  }

  async #drain(sessionId: string, write: Write): Promise<void> {
    try {
      do {
        write.again = false
        await this.#replace(this.#fileOf(sessionId), write.draft)
      } while (write.again)
    } finally {
      this.#writes.delete(sessionId)
    }
  }

  async #replace(file: string, draft: ReviewDraft): Promise<void> {
    const fresh = `${file}.${crypto.randomUUID()}.tmp`
    try {
      if (isEmpty(draft)) return await rm(file, { force: true })
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await write(fresh, JSON.stringify(draft))
      await rename(fresh, file)
    } catch (error) {
      await rm(fresh, { force: true }).catch(() => {})
      throw new PlanModeError('DRAFT_UNSAVED', `What you typed cannot be saved to ${file}: ${messageOf(error)}`, {
        cause: error,
      })
    }
  }

  /** Session ids may hold anything; a digest is a file name everywhere. */
  #fileOf(sessionId: string): string {
    return join(this.#folder, `${createHash('sha256').update(sessionId).digest('hex').slice(0, 32)}.json`)
  }
}

interface Write {
  draft: ReviewDraft
  again: boolean
  done: Promise<void>
}

async function write(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
