/** Where the reader is in the JSON text of a call's arguments. */
type Place = 'before' | 'key' | 'colon' | 'value' | 'plan' | 'string' | 'other' | 'done'

const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/**
 * Reads the `plan` of `{ "plan": "…" }` while its JSON text still arrives, in pieces cut anywhere. Tolerant: what is no
 * such text gives no plan, and never an error. The text read so far never ends inside an escape or a surrogate pair.
 */
export class PartialPlan {
  #place: Place = 'before'
  #depth = 0
  #key = ''
  /** An escape that has begun, without its end. */
  #escape = ''
  #parts: string[] = []
  #text = ''
  /** Half of a surrogate pair. */
  #high = ''
  #inString = false

  /** The plan as far as it is there; undefined before its first quote. */
  get text(): string | undefined {
    if (this.#parts.length > 0) this.#text += this.#parts.splice(0).join('')
    return this.#started ? this.#text : undefined
  }

  #started = false

  push(piece: string): void {
    let at = 0
    while (at < piece.length && this.#place !== 'done') {
      at = this.#place === 'plan' ? this.#readPlan(piece, at) : this.#readAround(piece[at] ?? '', at)
    }
  }

  /** Takes everything up to the next escape or the end at once: a plan can be long. */
  #readPlan(piece: string, at: number): number {
    if (this.#escape !== '') return this.#readEscape(piece[at] ?? '', at)
    let end = at
    while (end < piece.length && piece[end] !== '"' && piece[end] !== '\\') end++
    if (end > at) this.#add(piece.slice(at, end))
    if (piece[end] === '"') this.#place = 'done'
    else if (piece[end] === '\\') this.#escape = '\\'
    return end + 1
  }

  #readEscape(character: string, at: number): number {
    this.#escape += character
    const [, kind = '', ...digits] = this.#escape
    if (kind !== 'u') this.#add(ESCAPES[kind] ?? kind)
    else if (digits.length === 4) this.#add(String.fromCharCode(Number.parseInt(digits.join(''), 16) || 0))
    else return at + 1
    this.#escape = ''
    return at + 1
  }

  #add(text: string): void {
    const whole = this.#high + text
    const last = whole.charCodeAt(whole.length - 1)
    this.#high = last >= 0xd800 && last < 0xdc00 ? whole.slice(-1) : ''
    this.#parts.push(this.#high === '' ? whole : whole.slice(0, -1))
  }

  #readAround(character: string, at: number): number {
    switch (this.#place) {
      case 'before':
        if (character === '{') this.#place = 'key'
        else if (!/\s/.test(character)) this.#place = 'done'
        break
      case 'key':
        if (character === '"') this.#begin('string')
        else if (!/[\s,]/.test(character)) this.#place = 'done'
        break
      case 'string':
        this.#readKey(character)
        break
      case 'colon':
        if (character === ':') this.#place = 'value'
        else if (!/\s/.test(character)) this.#place = 'done'
        break
      case 'value':
        if (!/\s/.test(character)) this.#beginValue(character)
        break
      default:
        this.#skip(character)
    }
    return at + 1
  }

  #begin(place: Place): void {
    this.#place = place
    this.#key = ''
    this.#escape = ''
  }

  #readKey(character: string): void {
    if (this.#escape === '\\') this.#escape = ''
    else if (character === '\\') this.#escape = '\\'
    else if (character === '"') {
      this.#place = 'colon'
      return
    }
    // Of another key only that it is not `plan` matters.
    if (this.#key.length < 64) this.#key += character
  }

  #beginValue(character: string): void {
    if (this.#key === 'plan') {
      this.#place = character === '"' ? 'plan' : 'done'
      this.#started = character === '"'
      return
    }
    this.#place = 'other'
    this.#depth = 0
    this.#skip(character)
  }

  /** Passes over the value of another key. */
  #skip(character: string): void {
    if (this.#inString) {
      if (this.#escape !== '') this.#escape = ''
      else if (character === '\\') this.#escape = '\\'
      else if (character === '"') this.#inString = false
    } else if (character === '"') this.#inString = true
    else if (character === '{' || character === '[') this.#depth++
    else if (character === '}' || character === ']') {
      this.#depth--
      if (this.#depth < 0) this.#place = 'done'
    } else if (character === ',' && this.#depth === 0) this.#place = 'key'
  }
}
