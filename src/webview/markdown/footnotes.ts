// Footnotes: `[^name]` in a text and `[^name]: words` on a line of their own. Both are drawn where they stand.
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'
import { markdownWords as words } from './words.ts'

const named = /^\[\^([^\s[\]^]{1,80})\]/
/** Names of footnotes that a text defines, found before anything else is read. */
const definitions = /^ {0,3}\[\^([^\s[\]^]{1,80})\]:/gm

const notesOf = new WeakMap<object, ReadonlyMap<string, number>>()

/** The footnotes that the text read with `env` defines, by name, with their numbers. */
export function noteNumbers(env: object): ReadonlyMap<string, number> {
  return notesOf.get(env) ?? new Map()
}

/**
 * Teaches the parser footnotes. A name is only ever a key of a map: what is drawn is its number, and the name as text
 * beside the note. A reference without a note stays as it was written.
 */
export function footnotes(md: MarkdownIt): void {
  md.core.ruler.before('block', 'footnote-names', ({ src, env }) => {
    const numbers = new Map<string, number>()
    for (const [, name = ''] of src.matchAll(definitions)) {
      if (!numbers.has(name)) numbers.set(name, numbers.size + 1)
    }
    if (env) notesOf.set(env, numbers)
  })
  md.block.ruler.before('reference', 'footnote', note, { alt: ['paragraph', 'reference'] })
  md.inline.ruler.before('link', 'footnote-reference', reference)
  const escaped = md.utils.escapeHtml
  md.renderer.rules.footnote_open = (tokens, index) => {
    const { number, name } = tokens[index]?.meta ?? {}
    const lines = escaped(String(tokens[index]?.attrGet('data-lines') ?? ''))
    const label = escaped(words.note(Number(number)))
    return `<div class="note" role="note" aria-label="${label}" data-note="${Number(number)}" data-lines="${lines}"><span class="dim">${Number(number)} ${escaped(String(name))}</span> `
  }
  md.renderer.rules.footnote_close = () => '</div>'
  md.renderer.rules.footnote_reference = (tokens, index) => {
    const number = Number(tokens[index]?.meta?.number)
    return `<sup><a role="link" tabindex="0" data-open="note" data-target="${number}" aria-label="${escaped(words.note(number))}">${number}</a></sup>`
  }
}

function note(state: StateBlock, from: number, to: number, silent: boolean): boolean {
  const start = (state.bMarks[from] ?? 0) + (state.tShift[from] ?? 0)
  const end = state.eMarks[from] ?? start
  if ((state.sCount[from] ?? 0) - state.blkIndent >= 4) return false
  const line = state.src.slice(start, end)
  const match = named.exec(line)
  const number = match?.[1] === undefined ? undefined : noteNumbers(state.env).get(match[1])
  if (!match || number === undefined || line[match[0].length] !== ':') return false
  if (silent) return true
  let next = from + 1
  while (next < to && !state.isEmpty(next) && !named.test(lineOf(state, next))) next++
  const open = state.push('footnote_open', 'div', 1)
  open.map = [from, next]
  open.meta = { number, name: match[1] }
  const inline = state.push('inline', '', 0)
  inline.content = [
    line.slice(match[0].length + 1),
    ...Array.from({ length: next - from - 1 }, (_, index) => lineOf(state, from + 1 + index)),
  ]
    .map(each => each.trim())
    .join('\n')
  inline.map = [from, next]
  inline.children = []
  state.push('footnote_close', 'div', -1)
  state.line = next
  return true
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line])
}

function reference(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== '[' || state.src[state.pos + 1] !== '^') return false
  const match = named.exec(state.src.slice(state.pos, state.pos + 90))
  const number = match?.[1] === undefined ? undefined : noteNumbers(state.env).get(match[1])
  if (!match || number === undefined) return false
  if (!silent) state.push('footnote_reference', '', 0).meta = { number }
  state.pos += match[0].length
  return true
}
