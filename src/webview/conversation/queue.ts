// What waits above the composer: a question or a review for the person, and prompts to be sent.
import { html, nothing, type TemplateResult } from 'lit'
import { imageText } from '../images/image-thumb.ts'
import { visible } from '../markdown/visible.ts'
import type { ConversationState, QueuedPrompt } from '../messages.ts'
import { icon, quietButton } from '../parts.ts'
import { act } from './act.ts'
import { words } from './words.ts'

/** That a review waits, and the way to it. */
export function waitingReview(
  review: NonNullable<ConversationState['reviewWaiting']>,
  running: boolean,
  from: EventTarget,
): TemplateResult {
  const open = (): void => act(from, { kind: 'openReview', reviewId: review.reviewId })
  return html`<div class="waiting">
    ${icon('comment-unresolved')}
    <p>${words.reviewWaiting(visible(review.title), running)}</p>
    ${quietButton({ label: words.review, act: open })}
  </div>`
}

/** That a question waits, and the way to it. */
export function waitingQuestion(from: EventTarget): TemplateResult {
  const go = (): void => void from.dispatchEvent(new Event('go-to-question', { bubbles: true }))
  return html`<div class="waiting">
    ${icon('question')}
    <p>${words.questionWaiting}</p>
    ${quietButton({ label: words.goToQuestion, act: go })}
  </div>`
}

/** The queue of a conversation; `from` is the element that its acts come from. */
export function queueList({ queue, running, readOnly }: ConversationState, from: EventTarget): TemplateResult {
  const run = quietButton({ label: words.runQueue, icon: 'play', act: () => act(from, { kind: 'runQueue' }) })
  return html`${running || readOnly !== null ? nothing : run}<ul class="queue" aria-label=${words.queued}>
    ${queue.map(prompt => queued(prompt, from))}
  </ul>`
}

function queued(prompt: QueuedPrompt, from: EventTarget): TemplateResult {
  const { id, text, target, images = [] } = prompt
  const take = words.unqueue(text === '' ? images.map(imageText).join(', ') : visible(text))
  return html`<li>
    <span class="dim small">${words.queued} · ${words.target[target]}</span>
    ${images.map(image => html`<image-thumb .image=${image}></image-thumb>`)}
    <span class="text" title=${visible(text)}>${visible(text)}</span>
    <button
      type="button"
      class="icon-button"
      title=${take}
      aria-label=${take}
      @click=${() => act(from, { kind: 'unqueue', id })}
    >${icon('close')}</button>
  </li>`
}
