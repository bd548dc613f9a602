/**
 * Words for a notification. VS Code makes a link of `[label](address)` there, also of one that runs a command; words of
 * a model, a file or an endpoint must never become one.
 */
export function plainMessage(text: string): string {
  return text.replaceAll('](', '] (')
}
