import { type Entry, feedbackIn, isHandedOver, isPresentation, isPrompt } from './conversation.ts'
import { type Findings, findingsIn } from './findings.ts'

/** What the scripted model says and calls in one answer. */
export interface Reply {
  readonly text: string
  readonly calls: readonly { readonly tool: string; readonly input: object }[]
}

/** One task: everything since the last edit. `tools` are the names on offer; plan mode is on while its exit is. */
export interface Task {
  readonly entries: readonly Entry[]
  readonly tools: ReadonlySet<string>
  readonly request: string
  readonly found: Findings
  readonly feedback: readonly string[]
  readonly planning: boolean
}

export function taskOf(entries: readonly Entry[], tools: ReadonlySet<string>): Task {
  const first = entries.findIndex(isPresentation)
  const before = first < 0 ? entries : entries.slice(0, first)
  const request = before.findLast(isPrompt) ?? entries.find(entry => entry.kind === 'user')
  return {
    entries,
    tools,
    request: request?.kind === 'user' ? wordsOf(request) : '',
    found: findingsIn(entries),
    feedback: feedbackIn(entries),
    planning: tools.has('exit_plan_mode'),
  }
}

/** A plan that is handed over is known by its title. */
function wordsOf(entry: Extract<Entry, { kind: 'user' }>): string {
  const { text, images = [] } = entry
  if (isHandedOver(entry)) return /^# +(.+)$/m.exec(text)?.[1] ?? text
  return text === '' && images.length > 0 ? `Work from ${images.join(' and ')}` : text
}

export function call(tool: string, input: object): Reply['calls'][number] {
  return { tool, input }
}

export function say(text: string): Reply {
  return { text, calls: [] }
}
