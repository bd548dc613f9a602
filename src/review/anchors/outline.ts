import MarkdownIt from 'markdown-it'

/** A heading of a plan. `start` and `end` are offsets (UTF-16) of its own line or lines in the source text. */
export interface Heading {
  readonly level: number
  readonly title: string
  readonly start: number
  readonly end: number
}

const parser = MarkdownIt({ html: false })

/** Outlines of the texts asked for last: a review compares a few revisions over and over. */
const kept = new Map<string, readonly Heading[]>()
const KEPT = 8

/** The headings of a Markdown text in order, at any depth of nesting. */
export function outlineOf(text: string): readonly Heading[] {
  const headings = kept.get(text) ?? parse(text)
  kept.delete(text)
  kept.set(text, headings)
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break
    kept.delete(oldest)
  }
  return headings
}

/** Titles from the outermost heading down to the one that `offset` lies under; empty before the first heading. */
export function headingPath(text: string, offset: number): string[] {
  const path: Heading[] = []
  for (const heading of outlineOf(text)) {
    if (heading.start > offset) break
    while ((path.at(-1)?.level ?? 0) >= heading.level) path.pop()
    path.push(heading)
  }
  return path.map(({ title }) => title)
}

function parse(text: string): Heading[] {
  const starts = lineStarts(text)
  const tokens = parser.parse(text, {})
  return tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open' || !token.map) return []
    const [from, to] = token.map
    const title = tokens[index + 1]?.content ?? ''
    const end = starts[to] ?? text.length
    return [{ level: Number(token.tag.slice(1)), title, start: starts[from] ?? 0, end }]
  })
}

/** The parser counts `\r\n` and `\r` as one line end, as this does. */
function lineStarts(text: string): number[] {
  const starts = [0]
  for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + end.length)
  return starts
}
