import { existsSync, statSync } from 'node:fs'
import { basename, dirname, relative, sep } from 'node:path'
import { encodingOfFile } from '../persistence/jsonl/encodings.ts'
import { idOfSegment } from '../persistence/jsonl/paths.ts'
import type { SessionPersistence } from '../persistence/persistence.ts'
import { persistenceOf, type RootForm, rootFormOf } from '../persistence/root-form.ts'
import { PlanModeError } from '../session/errors.ts'
import type { SessionHeader } from '../session/header.ts'

/** One stored log, readable or not. */
export interface LogEntry {
  readonly id: string
  /** Relative to the root, with forward slashes. */
  readonly file: string
  /** Null when the listing leaves the log out. */
  readonly header: SessionHeader | null
  readonly problem: { readonly code: string; readonly message: string } | undefined
  /** Reads this log, whatever encoding its file has. */
  readonly persistence: SessionPersistence
}

/** A sessions root, opened for reading as what it is. */
export class LogRoot {
  readonly path: string
  readonly form: RootForm
  readonly #persistences = new Map<string, SessionPersistence>()

  /** @throws PlanModeError `NO_ROOT` when there is no such folder. */
  static async open(path: string, given: Partial<RootForm>): Promise<LogRoot> {
    if (!existsSync(path) || !statSync(path).isDirectory()) {
      throw new PlanModeError(
        'NO_ROOT',
        `There is no folder ${path}. Name a sessions root, such as .plan-mode/sessions.`,
      )
    }
    const held = await rootFormOf(path)
    const backend = given.backend ?? held?.backend ?? 'jsonl'
    return new LogRoot(path, { backend, compression: given.compression ?? held?.compression ?? 'none' })
  }

  private constructor(path: string, form: RootForm) {
    this.path = path
    this.form = form
  }

  /** Everything the root holds, in path order (UTF-16). */
  async entries(): Promise<readonly LogEntry[]> {
    const own = this.#persistence(this.form.compression)
    const { sessions, problems } = await own.list()
    const entries: LogEntry[] = [
      ...sessions.map(({ header, file }) => {
        return { id: header.id, file: this.#relative(file), header, problem: undefined, persistence: own }
      }),
      ...problems.map(({ file, id, code, message }) => {
        const persistence = this.#persistence(encodingOfFile(basename(file))?.name ?? this.form.compression)
        return {
          id: id ?? idOf(file),
          file: this.#relative(file),
          header: null,
          problem: { code, message },
          persistence,
        }
      }),
    ]
    return entries.sort((one, other) => compare(one.file, other.file) || compare(one.id, other.id))
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#persistences.values()].map(persistence => persistence.dispose()))
  }

  #persistence(compression: RootForm['compression']): SessionPersistence {
    const key = this.form.backend === 'sqlite' ? 'sqlite' : compression
    const known = this.#persistences.get(key)
    if (known !== undefined) return known
    // Whoever looks at a log from here wants to know what it holds, not what was known of it once.
    const form = { backend: this.form.backend, compression }
    const made = persistenceOf(this.path, form, { indexFrom: Number.POSITIVE_INFINITY })
    this.#persistences.set(key, made)
    return made
  }

  #relative(file: string): string {
    return relative(this.path, file).split(sep).join('/')
  }
}

/** The id a file's place tells: its folder's name, or its own in the retired flat layout. */
function idOf(file: string): string {
  const name = basename(file)
  const segment = encodingOfFile(name) === undefined ? name.replace(/\.jsonl(\.zstd)?$/, '') : basename(dirname(file))
  return idOfSegment(segment)
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1
}
