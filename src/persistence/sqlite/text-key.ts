/** Any string as text for SQLite, which keeps Unicode only: the inside of its JSON string. Plain text stays as it is. */
export function keyOf(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** The string of a key; undefined for what `keyOf` never gives. */
export function textOf(key: unknown): string | undefined {
  if (typeof key !== 'string') return undefined
  if (!key.includes('\\')) return key
  try {
    const text: unknown = JSON.parse(`"${key}"`)
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}
