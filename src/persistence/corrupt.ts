import { SessionPersistenceCorruptionError } from './errors.ts'

/** Refuses a damaged log. @throws `CORRUPT` naming the file; `problem` says where in it, and what is wrong. */
export function corrupt(file: string, problem: string): never {
  throw new SessionPersistenceCorruptionError(`${file} is damaged: ${problem}.`)
}
