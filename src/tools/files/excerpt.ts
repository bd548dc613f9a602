/** A part of a text that never begins or ends inside a surrogate pair. */
export function excerpt(text: string, from: number, length: number): string {
  return text.slice(from, from + length).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
}
