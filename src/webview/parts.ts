// Small parts that both pages draw.
import '@vscode-elements/elements/dist/vscode-button/index.js'
import { html, LitElement, nothing, type TemplateResult } from 'lit'
import type { ModeView } from './messages.ts'
import { modeHint, modeText } from './words.ts'

/** A codicon for the eye only: words beside it say the same. */
export function icon(name: string, spin = false): TemplateResult {
  return html`<span class="codicon codicon-${name} ${spin ? 'codicon-modifier-spin' : ''}" aria-hidden="true"></span>`
}

/** The mode as a toggle; pressed tells the committed state, the words tell the rest. */
export function modeChip(mode: ModeView, toggle: () => void): TemplateResult {
  const sign = mode.pending ? 'sync' : mode.active ? 'circle-large-filled' : 'circle-large'
  const looks = mode.pending ? 'pending' : mode.active ? 'on' : 'off'
  return html`<button
    type="button"
    class="chip ${looks}"
    aria-pressed=${mode.active ? 'true' : 'false'}
    title=${modeHint(mode)}
    @click=${toggle}
  >${icon(sign)}<span>${modeText(mode)}</span></button>`
}

export interface ButtonParts {
  readonly label: string
  readonly act: (event: MouseEvent) => void
  readonly secondary?: boolean
  readonly icon?: string
  readonly disabled?: boolean
  readonly title?: string
  /** Shown after the label in a quieter tone, such as a key. */
  readonly key?: string
  readonly id?: string
}

/** A VS Code button. */
export function button(parts: ButtonParts): TemplateResult {
  return html`<vscode-button
    id=${parts.id ?? nothing}
    icon=${parts.icon ?? ''}
    ?secondary=${parts.secondary ?? false}
    ?disabled=${parts.disabled ?? false}
    aria-disabled=${parts.disabled ? 'true' : nothing}
    title=${parts.title ?? nothing}
    @click=${parts.act}
  >${parts.label}${parts.key ? html`<span class="key" aria-hidden="true">${parts.key}</span>` : nothing}</vscode-button>`
}

/** A button that looks like text. */
export function quietButton(parts: Omit<ButtonParts, 'secondary' | 'key'>): TemplateResult {
  return html`<button
    type="button"
    class="quiet-button"
    id=${parts.id ?? nothing}
    title=${parts.title ?? nothing}
    ?disabled=${parts.disabled ?? false}
    @click=${parts.act}
  >${parts.icon ? icon(parts.icon) : nothing}<span>${parts.label}</span></button>`
}

export interface BannerParts {
  readonly level: 'info' | 'warning' | 'error'
  readonly text: string
  readonly icon?: string
  readonly action?: { readonly label: string; readonly act: () => void }
}

/** A sentence across the page, with the one act that answers it. */
export function banner(parts: BannerParts): TemplateResult {
  return html`<div class="banner ${parts.level}" role=${parts.level === 'error' ? 'alert' : 'note'}>
    ${icon(parts.icon ?? parts.level)}
    <p>${parts.text}</p>
    ${parts.action ? button({ label: parts.action.label, act: parts.action.act, secondary: true }) : nothing}
  </div>`
}

/** Focuses a control; one that was only just drawn can take the focus once it has drawn itself. */
export async function focusOn(element: HTMLElement | null): Promise<void> {
  if (element instanceof LitElement) await element.updateComplete
  element?.focus()
}

/** Grows a text box with its text where the browser doesn't by itself; the style sheet sets the ceiling. */
export function growToText(box: HTMLTextAreaElement): void {
  if (CSS.supports('field-sizing', 'content')) return
  box.style.height = 'auto'
  box.style.height = `${box.scrollHeight + box.offsetHeight - box.clientHeight}px`
}
