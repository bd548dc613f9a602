// Diagrams of a plan: the picture that the host drew, above the text it was drawn from.
import DOMPurify from 'dompurify'
import { css, html, render, type TemplateResult } from 'lit'
import { longestDiagram } from '../review-messages.ts'
import { readingWords as words } from './reading-words.ts'

/** Fired, bubbling, when a diagram is there whose picture is not known yet. */
export class DrawEvent extends Event {
  readonly text: string

  constructor(text: string) {
    super('draw-diagram', { bubbles: true })
    this.text = text
  }
}

/** Pictures by the text of their diagram; null: it cannot be drawn. */
export type Pictures = ReadonlyMap<string, string | null>

/** Diagrams of one plan that are asked for; the others stay text. */
const most = 100

/** Only shapes and words: nothing that loads, links, runs, or brings a style of its own. */
const elements = [
  ...['svg', 'g', 'defs', 'marker', 'path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon', 'text'],
  ...['tspan'],
]
const attributes = [
  ...[
    'viewBox',
    'width',
    'height',
    'id',
    'x',
    'y',
    'x1',
    'y1',
    'x2',
    'y2',
    'cx',
    'cy',
    'r',
    'rx',
    'ry',
    'd',
    'dx',
    'dy',
  ],
  ...['points', 'transform', 'fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin', 'stroke-linecap'],
  ...['opacity', 'fill-opacity', 'font-size', 'font-weight', 'font-style', 'text-anchor', 'text-decoration'],
  ...['dominant-baseline', 'letter-spacing', 'markerWidth', 'markerHeight', 'refX', 'refY', 'orient', 'markerUnits'],
  ...['marker-start', 'marker-end'],
]
/** Taken off before anything is parsed: the page's policy would refuse them one by one, and say so. */
const refused = /<style\b[\s\S]*?<\/style\s*>|\s(?:style|on\w+)\s*=\s*(?:"[^"]*"|'[^']*')/gi
/** A colour is one of the theme's; a marker is one of the picture itself. */
const own = /^(?:none|transparent|var\(--_?[a-z-]+\)|url\(#[\w-]+\))$/

const style = css`
  :host { display: block; }
  figure { margin: 0; padding: 12px; overflow: auto; border: 1px solid var(--line); border-radius: 4px; }
  figure:focus-visible, summary:focus-visible { outline: 1px solid var(--focus); outline-offset: 1px; }
  summary, p { margin: 6px 0; color: var(--dim); font-size: 0.85em; cursor: pointer; }
  p { cursor: default; }
  svg {
    display: block; margin: 0 auto;
    --bg: var(--vscode-editor-background);
    --ink: var(--vscode-editor-foreground);
    --_text: var(--ink);
    --_text-sec: color-mix(in srgb, var(--ink) 85%, var(--bg));
    --_text-muted: color-mix(in srgb, var(--ink) 80%, var(--bg));
    --_text-faint: color-mix(in srgb, var(--ink) 75%, var(--bg));
    --_line: color-mix(in srgb, var(--ink) 65%, var(--bg));
    --_arrow: color-mix(in srgb, var(--ink) 85%, var(--bg));
    --_node-fill: color-mix(in srgb, var(--ink) 6%, var(--bg));
    --_node-stroke: color-mix(in srgb, var(--ink) 55%, var(--bg));
    --_group-fill: var(--bg);
    --_group-hdr: color-mix(in srgb, var(--ink) 9%, var(--bg));
    --_inner-stroke: color-mix(in srgb, var(--ink) 35%, var(--bg));
    --_key-badge: color-mix(in srgb, var(--ink) 14%, var(--bg));
  }
  text { font-family: var(--vscode-font-family, sans-serif); }
`

/** The diagrams within drawn blocks. Those whose picture is known are shown with it; for the others it is asked. */
export class Diagrams {
  readonly #asked = new Set<string>()
  readonly #ask: (text: string) => void

  constructor(ask: (text: string) => void) {
    this.#ask = ask
  }

  show(blocks: readonly Element[], pictures: Pictures | undefined): void {
    if (pictures === undefined) return
    for (const block of blocks) {
      for (const diagram of diagramsIn(block)) this.#show(diagram, pictures)
    }
  }

  #show(diagram: HTMLElement, pictures: Pictures): void {
    const text = diagram.querySelector('code')?.textContent ?? ''
    const picture = text.length > longestDiagram ? null : pictures.get(text)
    if (picture !== undefined) mount(diagram, picture)
    else if (!this.#asked.has(text) && this.#asked.size < most) {
      this.#asked.add(text)
      this.#ask(text)
    }
  }
}

/** Unfolds the text of the diagram that a place of the plan lies in. */
export function unfoldAround(place: Node): void {
  const element = place instanceof Element ? place : place.parentElement
  const details = element?.closest('.diagram')?.shadowRoot?.querySelector('details')
  if (details) details.open = true
}

function diagramsIn(block: Element): HTMLElement[] {
  const inside = [...block.querySelectorAll<HTMLElement>('.diagram')]
  return block instanceof HTMLElement && block.matches('.diagram') ? [block, ...inside] : inside
}

/** The picture lies beside the document: the plan's own text stays what it is. */
function mount(diagram: HTMLElement, picture: string | null): void {
  if (diagram.shadowRoot) return
  diagram.classList.add('shown')
  const root = diagram.attachShadow({ mode: 'open' })
  if (style.styleSheet) root.adoptedStyleSheets = [style.styleSheet]
  const svg = picture === null ? null : cleaned(picture)
  render(svg === null ? undrawn() : drawn(svg), root)
}

function drawn(svg: SVGSVGElement): TemplateResult {
  return html`<figure tabindex="0" aria-label=${words.diagram}>${svg}</figure>
    <details><summary>${words.diagramText}</summary><slot></slot></details>`
}

function undrawn(): TemplateResult {
  return html`<p>${words.undrawn}</p><slot></slot>`
}

/** Null for what is no plain picture, or has nothing in it that could be read. */
function cleaned(picture: string): SVGSVGElement | null {
  const plain = picture.replace(refused, '')
  const tags = [...plain.matchAll(/<[/!?]?([\w:[-]*)/g)].map(([, tag = '']) => tag)
  if (!tags.every(tag => elements.includes(tag))) return null
  const fragment = DOMPurify.sanitize(plain, {
    ALLOWED_TAGS: elements,
    ALLOWED_ATTR: attributes,
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  })
  const svg = fragment.querySelector('svg')
  if (!svg?.querySelector('text')) return null
  for (const element of [svg, ...svg.querySelectorAll('*')]) colour(element)
  svg.setAttribute('role', 'img')
  svg.setAttribute('aria-label', words.diagram)
  return svg
}

/** Colours of a plan's own would be unreadable in some theme, and an address in one would load. */
function colour(element: Element): void {
  const isText = /^(?:text|tspan)$/.test(element.localName)
  replace(element, 'fill', isText ? 'var(--_text)' : element.closest('marker') ? 'var(--_arrow)' : 'var(--_node-fill)')
  replace(element, 'stroke', 'var(--_line)')
  for (const name of ['marker-start', 'marker-end']) replace(element, name, 'none')
}

function replace(element: Element, name: string, value: string): void {
  const given = element.getAttribute(name)
  if (given !== null && !own.test(given)) element.setAttribute(name, value)
}
