// The remarks beside the plan: what was said, whether it was sent, and what became of it.
import { html, nothing, type TemplateResult } from 'lit'
import { guard } from 'lit/directives/guard.js'
import { live } from 'lit/directives/live.js'
import { repeat } from 'lit/directives/repeat.js'
import '../images/image-thumb.ts'
import type { Image } from '../image-messages.ts'
import { attachButton, carriesFiles, type ImageStrip, imageStrip, pastedFiles } from '../images/image-strip.ts'
import { visible } from '../markdown/visible.ts'
import { icon, quietButton } from '../parts.ts'
import type { FromReview, RemarkView } from '../review-messages.ts'
import { askActions, asked } from './ask-card.ts'
import { fateWords, kindWords, stateWords, words } from './words.ts'

export type Turn = 'removed' | 'again' | 'resolved' | 'open'
export type AskTurn = Extract<FromReview, { kind: 'turnAsk' }>['to']

/** What a reader can do with remarks. */
export interface RemarkActs {
  type(id: string, text: string): void
  turn(id: string, to: Turn): void
  turnAsk(id: string, to: AskTurn): void
  showWork(sessionId: string): void
  attach(id: string, files: readonly File[]): void
  detach(id: string, image: Image): void
  /** Begins a question about the whole plan. */
  askPlan(): void
  /** Makes it the one looked at. */
  pick(id: string): void
  /** As `pick`, and shows its words in the plan. */
  reveal(id: string): void
}

export interface RemarksColumn {
  readonly remarks: readonly RemarkView[]
  readonly textOf: (remark: RemarkView) => string
  /** Images on their way into a remark, and why the last one was not taken. */
  readonly addingTo: (id: string) => Pick<ImageStrip, 'adding' | 'problem'>
  readonly active: string
  /** Whether anything can be said now. */
  readonly open: boolean
  /** Whether this window may change what was said. */
  readonly writable: boolean
  readonly acts: RemarkActs
}

export function remarksColumn(column: RemarksColumn): TemplateResult {
  const { remarks, open } = column
  return html`
    <h2 id="remarks-title">${words.remarks} ${remarks.length > 0 ? html`<span>${remarks.length}</span>` : nothing}</h2>
    ${remarks.length === 0 ? html`<p class="dim small">${open ? words.noRemarksYet : words.noRemarks}</p>` : nothing}
    ${open ? quietButton({ id: 'ask-plan', icon: 'question', label: words.askPlan, title: words.askPlanHint, act: column.acts.askPlan }) : nothing}
    <ul>
      ${repeat(
        remarks,
        ({ id }) => id,
        // Typing in one of hundreds draws that one.
        remark => {
          const { open: isOpen, writable, active, textOf, addingTo } = column
          const { adding, problem } = addingTo(remark.id)
          const parts = [remark, textOf(remark), remark.id === active, isOpen, writable, problem, ...adding]
          return guard(parts, () => card(remark, column))
        },
      )}
    </ul>
  `
}

/** By their place in the plan; those without one come last. */
export function byPlace(remarks: readonly RemarkView[]): readonly RemarkView[] {
  const place = ({ range }: RemarkView): number => range?.start ?? Number.POSITIVE_INFINITY
  return [...remarks].sort((one, other) => (place(one) === place(other) ? 0 : place(one) - place(other)))
}

function card(remark: RemarkView, column: RemarksColumn): TemplateResult {
  const { id, kind, state, under, quote, claim } = remark
  const { acts, active } = column
  const sign = signOf(remark)
  return html`<li
    id="remark-${id}"
    class="remark ${state} ${id === active ? 'active' : ''}"
    tabindex="-1"
    aria-labelledby="remark-${id}-name"
    @focusin=${() => acts.pick(id)}
  >
    <p class="name" id="remark-${id}-name">
      <span class="sign ${sign.tone}">${icon(sign.icon)}</span>
      <b>${id}</b>
      <span>${[kindWords[kind], quote === null ? words.wholePlan : visible(under), standing(remark)].filter(Boolean).join(' · ')}</span>
    </p>
    ${
      quote === null
        ? nothing
        : html`<button
            type="button"
            class="quote"
            ?disabled=${remark.range === null}
            title=${remark.range === null ? words.noPlace : words.showWords}
            @click=${() => acts.reveal(id)}
          >${visible(quote)}</button>`
    }
    ${state === 'unsent' && column.open ? box(remark, column) : html`${said(column.textOf(remark))}${pictures(remark)}`}
    ${remark.ask === null ? nothing : asked(remark.id, remark.ask, column)}
    ${claim === null ? nothing : html`<p class="claim dim">${words.claim(visible(claim))}</p>`}
    ${column.writable ? actions(remark, column) : nothing}
  </li>`
}

function box(remark: RemarkView, { textOf, addingTo, acts }: RemarksColumn): TemplateResult {
  const typed = (event: Event): void => {
    if (event.target instanceof HTMLTextAreaElement) acts.type(remark.id, event.target.value)
  }
  const paste = (event: ClipboardEvent): void => {
    const files = pastedFiles(event)
    if (files.length === 0) return
    event.preventDefault()
    acts.attach(remark.id, files)
  }
  const drag = (event: DragEvent): void => {
    if (!carriesFiles(event)) return
    event.preventDefault()
    if (event.type === 'drop' && event.dataTransfer) acts.attach(remark.id, [...event.dataTransfer.files])
  }
  return html`<div class="say-box" @paste=${paste} @dragover=${drag} @drop=${drag}>
    ${imageStrip({ images: remark.images, ...addingTo(remark.id), remove: image => acts.detach(remark.id, image) })}
    <textarea
      class="text-box"
      rows="2"
      aria-label=${words.remarkText(remark.id)}
      placeholder=${words.remarkPlaceholders[remark.kind]}
      .value=${live(textOf(remark))}
      @input=${typed}
    ></textarea>
  </div>`
}

function pictures({ images }: RemarkView): TemplateResult | typeof nothing {
  if (images.length === 0) return nothing
  return html`<ul class="pictures" aria-label=${words.images}>
    ${images.map(image => html`<li><image-thumb .image=${image}></image-thumb></li>`)}
  </ul>`
}

function said(text: string): TemplateResult | typeof nothing {
  return text.trim() === '' ? nothing : html`<p class="text">${visible(text)}</p>`
}

function actions(remark: RemarkView, { acts, open }: RemarksColumn): TemplateResult {
  const { id, state } = remark
  const act = (label: string, to: Turn): TemplateResult => quietButton({ label, act: () => acts.turn(id, to) })
  switch (state) {
    case 'unsent':
      return html`<div class="turns">
        ${open ? attachButton(files => acts.attach(id, files)) : nothing}
        ${open && remark.kind === 'question' ? askActions(remark, acts) : nothing}
        ${act(words.remove, 'removed')}
      </div>`
    case 'again':
      return html`<div class="turns">${act(words.notAgain, 'removed')}${act(words.resolve, 'resolved')}</div>`
    case 'open':
      return html`<div class="turns">${act(words.resolve, 'resolved')}${open ? act(words.sendAgain, 'again') : nothing}</div>`
    case 'resolved':
      return html`<div class="turns">${act(words.reopen, 'open')}</div>`
  }
}

/** State and fate in a few words. */
function standing({ state, fate, keptBack }: RemarkView): string {
  if (keptBack) return words.askedOnly
  return [state === 'open' && fate !== 'here' ? '' : stateWords[state], fate === 'here' ? '' : fateWords[fate]]
    .filter(Boolean)
    .join(' · ')
}

function signOf({ state, fate, keptBack }: RemarkView): { readonly icon: string; readonly tone: string } {
  if (keptBack) return { icon: 'question', tone: 'plain' }
  if (state === 'unsent' || state === 'again') return { icon: 'circle-filled', tone: 'unsent' }
  if (state === 'resolved') return { icon: 'pass-filled', tone: 'good' }
  if (fate === 'changed') return { icon: 'check', tone: 'good' }
  return fate === 'gone' || fate === 'unclear'
    ? { icon: 'warning', tone: 'warning' }
    : { icon: 'circle-large', tone: 'plain' }
}
