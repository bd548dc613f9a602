// The approved plan, pinned under the transcript: its steps with their state, the files changed under each, what it came to.
import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { visible } from '../markdown/visible.ts'
import type { ChangedFile, PinnedPlan } from '../messages.ts'
import { PageElement } from '../page-element.ts'
import { icon, quietButton } from '../parts.ts'
import { act } from './act.ts'
import { planWords } from './plan-words.ts'
import { changeCount } from './tool-group.ts'

type Step = PinnedPlan['steps'][number]
type Outcome = NonNullable<PinnedPlan['check']>['outcomes'][number]

const signs: Readonly<Record<Step['state'], string>> = {
  open: 'circle-large',
  running: 'loading',
  done: 'pass-filled',
  skipped: 'circle-slash',
}

/** `<plan-steps>`; `quiet` leaves out what only the window that writes can do. */
export class PlanSteps extends PageElement {
  static override properties = {
    plan: { attribute: false },
    quiet: { type: Boolean },
    running: { type: Boolean },
    open: { state: true },
    openSteps: { state: true },
  }
  declare plan: PinnedPlan
  declare quiet: boolean
  /** The agent is at work, so that a running step really runs. */
  declare running: boolean
  declare open: boolean
  declare openSteps: ReadonlySet<string>

  constructor() {
    super()
    this.quiet = false
    this.running = false
    this.open = true
    this.openSteps = new Set()
  }

  protected override render(): TemplateResult {
    const { plan, open } = this
    const over = plan.steps.filter(({ state }) => state === 'done' || state === 'skipped').length
    return html`<section class="plan-steps" aria-label=${planWords.pinned}>
      <button type="button" class="fold head" aria-expanded=${open} @click=${() => {
        this.open = !open
      }}>
        ${icon(open ? 'chevron-down' : 'chevron-right')}
        <span class="name">${visible(plan.title)}</span>
        <span class="small dim">${planWords.progress(over, plan.steps.length)}</span>
      </button>
      ${open ? this.#body() : nothing}
    </section>`
  }

  #body(): TemplateResult {
    const { steps, elsewhere, check } = this.plan
    return html`<div class="body" tabindex="0" role="region" aria-label=${planWords.steps}>
      ${check === null ? nothing : this.#check(check)}
      <ol>${repeat(
        steps,
        step => step.id,
        step => this.#step(step),
      )}</ol>
      ${
        elsewhere.length === 0
          ? nothing
          : html`<p class="small dim">${planWords.elsewhere}</p>${this.#files(elsewhere)}`
      }
    </div>`
  }

  #step(step: Step): TemplateResult {
    const open = this.openSteps.has(step.id) || step.state === 'running'
    const { files, note } = step
    const added = files.reduce((sum, file) => sum + file.added, 0)
    const removed = files.reduce((sum, file) => sum + file.removed, 0)
    const line = html`
      ${icon(signs[step.state], step.state === 'running' && this.running)}
      <span class="step">${visible(step.title)}</span>
      <span class="small dim state">${planWords.states[step.state]}</span>
      ${files.length === 0 ? nothing : changeCount({ path: '', added, removed })}
    `
    return html`<li class=${step.state}>
      ${
        files.length === 0
          ? html`<div class="line">${line}</div>`
          : html`<button type="button" class="fold line" aria-expanded=${open} @click=${() => this.#toggle(step.id)}>
              ${line}
            </button>`
      }
      ${note === null ? nothing : html`<p class="small note">${visible(note)}</p>`}
      ${open ? this.#files(files) : nothing}
    </li>`
  }

  #toggle(id: string): void {
    const open = new Set(this.openSteps)
    if (!open.delete(id)) open.add(id)
    this.openSteps = open
  }

  #files(files: readonly ChangedFile[]): TemplateResult | typeof nothing {
    if (files.length === 0) return nothing
    return html`<ul class="files">${repeat(
      files,
      file => file.path,
      file => html`<li>
        <button
          type="button"
          class="fold"
          title=${planWords.openDiff}
          @click=${() => act(this, { kind: 'showLoggedChange', path: file.path, refs: [...file.refs] })}
        >${icon('diff')}<span class="name">${visible(file.path)}</span>${changeCount(file)}</button>
      </li>`,
    )}</ul>`
  }

  #check({ outcomes, unplanned }: NonNullable<PinnedPlan['check']>): TemplateResult {
    const unfinished = this.plan.steps.filter((_, index) => isUnfinished(outcomes[index]))
    return html`<div class="card check" role="group" aria-label=${planWords.check}>
      <div class="line">${icon('checklist')}<span class="name">${planWords.check}</span></div>
      <p>${planWords.outcome(outcomes)}</p>
      ${
        unfinished.length === 0
          ? nothing
          : html`<ul class="plain">${unfinished.map(
              step =>
                html`<li>${visible(step.title)} <span class="dim">· ${planWords.outcomes[outcomes[this.plan.steps.indexOf(step)] ?? 'untouched']}</span></li>`,
            )}</ul>`
      }
      ${unplanned.length === 0 ? nothing : html`<p>${planWords.unplanned}</p>${this.#files(unplanned)}`}
      ${
        this.quiet
          ? nothing
          : html`<div class="foot">
              ${quietButton({ icon: 'check', label: planWords.close, title: planWords.closeHint, act: () => act(this, { kind: 'command', command: 'planMode.closePlan' }) })}
              ${quietButton({ icon: 'circle-slash', label: planWords.drop, title: planWords.dropHint, act: () => act(this, { kind: 'command', command: 'planMode.dropPlan' }) })}
            </div>`
      }
    </div>`
  }
}

function isUnfinished(outcome: Outcome | undefined): boolean {
  return outcome === 'partly' || outcome === 'untouched'
}

customElements.define('plan-steps', PlanSteps)

declare global {
  interface HTMLElementTagNameMap {
    'plan-steps': PlanSteps
  }
}
