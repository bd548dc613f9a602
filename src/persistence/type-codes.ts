import { type EventType, eventSchemas } from '../session/events.ts'

/** Event types as one byte each, for columns that are stored or scanned. */

/** The names behind the codes, in their order; what is stored by code holds for exactly these. */
export const typeNames: readonly string[] = Object.keys(eventSchemas)
/** An event whose type this build does not know. */
export const OTHER = 255
const codes: ReadonlyMap<string, number> = new Map(typeNames.map((name, code) => [name, code]))

export function codeOfType(type: unknown): number {
  return (typeof type === 'string' ? codes.get(type) : undefined) ?? OTHER
}

/** By code: 1 for each code that is of one of the types. */
export function codesOf(types: ReadonlySet<EventType>): Uint8Array {
  const flags = new Uint8Array(256)
  for (const type of types) flags[codeOfType(type)] = 1
  return flags
}
