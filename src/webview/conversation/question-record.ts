// Questions that wait here no more, as a quiet record: what was asked, what was answered, what was typed and not sent.
import { html, nothing, type TemplateResult } from 'lit'
import { visible } from '../markdown/visible.ts'
import { icon, quietButton } from '../parts.ts'
import type { Item } from '../transcript-messages.ts'
import { questionStates, words } from './words.ts'

type QuestionItem = Extract<Item, { kind: 'question' }>

const signs: Readonly<Record<QuestionItem['state'], string>> = {
  waiting: 'question',
  answered: 'check',
  dismissed: 'circle-slash',
  stopped: 'circle-slash',
  failed: 'error',
}

/** `take` puts the words that were never sent into the message box. */
export function questionRecord(item: QuestionItem, take: () => void): TemplateResult {
  const state = item.state === 'failed' && item.trouble ? visible(item.trouble) : questionStates[item.state]
  return html`<div class="card old question" tabindex="-1" role="group" aria-label=${words.questionRecord}>
    ${item.asked.map(
      each => html`<p class="asked dim">
          ${each.header ? html`<span class="small">${visible(each.header)}</span>` : nothing}<span>${visible(each.question)}</span>
        </p>
        ${item.state === 'answered' ? html`<p class="given"><span class="hidden">${words.yourAnswer}: </span>${visible(answerText(each))}</p>` : nothing}`,
    )}
    <p class="line dim small">${icon(signs[item.state])}<span>${state}</span></p>
    ${item.unsent === undefined ? nothing : unsent(item.unsent, take)}
  </div>`
}

function unsent(text: string, take: () => void): TemplateResult {
  return html`<div class="unsent">
    <span class="dim small">${words.unsent}</span>
    <blockquote>${visible(text)}</blockquote>
    ${quietButton({ label: words.takeUnsent, icon: 'arrow-down', act: take })}
  </div>`
}

function answerText({ selected, custom }: QuestionItem['asked'][number]): string {
  const parts = custom === undefined ? selected : [...selected, custom]
  return parts.length === 0 ? words.noneChosen : parts.join('\n')
}
