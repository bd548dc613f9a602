// Where the harness keeps what it fetches: one folder in the user's cache, shared by every clone.
import { homedir } from 'node:os'
import { join } from 'node:path'

/** `$XDG_CACHE_HOME/plan-mode`, or `~/.cache/plan-mode` when that is not set. */
export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'plan-mode')
}
