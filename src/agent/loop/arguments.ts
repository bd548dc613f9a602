import { z } from 'zod'
import { messageOf } from '../../session/errors.ts'

export type ParsedArguments =
  | { readonly kind: 'object'; readonly value: Record<string, unknown> }
  | { readonly kind: 'invalid'; readonly problem: string }

const object = z.record(z.string(), z.unknown())

/** Reads a call's raw arguments: a JSON object; no text at all means none. `problem` completes "were refused: ". */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { kind: 'object', value: {} }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { kind: 'invalid', problem: `they are not valid JSON (${messageOf(error)})` }
  }
  const parsed = object.safeParse(value)
  return parsed.success
    ? { kind: 'object', value: parsed.data }
    : { kind: 'invalid', problem: 'they are not a JSON object' }
}
