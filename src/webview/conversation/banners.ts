// The sentences across the conversation view: no folder, not writable, what is wrong and what mends it.
import { html, nothing, type TemplateResult } from 'lit'
import { type ConversationState, type FromConversation, fromConversation } from '../messages.ts'
import { banner } from '../parts.ts'
import { words } from './words.ts'

type Send = (message: FromConversation) => void

export function banners(state: ConversationState, send: Send): TemplateResult | typeof nothing {
  const { problem, readOnly, noFolder } = state
  if (!problem && readOnly === null && !noFolder) return nothing
  const openFolder = {
    label: words.openFolder,
    act: () => send({ kind: 'command', command: 'planMode.openFolder' }),
  }
  return html`<div class="banners">
    ${noFolder ? banner({ level: 'info', icon: 'folder-opened', text: words.noFolder, action: openFolder }) : nothing}
    ${readOnly === null ? nothing : notWritable(readOnly, state.continueHere, send)}
    ${problem ? trouble(problem, send) : nothing}
  </div>`
}

function notWritable(text: string, continueHere: boolean, send: Send): TemplateResult {
  const go = { label: words.continueHere, act: () => send({ kind: 'command', command: 'planMode.continueHere' }) }
  return banner({ level: 'warning', icon: 'lock', text, ...(continueHere ? { action: go } : {}) })
}

/** The button stands only for a command that a page may run. */
function trouble(problem: NonNullable<ConversationState['problem']>, send: Send): TemplateResult {
  const mend = fromConversation.safeParse({ kind: 'command', command: problem.action?.command }).data
  const label = problem.action?.label
  return banner({
    level: 'error',
    text: problem.text,
    ...(mend && label ? { action: { label, act: () => send(mend) } } : {}),
  })
}
