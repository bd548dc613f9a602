// The ways to approve, each said in full; none is chosen beforehand.
import { html, nothing, type TemplateResult } from 'lit'
import { icon } from '../parts.ts'
import type { ReviewView } from '../review-messages.ts'
import { hasUnsent, type ReviewModel } from './review-store.ts'
import { words } from './words.ts'

export interface ApproveMenuActs {
  toggle(): void
  close(): void
  start(): void
  withUnsent(): void
  fresh(): void
  save(): void
  leave(): void
}

interface Choice {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly act: () => void
  readonly disabled?: boolean
}

/** The button beside Approve, and the menu while it is open. */
export function approveMenu(
  model: ReviewModel,
  review: ReviewView,
  acts: ApproveMenuActs,
  disabled: boolean,
): TemplateResult {
  return html`<span class="choices">
    <button
      type="button"
      id="approve-menu"
      class=${hasUnsent(model) ? 'secondary' : ''}
      aria-haspopup="menu"
      aria-expanded=${model.menu ? 'true' : 'false'}
      aria-label=${words.choices}
      title=${words.choices}
      ?disabled=${disabled}
      @click=${acts.toggle}
      @keydown=${(event: KeyboardEvent) => openKey(event, model, acts)}
    >${icon('chevron-down')}</button>
    ${model.menu ? menu(choicesOf(model, review, acts), acts) : nothing}
  </span>`
}

function choicesOf(model: ReviewModel, review: ReviewView, acts: ApproveMenuActs): Choice[] {
  const unsent = hasUnsent(model)
  const edits = model.editedHash !== null
  const { fresh } = review
  return [
    {
      id: 'start',
      label: words.approveStart,
      hint: words.approveStartHint(review.carriedOutWith),
      act: acts.start,
    },
    {
      id: 'notes',
      label: edits ? words.approveEdits : words.approveNotes,
      hint: edits ? words.approveEditsHint : unsent ? words.approveNotesHint : words.approveNotesNone,
      act: acts.withUnsent,
      disabled: !unsent,
    },
    ...(fresh === null
      ? []
      : [
          {
            id: 'fresh',
            label: words.approveFresh,
            hint: words.approveFreshHint(fresh.plan, fresh.here),
            act: acts.fresh,
          },
        ]),
    { id: 'save', label: words.approveSave, hint: words.approveSaveHint, act: acts.save },
    ...(review.mode.active ? [{ id: 'leave', label: words.leave, hint: words.leaveHint, act: acts.leave }] : []),
  ]
}

function menu(choices: readonly Choice[], acts: ApproveMenuActs): TemplateResult {
  return html`<span class="menu" role="menu" aria-label=${words.choices} @keydown=${(event: KeyboardEvent) => menuKey(event, acts)}>
    ${choices.map(
      ({ id, label, hint, act, disabled = false }) => html`<button
        type="button"
        role="menuitem"
        id="choose-${id}"
        tabindex="-1"
        aria-disabled=${disabled ? 'true' : 'false'}
        @click=${() => {
          if (!disabled) act()
        }}
      ><b>${label}</b><span class="dim small">${hint}</span></button>`,
    )}
  </span>`
}

function openKey(event: KeyboardEvent, model: ReviewModel, acts: ApproveMenuActs): void {
  if (model.menu || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
  event.preventDefault()
  acts.toggle()
}

function menuKey(event: KeyboardEvent, acts: ApproveMenuActs): void {
  if (!(event.currentTarget instanceof HTMLElement)) return
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const to: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }
  const next = to[event.key]
  if (next !== undefined) items.at(next % items.length)?.focus()
  else if (event.key === 'Escape' || event.key === 'Tab') acts.close()
  else return
  event.preventDefault()
  event.stopPropagation()
}
