import type { IncomingMessage } from 'node:http'
import { HttpError } from './errors.ts'

/** The request's body as a JSON object. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > maxBytes) throw new HttpError('too_large', `The body is over ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {}
  throw new HttpError('invalid_body', 'The body is not a JSON object')
}

/** A field that must be a non-empty string. */
export function text(body: Record<string, unknown>, field: string): string {
  const value = body[field]
  if (typeof value === 'string' && value.trim() !== '') return value.trim()
  throw new HttpError('invalid_body', `"${field}" must be a non-empty string`)
}
