import { z } from 'zod'
import { messageOf } from '../../session/errors.ts'

export type ParsedArguments =
  | { readonly kind: 'object'; readonly value: Record<string, unknown> }
  | { readonly kind: 'invalid'; readonly problem: string }

const object = z.record(z.string(), z.unknown())

/** Whatever writes JSON again follows it by recursion, which thousands of levels would end. */
const maxDepth = 100

/** Reads a call's raw arguments: a JSON object; no text at all means none. `problem` completes "were refused: ". */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { kind: 'object', value: {} }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { kind: 'invalid', problem: `they are not valid JSON (${messageOf(error)})` }
  }
  if (isDeeper(value, maxDepth)) return { kind: 'invalid', problem: `they are nested over ${maxDepth} levels deep` }
  const parsed = object.safeParse(value)
  return parsed.success
    ? { kind: 'object', value: parsed.data }
    : { kind: 'invalid', problem: 'they are not a JSON object' }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(member => isDeeper(member, levels - 1))
}
