// Runs an act once a person pauses typing.

/** The pause after which what was typed is kept. */
export const typingPause = 300

/** `soon` puts `act` off until no further call came for `typingPause` ms; `now` runs a waiting one at once. */
export class Pause {
  readonly #act: () => void
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(act: () => void) {
    this.#act = act
  }

  soon(): void {
    this.cancel()
    this.#timer = setTimeout(() => this.now(), typingPause)
  }

  now(): void {
    if (this.#timer === undefined) return
    this.cancel()
    this.#act()
  }

  cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
