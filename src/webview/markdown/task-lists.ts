// Task lists: `- [ ]` and `- [x]` at the start of a list item become a drawn box.
import type { MarkdownIt, StateCore, Token } from 'markdown-it'

const box = /^\[([ xX])\](?=\s)/

/** Teaches the parser task lists: a `task` token with `meta.done`, and a class on the item. */
export function taskLists(md: MarkdownIt): void {
  md.core.ruler.after('inline', 'task-lists', (state: StateCore) => {
    state.tokens.forEach((token, index) => {
      const item = state.tokens[index - 2]
      if (token.type !== 'inline' || item?.type !== 'list_item_open') return
      mark(state, item, token)
    })
  })
}

function mark(state: StateCore, item: Token, inline: Token): void {
  const first = inline.children?.[0]
  const match = first?.type === 'text' ? box.exec(first.content) : null
  if (!first || !match) return
  const task = new state.Token('task', 'span', 0)
  task.meta = { done: match[1] !== ' ' }
  first.content = first.content.slice(match[0].length).trimStart()
  inline.children?.unshift(task)
  item.attrJoin('class', 'task')
}
