import { PlanModeError } from './errors.ts'

/** A value that `JSON.parse(JSON.stringify(value))` gives back unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/**
 * Refuses what JSON would lose or change: undefined, functions, symbols, bigint, NaN, infinities, -0, sparse arrays,
 * class instances, symbol keys, cycles. `what` names the thing in the error (an event type, say).
 * @throws PlanModeError `NOT_JSON` with the path of the first offending value.
 */
export function assertLossless(value: unknown, what: string): asserts value is Json {
  check(value, what, '', new Set())
}

/** Freezes a JSON value in place, deeply. Values that are frozen already are not walked again. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key in value) deepFreeze(value[key])
  return value
}

/** JSON with sorted keys: equal text, equal value. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  )
}

function check(value: unknown, what: string, path: string, seen: Set<object>): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'object') checkObject(value, what, path, seen)
  else if (typeof value !== 'number') refuse(what, path, typeof value)
  else if (!Number.isFinite(value)) refuse(what, path, String(value))
  else if (Object.is(value, -0)) refuse(what, path, '-0')
}

function checkObject(value: object, what: string, path: string, seen: Set<object>): void {
  if (seen.has(value)) refuse(what, path, 'a cycle')
  seen.add(value)
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (!(i in value)) refuse(what, `${path}[${i}]`, 'a hole')
      check(value[i], what, `${path}[${i}]`, seen)
    }
    if (Object.keys(value).length !== value.length) refuse(what, path, 'an array with named properties')
  } else {
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype && prototype !== null) refuse(what, path, 'a class instance')
    for (const [key, member] of Object.entries(value)) check(member, what, `${path}.${key}`, seen)
  }
  if (Object.getOwnPropertySymbols(value).length > 0) refuse(what, path, 'a symbol key')
  seen.delete(value)
}

function refuse(what: string, path: string, found: string): never {
  throw new PlanModeError('NOT_JSON', `${what} holds ${found} at data${path}, which JSON cannot keep.`)
}
