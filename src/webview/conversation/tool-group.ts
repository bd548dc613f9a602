// Tool calls that follow each other: one line, open to see each with its input and output. Failed ones always show.
import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import '../markdown/markdown-view.ts'
import { visible } from '../markdown/visible.ts'
import { PageElement } from '../page-element.ts'
import { icon, quietButton } from '../parts.ts'
import type { Item } from '../transcript-messages.ts'
import { act } from './act.ts'
import type { ToolItem } from './transcript.ts'
import { toolSummary, words } from './words.ts'

/** Characters of an input or output that are drawn. */
const longest = 20_000

const signs: Readonly<Record<ToolItem['status'], string>> = {
  running: 'loading',
  done: 'check',
  failed: 'error',
  stopped: 'circle-slash',
}

const statusWords: Readonly<Record<ToolItem['status'], string>> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  stopped: 'stopped',
}

/** `<tool-group>`; `items` holds at least one call. */
export class ToolGroup extends PageElement {
  static override properties = {
    items: { attribute: false, hasChanged: differ },
    open: { state: true },
    openTools: { state: true },
  }
  declare items: readonly ToolItem[]
  declare open: boolean
  declare openTools: ReadonlySet<string>

  constructor() {
    super()
    this.items = []
    this.open = false
    this.openTools = new Set()
  }

  protected override render(): TemplateResult {
    const [first, ...more] = this.items
    if (!first) return html``
    if (more.length === 0) return this.#tool(first)
    const shown = this.open ? this.items : this.items.filter(item => item.status !== 'done' || item.explorer)
    return html`
      <button type="button" class="fold" aria-expanded=${this.open} @click=${this.#toggle}>
        ${icon(this.open ? 'chevron-down' : 'chevron-right')}
        <span>${toolSummary(this.items.map(item => item.name))}</span>
      </button>
      <div class="tools">${repeat(
        shown,
        item => item.id,
        item => this.#tool(item),
      )}</div>
    `
  }

  #toggle(): void {
    this.open = !this.open
    this.#tellUnfolded()
  }

  #toggleTool(id: string): void {
    const open = new Set(this.openTools)
    if (!open.delete(id)) open.add(id)
    this.openTools = open
    this.#tellUnfolded()
  }

  #tellUnfolded(): void {
    this.dispatchEvent(new Event('unfold', { bubbles: true }))
  }

  #tool(item: ToolItem): TemplateResult {
    const open = this.openTools.has(item.id)
    return html`<div class="tool ${item.status} ${item.parent ? 'inner' : ''}">
      <button type="button" class="fold" aria-expanded=${open} @click=${() => this.#toggleTool(item.id)}>
        ${icon(open ? 'chevron-down' : 'chevron-right')}
        ${item.status === 'done' ? nothing : icon(signs[item.status], item.status === 'running')}
        <span class="name">${visible(item.title)}</span>
        ${item.status === 'done' ? nothing : html`<span class="status">${statusWords[item.status]}</span>`}
        ${changeCount(item.change)}
      </button>
      ${item.explorer ? this.#explorer(item.explorer) : nothing}
      ${open ? this.#details(item) : nothing}
    </div>`
  }

  #explorer({ sessionId, activity }: NonNullable<ToolItem['explorer']>): TemplateResult {
    return html`<div class="explorer">
      ${activity === null ? nothing : html`<span class="dim small" aria-live="off">${visible(activity)}</span>`}
      ${quietButton({ label: words.explorerReport, act: () => act(this, { kind: 'openExplorer', sessionId }) })}
    </div>`
  }

  #details(item: ToolItem): TemplateResult {
    return html`<div class="details">
      ${item.code ? program(item.code) : nothing} ${item.input ? text(words.input, item.input) : nothing} ${text(words.output, item.output || words.noOutput)}
      ${
        item.change
          ? quietButton({
              icon: 'diff',
              label: words.showDiff,
              act: () => act(this, { kind: 'showChange', id: item.id }),
            })
          : nothing
      }
    </div>`
  }
}

/** "+12 −4" of a change, if there is one. */
export function changeCount(change: Extract<Item, { kind: 'tool' }>['change']): TemplateResult | typeof nothing {
  if (!change) return nothing
  return html`<span class="counts"
    ><span class="added">+${change.added}</span> <span class="removed">−${change.removed}</span></span
  >`
}

/** A program reads like code in a plan. Its fence is longer than any run of ticks in it. */
function program(code: string): TemplateResult {
  const longestRun = Math.max(2, ...(code.match(/`+/g) ?? []).map(run => run.length))
  const fence = '`'.repeat(longestRun + 1)
  return html`
    <span class="dim small">${words.program}</span>
    <markdown-view class="program" .text=${`${fence}ts\n${code}\n${fence}`}></markdown-view>
  `
}

function text(label: string, whole: string): TemplateResult {
  const shown = whole.length > longest ? whole.slice(0, longest) : whole
  return html`
    <span class="dim small">${label}</span>
    <pre tabindex="0" role="group" aria-label=${label}>${visible(shown)}</pre>
    ${shown === whole ? nothing : html`<span class="dim small">${words.cut(whole.length - longest)}</span>`}
  `
}

function differ(items: readonly ToolItem[], before: readonly ToolItem[] | undefined): boolean {
  return items.length !== before?.length || items.some((item, index) => item !== before[index])
}

customElements.define('tool-group', ToolGroup)
