// One entry of the transcript that is not a tool call.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import '../images/image-thumb.ts'
import '../markdown/markdown-view.ts'
import { visible } from '../markdown/visible.ts'
import { PageElement } from '../page-element.ts'
import { button, icon, quietButton } from '../parts.ts'
import { act } from './act.ts'
import { questionRecord } from './question-record.ts'
import { changeCount } from './tool-group.ts'
import type { Row } from './transcript.ts'
import { approvalStates, planStates, words } from './words.ts'

type Entry = Extract<Row, { kind: 'item' }>['item']
type Of<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>

/** Fired, bubbling, when words that were typed for a question and never sent are wanted in the message box. */
export class TakeEvent extends Event {
  readonly id: string
  readonly text: string

  constructor(id: string, text: string) {
    super('take', { bubbles: true })
    this.id = id
    this.text = text
  }
}

/** `<transcript-entry>`: draws `item`, and draws again only when it is another object. */
export class TranscriptEntry extends PageElement {
  static override properties = {
    item: { attribute: false },
    latest: { attribute: false },
    open: { state: true },
    answered: { state: true },
  }
  declare item: Entry
  /** The plan that the review panel can show. */
  declare latest: boolean
  declare open: boolean
  /** The answer is on its way: a second click sends nothing. */
  declare answered: boolean
  #hadFocus = false

  constructor() {
    super()
    this.latest = false
    this.open = false
    this.answered = false
  }

  protected override willUpdate(changed: PropertyValues<TranscriptEntry>): void {
    if (changed.has('item')) this.answered = false
    this.#hadFocus = this.contains(document.activeElement)
  }

  /** Keeps the keyboard's place when the buttons that had it are gone. */
  protected override updated(): void {
    if (this.#hadFocus && document.activeElement === document.body) this.querySelector<HTMLElement>('.card')?.focus()
  }

  protected override render(): TemplateResult {
    const item = this.item
    switch (item.kind) {
      case 'user':
        return you(item)
      case 'assistant':
        return html`
          <span class="hidden">${words.assistant}: </span>
          <markdown-view .text=${item.text}></markdown-view>
          ${item.interrupted ? html`<p class="dim small">${words.interrupted}</p>` : nothing}
        `
      case 'reasoning':
        return this.#reasoning(item)
      case 'approval':
        return this.#approval(item)
      case 'plan':
        return item.state === 'waiting' ? this.#waitingPlan(item) : this.#decidedPlan(item)
      case 'question':
        return questionRecord(item, () => this.dispatchEvent(new TakeEvent(item.id, item.unsent ?? '')))
      case 'command':
        return command(item)
      case 'compaction':
        return this.#compaction(item)
      case 'mode':
        return html`<div class="separator"><span>${item.active ? words.modeOn : words.modeOff}</span></div>`
      case 'fork':
        return html`<div class="separator"><span>${words.forked}</span></div>`
      case 'notice':
        return html`<div class="notice ${item.level}">${icon(item.level)}<span>${visible(item.text)}</span></div>`
    }
  }

  #reasoning(item: Of<'reasoning'>): TemplateResult {
    const label = item.streaming ? words.thinking : words.thought
    return this.#fold(label, html`<div class="thought">${visible(item.text)}</div>`)
  }

  /** What the model was given to read is text of a model: drawn like an answer, open only when somebody asks. */
  #compaction(item: Of<'compaction'>): TemplateResult {
    if (item.status === 'running') return html`<div class="separator"><span>${words.summarising}</span></div>`
    if (item.status === 'failed') {
      return html`<div class="notice info">${icon('info')}<span>${words.notSummarised(visible(item.text))}</span></div>`
    }
    const label = words.summarised(item.messages, item.tokens)
    return this.#fold(
      label,
      html`<div class="thought summary"><markdown-view .text=${item.text}></markdown-view></div>`,
    )
  }

  #fold(label: string, content: TemplateResult): TemplateResult {
    const toggle = (): void => {
      this.open = !this.open
      this.dispatchEvent(new Event('unfold', { bubbles: true }))
    }
    return html`
      <button type="button" class="fold" aria-expanded=${this.open} @click=${toggle}>
        ${icon(this.open ? 'chevron-down' : 'chevron-right')}
        <span>${label}</span>
      </button>
      ${this.open ? content : nothing}
    `
  }

  #approval(item: Of<'approval'>): TemplateResult {
    const title = visible(item.title)
    const warning = item.warning
      ? html`<p class="warning">${icon('warning')}<span>${visible(item.warning)}</span></p>`
      : nothing
    if (item.state !== 'waiting') {
      const sign = item.state === 'allowed-once' ? 'check' : 'circle-slash'
      return html`<div class="card old" tabindex="-1">
        <p class="line">${icon(sign)}<span class="name">${title}</span><span class="dim small">${approvalStates[item.state]}</span></p>
        ${warning}
      </div>`
    }
    return html`<div class="card" tabindex="-1" role="group" aria-label="${words.approval}: ${title}">
      <p class="line"><b class="name">${title}</b>${changeCount(item.change)}</p>
      ${warning}
      <div class="foot">
        ${
          item.change
            ? quietButton({
                icon: 'diff',
                label: words.showDiff,
                act: () => act(this, { kind: 'showChange', id: item.id }),
              })
            : nothing
        }
        ${button({ label: words.reject, secondary: true, disabled: this.answered, act: () => this.#answer(item.id, false) })}
        ${button({ label: words.allow, disabled: this.answered, act: () => this.#answer(item.id, true) })}
      </div>
    </div>`
  }

  #answer(id: string, allow: boolean): void {
    if (this.answered) return
    // A button that is disabled loses the focus; the card keeps it.
    this.querySelector<HTMLElement>('.card')?.focus()
    this.answered = true
    act(this, { kind: 'answerApproval', id, allow })
  }

  #waitingPlan(item: Of<'plan'>): TemplateResult {
    return html`<div class="card plan" role="group" aria-label="${words.plan(item.revision)}">
      <b class="name">${visible(item.title)}</b>
      <p class="dim small">${words.plan(item.revision)}</p>
      ${item.excerpt ? html`<p class="excerpt">${visible(item.excerpt)}</p>` : nothing}
      <div class="foot">
        <span class="state">${icon('circle-large-filled')}${planStates.waiting}</span>
        ${button({ label: words.review, act: () => act(this, { kind: 'openReview', reviewId: item.reviewId }) })}
      </div>
    </div>`
  }

  #decidedPlan(item: Of<'plan'>): TemplateResult {
    const state = item.state === 'kept' && !item.feedback ? words.sentBack : planStates[item.state]
    return html`<div class="card old ${item.state === 'approved' ? 'approved' : ''}" role="group" aria-label="${words.plan(item.revision)}">
      <p class="line">
        ${item.state === 'approved' ? icon('pass-filled') : nothing}
        <span class="name">${visible(item.title)}</span>
        ${this.latest ? quietButton({ label: words.openPlan, act: () => act(this, { kind: 'openReview', reviewId: item.reviewId }) }) : nothing}
      </p>
      <p class="dim small">${words.plan(item.revision)} · ${state}</p>
      ${
        item.feedback
          ? html`<span class="hidden">${words.feedback}: </span><blockquote>${visible(item.feedback)}</blockquote>`
          : nothing
      }
    </div>`
  }
}

function you({ text, images = [] }: Of<'user'>): TemplateResult {
  const pictures = html`<ul class="pictures" aria-label=${words.sentImages}>
    ${images.map(image => html`<li><image-thumb .image=${image}></image-thumb></li>`)}
  </ul>`
  const before = images.length === 0 ? nothing : pictures
  return html`<div class="you"><span class="hidden">${words.you}: </span>${before}${visible(text)}</div>`
}

function command(item: Of<'command'>): TemplateResult {
  const sign = item.status === 'running' ? 'loading' : item.status === 'error' ? 'error' : 'terminal'
  return html`<div class="command ${item.status}">
    ${icon(sign, item.status === 'running')}
    <span><code>${visible(item.text)}</code>${item.result ? html`<span class="result">${visible(item.result)}</span>` : nothing}</span>
  </div>`
}

customElements.define('transcript-entry', TranscriptEntry)

declare global {
  interface HTMLElementTagNameMap {
    'transcript-entry': TranscriptEntry
  }
}
