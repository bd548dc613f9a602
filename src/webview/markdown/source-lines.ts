// Tells each drawn block which lines of the text it comes from, for marks beside it.
import type { MarkdownIt, StateCore } from 'markdown-it'

/** Teaches the parser to set `data-lines`, `<from>-<to>` (0-based, `to` exclusive), on every block that has lines. */
export function sourceLines(md: MarkdownIt): void {
  md.core.ruler.after('block', 'source-lines', ({ tokens }: StateCore) => {
    for (const token of tokens) {
      if (token.nesting >= 0 && token.map !== null && token.type !== 'inline') {
        token.attrSet('data-lines', token.map.join('-'))
      }
    }
  })
}
