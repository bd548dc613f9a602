// What both pages say about the mode.
import type { ModeView } from './messages.ts'

/** The mode as text; the same words as the status bar's. */
export function modeText(mode: ModeView): string {
  if (mode.pending) return mode.active ? 'Plan off at next step' : 'Plan on at next step'
  return mode.active ? 'Plan on · guided' : 'Plan off'
}

/** What a click on the mode does. */
export function modeHint(mode: ModeView): string {
  if (mode.pending) return mode.active ? 'Cancel: plan mode stays on' : 'Cancel: plan mode stays off'
  return mode.active ? 'Turn plan mode off' : 'Turn plan mode on'
}
