// What an explorer was asked about a question, within its card: at work, its answer, or why there is none.
import { html, nothing, type TemplateResult } from 'lit'
import '../markdown/markdown-view.ts'
import { visible } from '../markdown/visible.ts'
import { icon, quietButton } from '../parts.ts'
import type { AskView, RemarkView } from '../review-messages.ts'
import type { AskTurn, RemarkActs, RemarksColumn } from './remarks-column.ts'
import { words } from './words.ts'

export function asked(id: string, ask: AskView, { acts, open }: RemarksColumn): TemplateResult {
  const turn = (label: string, to: AskTurn, title = label): TemplateResult =>
    quietButton({ label, title, act: () => acts.turnAsk(id, to) })
  const work = ask.by === null ? nothing : showWork(ask.by, acts)
  switch (ask.state) {
    case 'asking':
      return html`<div class="ask" role="group" aria-label=${words.explorer}>
        <p class="dim" role="status">${icon('loading', true)} ${words.asking(visible(ask.activity ?? ''))}</p>
        <div class="turns">${open ? turn(words.stopAsking, 'stopped') : nothing}${work}</div>
      </div>`
    case 'answered':
      return html`<div class="ask" role="group" aria-label=${words.explorer}>
        <p class="dim small">${icon('search')} ${ask.attached ? words.answerAttached : words.answerHere}</p>
        <markdown-view class="answer" tabindex="0" .text=${ask.text}></markdown-view>
        <div class="turns">
          ${
            open
              ? html`${ask.attached ? turn(words.detach, 'detached') : turn(words.attach, 'attached', words.attachHint)}
                ${turn(words.dropAnswer, 'dropped', words.dropAnswerHint)}`
              : nothing
          }
          ${work}
        </div>
      </div>`
    case 'failed':
    case 'stopped':
      return html`<div class="ask" role="group" aria-label=${words.explorer}>
        <p class="why" role=${ask.state === 'failed' ? 'alert' : nothing}>
          ${icon(ask.state === 'failed' ? 'error' : 'circle-slash')}
          <span>${ask.state === 'failed' ? visible(ask.text) : words.askStopped}</span>
        </p>
        <div class="turns">${work}</div>
      </div>`
  }
}

/** The way to ask, beside a question that nobody answers now. */
export function askActions({ id, ask }: RemarkView, acts: RemarkActs): TemplateResult | typeof nothing {
  if (ask?.state === 'asking') return nothing
  const label = ask === null ? words.ask : words.askAgain
  return quietButton({ id: `ask-${id}`, label, title: words.askHint, act: () => acts.turnAsk(id, 'asked') })
}

function showWork(by: string, acts: RemarkActs): TemplateResult {
  return quietButton({ label: words.showWork, title: words.showWorkHint, act: () => acts.showWork(by) })
}
