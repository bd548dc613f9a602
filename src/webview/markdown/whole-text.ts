// Markdown that a renderer usually leaves out is drawn too: a reader decides on all of the text.
import type { MarkdownIt, StateCore, Token } from 'markdown-it'

/** Teaches the parser to keep link definitions, as `definition` tokens, and the cells of a row beyond its columns. */
export function wholeText(md: MarkdownIt): void {
  keepDefinitions(md)
  md.core.ruler.after('block', 'surplus-cells', keepSurplusCells)
}

function keepDefinitions(md: MarkdownIt): void {
  const all = md.block.ruler.getRules('')
  md.block.ruler.disable('reference')
  const others = new Set(md.block.ruler.getRules(''))
  const define = all.find(rule => !others.has(rule))
  if (define === undefined) return
  md.block.ruler.enable('reference')
  md.block.ruler.at('reference', (state, from, to, silent) => {
    const found = define(state, from, to, silent)
    if (!found || silent) return found
    const token = state.push('definition', '', 0)
    token.content = state.getLines(from, state.line, state.blkIndent, false).trim()
    token.map = [from, state.line]
    return true
  })
}

/** A table drops what its head has no column for; it goes into the last cell, behind its own bar. */
function keepSurplusCells({ src, tokens }: StateCore): void {
  const lines = src.split('\n')
  let row: Token | undefined
  let cells: Token[] = []
  for (const token of tokens) {
    if (token.type === 'tr_open') [row, cells] = [token, []]
    else if (token.type === 'inline' && row) cells.push(token)
    else if (token.type === 'tr_close') {
      const last = cells.at(-1)
      const surplus = cellsOf(lines[row?.map?.[0] ?? -1] ?? '').slice(cells.length)
      if (last && surplus.length > 0) last.content = [last.content, ...surplus].join(' | ')
      row = undefined
    }
  }
}

/** The cells of a table's line: between bars that no backslash escapes. */
function cellsOf(line: string): string[] {
  const row = line
    .replace(/^[\s>]*\|?/, '')
    .trimEnd()
    .replace(/(?<!\\)\|$/, '')
  return row.split(/(?<!\\)\|/).map(cell => cell.trim())
}
