/** Text that grows to a bound; what comes after is counted and left out. */
export class BoundedLog {
  readonly #limit: number
  #text = ''
  #left = 0

  /** `limit` in UTF-16 units. */
  constructor(limit: number) {
    this.#limit = limit
  }

  add(line: string): void {
    const whole = this.#text === '' ? line : `\n${line}`
    const room = Math.max(0, this.#limit - this.#text.length)
    this.#text += head(whole, room)
    this.#left += whole.length - Math.min(whole.length, room)
  }

  toString(): string {
    return this.#left === 0 ? this.#text : `${this.#text}\n… ${this.#left} more characters were left out`
  }
}

/** Never cut inside a character. */
function head(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')
}

export function bounded(text: string, limit: number): string {
  const log = new BoundedLog(limit)
  log.add(text)
  return `${log}`
}
