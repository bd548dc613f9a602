// Finds words in drawn text across the elements that style parts of it.

/** A match in one block of the view, as offsets in that block's text. */
export interface TextMatch {
  readonly block: Element
  readonly start: number
  readonly end: number
}

interface BlockText {
  readonly text: string
  readonly nodes: readonly Text[]
  /** Where each node's text begins. */
  readonly starts: readonly number[]
}

/** A block's text never changes once it is drawn; a changed block is another element. */
const kept = new WeakMap<Element, BlockText>()
const inline = /^(?:A|CODE|DEL|EM|S|SPAN|STRONG|SUP|B|I)$/

/** Every place of `words` in the blocks of a view, upper and lower case alike, in order, at most `most`. */
export function matchesIn(view: Element, words: string, most: number): readonly TextMatch[] {
  if (words === '') return []
  const pattern = new RegExp(words.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '\\s+'), 'giu')
  const matches: TextMatch[] = []
  for (const chunk of view.children) {
    for (const block of chunk.children) {
      for (const match of textOf(block).text.matchAll(pattern)) {
        if (matches.length === most) return matches
        matches.push({ block, start: match.index, end: match.index + match[0].length })
      }
    }
  }
  return matches
}

export function rangeOf({ block, start, end }: TextMatch): Range {
  const { nodes, starts } = textOf(block)
  const at = (offset: number): number =>
    Math.max(
      0,
      starts.findLastIndex(from => from <= offset),
    )
  const [first, last] = [at(start), at(end - 1)]
  const range = document.createRange()
  const [from, to] = [nodes[first], nodes[last]]
  if (!from || !to) return range
  range.setStart(from, Math.min(from.length, start - (starts[first] ?? 0)))
  range.setEnd(to, Math.min(to.length, end - (starts[last] ?? 0)))
  return range
}

/** The text of a block; where another paragraph, item or cell begins, a line ends, so that no words run together. */
function textOf(block: Element): BlockText {
  const known = kept.get(block)
  if (known) return known
  const nodes: Text[] = []
  const starts: number[] = []
  let text = ''
  let holder: Element | null = null
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode
    if (!(node instanceof Text)) continue
    const now = holderOf(node)
    if (holder !== null && now !== holder) text += '\u0000'
    holder = now
    nodes.push(node)
    starts.push(text.length)
    text += node.data
  }
  const read = { text, nodes, starts }
  kept.set(block, read)
  return read
}

function holderOf(node: Text): Element | null {
  let element = node.parentElement
  while (element && inline.test(element.tagName)) element = element.parentElement
  return element
}
