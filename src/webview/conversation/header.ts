// The header of the conversation view: which conversation, which mode, which model, how full its context is.
import { html, nothing, type TemplateResult } from 'lit'
import { visible } from '../markdown/visible.ts'
import type { ConversationState } from '../messages.ts'
import { PageElement } from '../page-element.ts'
import { icon, modeChip } from '../parts.ts'
import { act } from './act.ts'
import { words } from './words.ts'

/** `<conversation-header>`. */
export class ConversationHeader extends PageElement {
  static override properties = { state: { attribute: false } }
  declare state: ConversationState

  override focus(): void {
    this.querySelector('button')?.focus()
  }

  protected override updated(): void {
    const { context } = this.state
    const bar = this.querySelector<HTMLElement>('.bar > i')
    if (bar && context) bar.style.width = `${Math.min(100, (context.used / context.window) * 100)}%`
  }

  protected override render(): TemplateResult {
    const { state } = this
    const title = visible(state.title) || words.untitled
    return html`
      <button type="button" class="title" title=${words.openPicker} aria-haspopup="dialog" @click=${() => act(this, { kind: 'command', command: 'planMode.openConversation' })}>
        <span>${title}</span>${icon('chevron-down')}
      </button>
      <div class="row">
        ${modeChip(state.mode, () => act(this, { kind: 'toggleMode' }))}
        <span class="grow"></span>
        ${this.#model()}
      </div>
      ${this.#contextBar()}
    `
  }

  #model(): TemplateResult {
    const { model, context } = this.state
    const choose = (): void => act(this, { kind: 'command', command: 'planMode.chooseModel' })
    if (!model.ready) {
      return html`<button type="button" class="quiet-button model" title=${words.chooseModel} @click=${choose}>
        ${icon('warning')}<span>${model.label || words.chooseModel}</span>
      </button>`
    }
    const share = context ? ` · ${words.percent(Math.round((context.used / context.window) * 100))}` : ''
    return html`<span class="model dim small" title=${model.label}>${model.label}</span
      >${context ? html`<span class="dim small share" aria-hidden="true">${share}</span>` : nothing}`
  }

  #contextBar(): TemplateResult {
    const { context } = this.state
    if (!context) return html`<div class="bar none"></div>`
    const text = words.contextText(context.used, context.window)
    return html`<div
      class="bar"
      role="meter"
      aria-label=${words.contextUse}
      aria-valuemin="0"
      aria-valuemax=${context.window}
      aria-valuenow=${context.used}
      aria-valuetext=${text}
      title=${text}
    ><i></i></div>`
  }
}

customElements.define('conversation-header', ConversationHeader)
