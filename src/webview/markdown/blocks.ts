// Markdown to blocks of HTML, one for each top-level element, so that a growing text is drawn anew only where it grew.
import MarkdownIt, { type Env, type MarkdownIt as Parser, type Token } from 'markdown-it'
import { footnotes, noteNumbers } from './footnotes.ts'
import { highlight } from './highlight.ts'
import { linkTarget, pathOfCode } from './links.ts'
import { sourceLines } from './source-lines.ts'
import { taskLists } from './task-lists.ts'
import { visible } from './visible.ts'
import { wholeText } from './whole-text.ts'
import { markdownWords as words } from './words.ts'

/** One top-level element. Equal sources at the same line give equal HTML while `links` is equal. */
export interface Block {
  readonly source: string
  /** Its lines in the whole text, 0-based, `to` exclusive. */
  readonly from: number
  readonly to: number
  /** For a heading, its level, 1 to 6, and its words without markup. */
  readonly heading: { readonly level: number; readonly title: string } | undefined
  /** Not sanitized yet. */
  html(): string
}

export interface Blocks {
  readonly blocks: readonly Block[]
  /** The link definitions and footnotes of the text, which any block may use. */
  readonly links: string
}

/** Parses the text; rendering a block waits until its `html` is asked for. */
export function markdownBlocks(text: string): Blocks {
  const md = parser()
  const source = visible(text)
  const lines = source.split('\n')
  const env: Env = {}
  const blocks: Block[] = []
  let group: Token[] = []
  let depth = 0
  const { tokens: all, rest } = blockTokens(md, source, env)
  for (const token of all) {
    group.push(token)
    depth += token.nesting
    if (depth > 0) continue
    const tokens = group
    const [from, to] = tokens[0]?.map ?? [0, 0]
    blocks.push({
      source: lines.slice(from, to).join('\n').trimEnd(),
      from,
      to,
      heading: tokens[0]?.type === 'heading_open' ? headingOf(rest(tokens)) : undefined,
      html: () => md.renderer.render(rest(tokens), md.options, env),
    })
    group = []
  }
  return { blocks, links: JSON.stringify([env.references ?? {}, [...noteNumbers(env)]]) }
}

/**
 * The tokens of all blocks, without what is within their lines: that waits for `rest`, which a long text asks for block
 * by block as it draws. Reading the lines of all blocks first would cost most of the time to the first screen.
 */
function blockTokens(md: Parser, source: string, env: Env) {
  const rules = md.core.ruler.getRules('')
  md.core.ruler.disable('inline')
  const others = new Set(md.core.ruler.getRules(''))
  md.core.ruler.enable('inline')
  const inline = rules.findIndex(rule => !others.has(rule))
  const state = new md.core.State(source, md, env)
  for (const rule of rules.slice(0, inline)) rule(state)
  const read = new Set<readonly Token[]>()
  const rest = (tokens: Token[]): Token[] => {
    if (read.has(tokens)) return tokens
    read.add(tokens)
    const part = new md.core.State(source, md, env)
    part.tokens = tokens
    for (const rule of rules.slice(inline)) rule(part)
    return tokens
  }
  return { tokens: state.tokens, rest }
}

function headingOf([open, words]: readonly Token[]): Block['heading'] {
  if (open?.type !== 'heading_open') return undefined
  const parts = words?.children ?? []
  const title = parts.map(part => (part.type === 'softbreak' ? ' ' : part.content)).join('')
  return { level: Number(open.tag.slice(1)), title: title.trim() }
}

let shared: Parser | undefined

function parser(): Parser {
  shared ??= makeParser()
  return shared
}

function makeParser(): Parser {
  const md = MarkdownIt({ html: false, linkify: false })
  const escaped = md.utils.escapeHtml
  // Every link parses; what it may do is decided where it is drawn.
  md.validateLink = () => true
  md.normalizeLink = address => address
  md.use(taskLists)
  md.use(wholeText)
  md.use(footnotes)
  md.use(sourceLines)
  const rules = md.renderer.rules
  rules.link_open = (tokens, index) => linkOpen(String(tokens[index]?.attrGet('href') ?? ''), escaped)
  rules.link_close = () => '</a>'
  rules.image = (tokens, index) => {
    const image = tokens[index]
    const description = image?.children?.map(child => child.content).join('') ?? ''
    return `<span class="image">${escaped(words.image(description, String(image?.attrGet('src') ?? '')))}</span>`
  }
  rules.code_inline = (tokens, index) => {
    const code = tokens[index]?.content ?? ''
    const path = pathOfCode(code)
    return path === undefined
      ? `<code>${escaped(code)}</code>`
      : `${fileOpen(path, escaped)}<code>${escaped(code)}</code></a>`
  }
  rules.fence = (tokens, index) => {
    const token = tokens[index]
    const [language = '', ...words] = token?.info.trim().split(/\s+/) ?? []
    return codeBlock(token, language, escaped, words.join(' '))
  }
  rules.definition = (tokens, index) =>
    `<p class="dim" data-lines="${escaped(String(tokens[index]?.attrGet('data-lines') ?? ''))}">${escaped(tokens[index]?.content ?? '')}</p>`
  rules.code_block = (tokens, index) => codeBlock(tokens[index], '', escaped)
  rules.table_open = () => `<div class="table" role="group" tabindex="0" aria-label="${words.table}"><table>`
  rules.table_close = () => '</table></div>'
  rules.th_open = (tokens, index) => `<th scope="col"${alignment(tokens[index])}>`
  rules.td_open = (tokens, index) => `<td${alignment(tokens[index])}>`
  rules.task = (tokens, index) => {
    const done = tokens[index]?.meta?.done === true
    return `<span class="box${done ? ' done' : ''}" role="img" aria-label="${done ? words.done : words.notDone}"></span>`
  }
  return md
}

function linkOpen(address: string, escaped: (text: string) => string): string {
  const target = linkTarget(address)
  switch (target.kind) {
    case 'web': {
      const href = escaped(target.href)
      return `<a role="link" tabindex="0" data-open="link" data-target="${href}" title="${href}">`
    }
    case 'file':
      return fileOpen(target.path, escaped)
    case 'none':
      return `<a class="dead" title="${escaped(address)}">`
  }
}

function fileOpen(path: string, escaped: (text: string) => string): string {
  const target = escaped(path)
  return `<a role="link" tabindex="0" data-open="file" data-target="${target}" title="${escaped(words.openFile(path))}">`
}

/** `said` is what stands behind the language, and is drawn above the code. */
function codeBlock(token: Token | undefined, language: string, escaped: (text: string) => string, said = ''): string {
  const code = token?.content ?? ''
  const lines = ` data-lines="${escaped(String(token?.attrGet('data-lines') ?? ''))}"`
  const isDiagram = language.toLowerCase() === 'mermaid'
  const coloured = language ? highlight(code, language.toLowerCase()) : undefined
  const label = escaped(language ? `${words.code}, ${language}` : words.code)
  const above = said === '' ? '' : `<span class="dim">${escaped(said)}</span>\n`
  const drawn = `<pre class="code"${isDiagram ? '' : lines} role="group" tabindex="0" aria-label="${label}">${above}<code>${coloured ?? escaped(code)}</code></pre>`
  return isDiagram ? `<div class="diagram"${lines}>${drawn}</div>` : drawn
}

/** The parser's own alignment is an inline style, which the page's policy refuses. */
function alignment(token: Token | undefined): string {
  const side = /right|center/.exec(String(token?.attrGet('style') ?? ''))?.[0]
  return side ? ` class="${side}"` : ''
}
