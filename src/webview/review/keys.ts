// The keys of the review panel, and the commands of the window, which do the same.
import type { PanelAct, RemarkKind } from '../review-messages.ts'
import type { Deciding } from './deciding.ts'
import type { ReviewPanel } from './review-panel.ts'
import type { Saying } from './saying.ts'
import { kindKeys, kinds } from './words.ts'

export class ReviewKeys {
  readonly #panel: ReviewPanel
  readonly #deciding: Deciding
  readonly #saying: Saying

  constructor(panel: ReviewPanel, deciding: Deciding, saying: Saying) {
    this.#panel = panel
    this.#deciding = deciding
    this.#saying = saying
  }

  listen(): void {
    window.addEventListener('keydown', event => this.#first(event), { capture: true })
    window.addEventListener('keydown', event => this.#key(event))
  }

  /** What a command of the window asks for. Every approval by a command is asked once. */
  act(act: PanelAct): void {
    if (act === 'approve') this.#deciding.approve(true)
    else if (act === 'approveWithNotes') this.#deciding.approveWithUnsent()
    else if (act === 'save') this.#deciding.approve(true, 'save')
    else if (act === 'keep') this.#deciding.keep()
    else if (act === 'dismiss') this.#deciding.dismiss()
    else if (act === 'watch') this.#panel.watch(true)
    else if (act === 'addRemark') this.#say('remark')
    else if (act === 'ask') this.#saying.ask()
    else this.#saying.step(act === 'nextRemark' ? 1 : -1)
  }

  /** Before any button sees it: Alt+Enter approves after asking, and a key that is held answers nothing. */
  #first(event: KeyboardEvent): void {
    const approves = event.key === 'Enter' && event.altKey && !event.ctrlKey && !event.metaKey && !event.isComposing
    const held = event.repeat && (event.key === 'Enter' || event.key === ' ') && !isTyping(event)
    if (!approves && !held) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (!held && !event.repeat) this.#deciding.approveByKey()
  }

  #key(event: KeyboardEvent): void {
    // The search has keys of its own.
    if (event.isComposing || event.defaultPrevented || event.target instanceof HTMLInputElement) return
    const { model } = this.#panel
    if (event.key === 'Escape' && model.question !== null) {
      event.preventDefault()
      this.#deciding.back()
    } else if (event.key === 'Escape' && model.menu) {
      event.preventDefault()
      this.#deciding.closeMenu()
    } else if (isTyping(event)) this.#boxKey(event)
    else if (event.shiftKey && event.key.startsWith('Arrow') && !this.#panel.model.menu) this.#extend(event)
    else if (event.key === 'Escape' && inRemarks(event.target)) {
      event.preventDefault()
      this.#saying.leave('')
    } else if (!event.ctrlKey && !event.metaKey && !event.altKey) this.#letter(event)
  }

  #boxKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      event.preventDefault()
      const card = event.target instanceof Element ? event.target.closest('.remark') : null
      if (card) this.#saying.leave(card.id.replace('remark-', ''))
      else this.#panel.querySelector('main')?.focus()
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      if (event.repeat) return
      if (event.shiftKey && inRemarks(event.target)) this.#saying.ask()
      else this.#deciding.keep()
    }
  }

  /** Selects in the plan by keys, which a browser does only where text can be typed. */
  #extend(event: KeyboardEvent): void {
    const text = this.#panel.querySelector('plan-text')
    if (text?.extend(event.key, event.ctrlKey || event.altKey)) event.preventDefault()
  }

  #letter(event: KeyboardEvent): void {
    if (this.#panel.model.menu || event.target instanceof HTMLSelectElement) return
    const key = event.key.toLowerCase()
    const kind = kinds.find(each => kindKeys[each] === key)
    const text = this.#panel.querySelector('plan-text')
    if (kind && !event.repeat) this.#say(kind)
    else if (key === 'a' && !event.repeat) this.#saying.ask()
    else if (key === 'n') this.#saying.step(1)
    else if (key === 'p') this.#saying.step(-1)
    else if (key === 'j') text?.step(1)
    else if (key === 'k') text?.step(-1)
    else return
    event.preventDefault()
  }

  #say(kind: RemarkKind): void {
    this.#panel.querySelector('plan-text')?.say(kind)
  }
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLTextAreaElement
}

function inRemarks(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('#remarks') !== null
}
