// Which character of the Markdown source each character of the rendered text stands for.

/** A stretch of rendered text, or a place where the renderer left marks of the source out. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'item' | 'box' | 'fence' | 'linkEnd' }
  /** An image, or the number of a footnote: the words are the page's own. */
  | { readonly kind: 'image' | 'note'; readonly text: string }

/** A span of the source; null: the page's own words. `end` is exclusive. */
export type Place = { readonly start: number; readonly end: number } | null

/** What the source has in place of each, from where the search stands; what is not there skips nothing. */
const marks = {
  item: /[\s>]*(?:[-+*]|\d{1,9}[.)])(?=\s)/y,
  box: /[\s>]*\[[ xX]\](?=\s)/y,
  fence: /[\s>]*(?:`{3,}|~{3,})[ \t]*[^\s`]*/y,
  linkEnd: /[*_~`]*\](?:\((?:<[^>\n]*>|(?:\\.|[^()\\]|\([^()]*\))*)[^)\n]*\)|\[[^\]]*\])?/y,
  note: /[\s\S]*?\[\^[^\s[\]^]+\]:?/y,
  image: /[\s\S]*?!\[(?:\\.|[^\]\\])*\](?:\([^)\n]*\)|\[[^\]]*\])?/y,
} as const

const entity = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/iy
const shownCode = /⟨U\+([0-9A-F]{4,6})⟩/y

/**
 * The place in `source` of each character of the pieces, in order. Every word is looked for behind the one before, so
 * that a phrase that stands twice is told apart by what stands around it.
 */
export function align(source: string, pieces: readonly Piece[]): Place[] {
  const places: Place[] = []
  let at = 0
  for (const piece of pieces) {
    if (piece.kind === 'text') at = alignText(source, at, piece.text, places)
    else {
      const pattern = marks[piece.kind]
      pattern.lastIndex = at
      const found = pattern.exec(source)
      if ('text' in piece) for (let each = 0; each < piece.text.length; each++) places.push(null)
      if (found) at += found[0].length
    }
  }
  return places
}

function alignText(source: string, from: number, text: string, places: Place[]): number {
  let at = from
  for (const [word] of text.matchAll(/\s+|\S+/g)) {
    if (/\s/.test(word)) {
      at = alignSpace(source, at, word, places)
      continue
    }
    const found = findWord(source, at, word)
    if (found === undefined) for (let each = 0; each < word.length; each++) places.push(null)
    else {
      places.push(...found)
      at = found.at(-1)?.end ?? at
    }
  }
  return at
}

/** White space stands where it stands; it never leads the search on past words. */
function alignSpace(source: string, from: number, space: string, places: Place[]): number {
  let at = from
  for (let each = 0; each < space.length; each++) {
    const here = /\s/.test(source[at] ?? '')
    places.push(here ? { start: at, end: at + 1 } : null)
    if (here) at++
  }
  return at
}

function findWord(source: string, from: number, word: string): { start: number; end: number }[] | undefined {
  for (let at = from; at < source.length; at++) {
    const found = wordAt(source, at, word)
    if (found !== undefined) return found
  }
  return undefined
}

/** The word at exactly this place, with its escapes, entities and hidden characters. */
function wordAt(source: string, from: number, word: string): { start: number; end: number }[] | undefined {
  const places: { start: number; end: number }[] = []
  let [at, index] = [from, 0]
  while (index < word.length) {
    const step = characterAt(source, at, word, index)
    if (step === undefined) return undefined
    for (let each = 0; each < step.shown; each++) places.push({ start: at, end: at + step.length })
    at += step.length
    index += step.shown
  }
  return places
}

interface Step {
  /** Characters of the source, and of the rendered text that stands for them. */
  readonly length: number
  readonly shown: number
}

function characterAt(source: string, at: number, word: string, index: number): Step | undefined {
  const wanted = word[index]
  if (source[at] === '\\' && source[at + 1] === wanted && /[!-/:-@[-`{-~]/.test(wanted ?? '')) {
    return { length: 2, shown: 1 }
  }
  if (source[at] === '&') {
    entity.lastIndex = at
    const found = entity.exec(source)
    if (found && word.slice(index, index + found[0].length) !== found[0]) return { length: found[0].length, shown: 1 }
  }
  if (source[at] === wanted) return { length: 1, shown: 1 }
  if (wanted !== '⟨') return undefined
  shownCode.lastIndex = index
  const [code, hex = ''] = shownCode.exec(word) ?? []
  const hidden = code === undefined ? '' : String.fromCodePoint(Number.parseInt(hex, 16))
  return code !== undefined && source.startsWith(hidden, at) ? { length: hidden.length, shown: code.length } : undefined
}
