import { createHash } from 'node:crypto'

/** Canonical JSON: object keys sorted by UTF-16 code unit at every level, no white space. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`)
  return `{${members.join(',')}}`
}

/** SHA-256 (hex) of a value's canonical JSON. */
export function digest(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex')
}
