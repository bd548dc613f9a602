import MarkdownIt, { type Token } from 'markdown-it'
import type { PlanStep } from '../../session/reviews.ts'

const MOST_STEPS = 200
const LONGEST_TITLE = 160
const parser = MarkdownIt({ html: false })

/** A heading under which a plan lists what is to be done. */
const stepsHeading = /\b(steps?|tasks?|implementation|changes|work|plan of action|to ?do)\b/i
const numberedHeading = /^(?:(?:step|phase|part|stage)\s+)?\d+[.:)]?\s/i
const pathForm = /^(?:[\w@.-]+\/)+[\w@.-]+$|^[\w@-][\w@.-]*\.[a-z]\w{0,7}$/i

/**
 * The steps of an approved plan: the list under its heading of steps; else its longest numbered list; else its longest
 * task list; else its numbered headings; else the plan itself as one step.
 */
export function parseSteps(plan: string): readonly PlanStep[] {
  const tokens = parser.parse(plan, {})
  const lists = topLists(tokens)
  const named = lists.find(({ heading }) => stepsHeading.test(heading))
  const chosen = named ?? longest(lists.filter(({ ordered }) => ordered)) ?? longest(lists.filter(({ tasks }) => tasks))
  const steps = chosen?.items ?? numberedHeadings(tokens)
  if (steps.length > 0) return steps.slice(0, MOST_STEPS).map((step, index) => ({ id: String(index + 1), ...step }))
  const title = headings(tokens).find(each => each.title !== '')?.title ?? 'Carry out the plan'
  return [{ id: '1', title, line: 0, files: [] }]
}

type Item = Omit<PlanStep, 'id'>

interface List {
  readonly heading: string
  readonly ordered: boolean
  readonly tasks: boolean
  readonly items: readonly Item[]
}

/** The lists that lie in no other block, each with the heading above it. */
function topLists(tokens: readonly Token[]): List[] {
  const lists: List[] = []
  let heading = ''
  let depth = 0
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open' && depth === 0) heading = tokens[index + 1]?.content ?? ''
    if (depth === 0 && (token.type === 'ordered_list_open' || token.type === 'bullet_list_open')) {
      const items = itemsOf(tokens, index)
      const tasks = items.some(({ task }) => task)
      lists.push({ heading, ordered: token.type === 'ordered_list_open', tasks, items: items.map(({ item }) => item) })
    }
    depth += token.nesting
  }
  return lists.filter(({ items }) => items.length > 0)
}

/** The items of the list that opens at `open`, without those of lists within. */
function itemsOf(tokens: readonly Token[], open: number): { readonly item: Item; readonly task: boolean }[] {
  const items: { item: Item; task: boolean }[] = []
  const { level } = tokens[open] ?? { level: 0 }
  for (let at = open + 1; at < tokens.length; at++) {
    const token = tokens[at]
    if (token === undefined || token.level === level) break
    if (token.type !== 'list_item_open' || token.level !== level + 1) continue
    const end = tokens.findIndex(
      (other, index) => index > at && other.type === 'list_item_close' && other.level === token.level,
    )
    const inline = tokens.slice(at, end).filter(({ type }) => type === 'inline')
    const text = inline[0] === undefined ? '' : wordsOf(inline[0])
    const task = /^\[[ xX]\]\s/.test(text)
    const title = shortened(text.replace(/^\[[ xX]\]\s+/, '').replace(/^\d+[.)]\s+/, ''))
    if (title !== '') items.push({ item: { title, line: token.map?.[0] ?? 0, files: filesIn(inline) }, task })
  }
  return items
}

function numberedHeadings(tokens: readonly Token[]): Item[] {
  return headings(tokens)
    .filter(({ title }) => numberedHeading.test(title))
    .map(({ title, line }) => ({ title: shortened(title.replace(numberedHeading, '')), line, files: [] }))
    .filter(({ title }) => title !== '')
}

function headings(tokens: readonly Token[]): { readonly title: string; readonly line: number }[] {
  return tokens.flatMap((token, index) => {
    const words = tokens[index + 1]
    if (token.type !== 'heading_open' || words === undefined) return []
    return [{ title: shortened(wordsOf(words)), line: token.map?.[0] ?? 0 }]
  })
}

/** The first line of an inline token without its markup. */
function wordsOf(inline: Token): string {
  const words = (inline.children ?? []).map(({ type, content }) => (type.endsWith('break') ? '\n' : content)).join('')
  return words.trim().split('\n')[0]?.trim() ?? ''
}

function filesIn(inline: readonly Token[]): string[] {
  const spans = inline.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'code_inline')
  return [...new Set(spans.map(({ content }) => content.trim()).filter(code => pathForm.test(code)))]
}

function longest(lists: readonly List[]): List | undefined {
  return lists.reduce<List | undefined>(
    (best, list) => (list.items.length > (best?.items.length ?? 0) ? list : best),
    undefined,
  )
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= LONGEST_TITLE ? line : `${line.slice(0, LONGEST_TITLE - 1).trimEnd()}…`
}
