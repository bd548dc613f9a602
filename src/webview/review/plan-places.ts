// Between the rendered plan and its source: a selection to a range, a range to what is drawn.
import type { DrawnBlock, MarkdownView } from '../markdown/markdown-view.ts'
import type { SourceRange } from '../review-messages.ts'
import { align, type Piece, type Place } from './alignment.ts'

/** One text node of a block, with the place in the source of each of its characters. */
interface Run {
  readonly node: Text
  readonly places: readonly Place[]
}

/** A drawn block and its range in the source. */
type PlacedBlock = DrawnBlock & SourceRange

/** The places of one drawn plan; parts are worked out when they are asked for. `refresh` follows what was drawn since. */
export class PlanPlaces {
  readonly #view: MarkdownView
  readonly #source: string
  readonly #starts: readonly number[]
  readonly #runs = new WeakMap<Element, readonly Run[]>()
  #blocks: readonly PlacedBlock[] = []
  /** What is drawn of ranges, until something else is drawn. */
  #known = new WeakMap<SourceRange, readonly Range[]>()

  constructor(view: MarkdownView, source: string) {
    this.#view = view
    this.#source = source
    this.#starts = [0, ...[...source.matchAll(/\r\n|\r|\n/g)].map(({ index, 0: end }) => index + end.length)]
  }

  refresh(): void {
    const drawn = this.#view.drawnBlocks
    // A block that is drawn anew has all after it drawn anew.
    if (drawn.length === this.#blocks.length && drawn.at(-1)?.element === this.#blocks.at(-1)?.element) return
    this.#blocks = drawn.map(block => ({ ...block, ...this.#rangeOf(block) }))
    this.#known = new WeakMap()
  }

  /** The elements of the blocks, in order. */
  get elements(): readonly Element[] {
    return this.#blocks.map(({ element }) => element)
  }

  /** The source range of the block that is this element. */
  rangeOfBlock(element: Element): SourceRange | undefined {
    const block = this.#blocks.find(each => each.element === element)
    return block && { start: block.start, end: block.end }
  }

  /**
   * The source of what is selected; whole blocks where their words are not found. Undefined when no words of the plan
   * are selected.
   */
  rangeOfSelection(selected: Range): SourceRange | undefined {
    const touched = this.#blocks.filter(({ element }) => selected.intersectsNode(element))
    const places = touched.flatMap(block => this.#selectedIn(block, selected))
    if (places.length === 0) return undefined
    let [start, end] = [Number.POSITIVE_INFINITY, 0]
    for (const place of places) [start, end] = [Math.min(start, place.start), Math.max(end, place.end)]
    return { start, end }
  }

  /** What is drawn of a source range, block by block. */
  drawnRanges(range: SourceRange): readonly Range[] {
    const { start, end } = range
    const known = this.#known.get(range)
    const drawn =
      known ??
      this.#blocks
        .filter(block => block.start < end && start < block.end)
        .flatMap(block => this.#drawnIn(block, { start, end }))
    this.#known.set(range, drawn)
    return drawn
  }

  #rangeOf({ from, to }: DrawnBlock): SourceRange {
    const start = this.#starts[from] ?? this.#source.length
    const text = this.#source.slice(start, this.#starts[to] ?? this.#source.length)
    return { start, end: start + text.trimEnd().length }
  }

  #selectedIn(block: PlacedBlock, selected: Range): SourceRange[] {
    const found: SourceRange[] = []
    let words = false
    for (const { node, places } of this.#runsOf(block)) {
      if (!selected.intersectsNode(node)) continue
      const first = node === selected.startContainer ? selected.startOffset : 0
      const last = node === selected.endContainer ? selected.endOffset : node.length
      words ||= node.data.slice(first, last).trim() !== ''
      for (const place of places.slice(first, last)) if (place) found.push(place)
    }
    return found.length === 0 && words ? [{ start: block.start, end: block.end }] : found
  }

  #drawnIn(block: PlacedBlock, { start, end }: SourceRange): Range[] {
    const ranges: Range[] = []
    for (const { node, places } of this.#runsOf(block)) {
      const inside = (place: Place): boolean => place !== null && place.start < end && start < place.end
      const first = places.findIndex(inside)
      if (first < 0) continue
      const range = document.createRange()
      range.setStart(node, first)
      range.setEnd(node, places.findLastIndex(inside) + 1)
      ranges.push(range)
    }
    if (ranges.length > 0) return ranges
    const whole = document.createRange()
    whole.selectNodeContents(block.element)
    return [whole]
  }

  #runsOf({ element, start, end }: PlacedBlock): readonly Run[] {
    const known = this.#runs.get(element)
    if (known !== undefined) return known
    const { nodes, pieces } = piecesOf(element)
    const places = align(this.#source.slice(start, end), pieces)
    let at = 0
    const runs = nodes.map((node): Run => {
      const own = places.slice(at, at + node.length)
      at += node.length
      return { node, places: own.map(place => place && { start: start + place.start, end: start + place.end }) }
    })
    this.#runs.set(element, runs)
    return runs
  }
}

/** The text nodes of an element in order, and with them the marks that the renderer left out. */
function piecesOf(element: Element): { readonly nodes: readonly Text[]; readonly pieces: readonly Piece[] } {
  const nodes: Text[] = []
  const pieces: Piece[] = []
  const enter = (node: Node, kind: 'text' | 'image' | 'note'): void => {
    if (node instanceof Text) {
      nodes.push(node)
      pieces.push({ kind, text: node.data })
    } else if (node instanceof Element) {
      if (node.localName === 'li') pieces.push({ kind: 'item' })
      else if (node.localName === 'pre') pieces.push({ kind: 'fence' })
      else if (node.matches('.box')) pieces.push({ kind: 'box' })
      const inside = node.matches('.image') ? 'image' : node.matches('sup, .note > .dim') ? 'note' : kind
      for (const child of node.childNodes) enter(child, inside)
      if (node.localName === 'a' && kind !== 'note') pieces.push({ kind: 'linkEnd' })
    }
  }
  enter(element, 'text')
  return { nodes, pieces }
}
