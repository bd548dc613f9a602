/** `text`, cut after `limit` UTF-16 units (never inside a character), with a last line that says how much is left out. */
export function boundedText(text: string, limit: number): string {
  if (text.length <= limit) return text
  const kept = head(text, limit)
  return `${kept}\n… ${(text.length - kept.length).toLocaleString('en-US')} more characters`
}

/** At most `limit` UTF-16 units of `text`, the last one an ellipsis when something is left out. */
export function shortText(text: string, limit: number): string {
  return text.length <= limit ? text : `${head(text, limit - 1)}…`
}

function head(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')
}
