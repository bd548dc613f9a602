// What an empty conversation offers: one sentence and three ways to begin.
import { html, type TemplateResult } from 'lit'
import { icon } from '../parts.ts'
import { words } from './words.ts'

export interface EmptyStateActs {
  plan(): void
  demo(): void
  open(): void
}

export function emptyState(acts: EmptyStateActs): TemplateResult {
  const start = (name: string, label: string, text: string, act: () => void): TemplateResult => html`<li>
    <button type="button" @click=${act}>
      ${icon(name)}<span><b>${label}</b><span class="dim small">${text}</span></span>
    </button>
  </li>`
  return html`<div class="empty">
    <p>${words.empty}</p>
    <ul>
      ${start('checklist', words.startPlan, words.startPlanText, acts.plan)}
      ${start('beaker', words.startDemo, words.startDemoText, acts.demo)}
      ${start('history', words.startOpen, words.startOpenText, acts.open)}
    </ul>
  </div>`
}
