/** Tells listeners that something changed; they read what from its owner. A listener that throws is contained. */
export class Signal<T = void> {
  readonly #listeners = new Set<(value: T) => void>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void = console.error) {
    this.#onError = onError
  }

  on(listener: (value: T) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}
