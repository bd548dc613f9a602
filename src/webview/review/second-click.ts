// Tells the second half of a double click from a click that is meant.

/** Two clicks within these ms and px may be one double click. */
const reach = { ms: 500, px: 12 }

/** A question may appear under the pointer: what asked it must not answer it with its own second half. */
export class SecondClick {
  #last = { x: 0, y: 0 }
  #asked = { x: 0, y: 0, at: Number.NEGATIVE_INFINITY }

  /** The last click asked a question. */
  asked(): void {
    this.#asked = { ...this.#last, at: performance.now() }
  }

  /** Sees a click before anything else does; stops it when it is the second half. A key has no click count. */
  see(click: MouseEvent, asking: boolean): void {
    const { clientX: x, clientY: y, detail } = click
    const near = Math.hypot(x - this.#asked.x, y - this.#asked.y) < reach.px
    const soon = performance.now() - this.#asked.at < reach.ms
    if (asking && detail > 0 && near && soon) click.stopImmediatePropagation()
    else this.#last = { x, y }
  }
}
