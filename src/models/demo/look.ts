import { worthReading } from './findings.ts'
import { call, type Reply, type Task } from './task.ts'

/**
 * The next look at the workspace; undefined when all was looked at. Each kind of look happens once in a task. Where it
 * `searches`, it looks for a word of the request last.
 */
export function look({ entries, tools, found, request, planning }: Task, searches = planning): Reply | undefined {
  const open = (tool: string) => tools.has(tool) && !entries.some(entry => entry.kind === 'call' && entry.tool === tool)
  if (open('list_files')) {
    const aim = planning
      ? 'Plan mode is on, so I look around first and then present a plan.'
      : 'I take a short look around.'
    return {
      text: `I am no language model and need no network. ${aim}`,
      calls: [call('list_files', { path: '.', recursive: true })],
    }
  }
  const files = worthReading(found)
  if (open('read_file') && files.length > 0) {
    return { text: `I read ${files.join(' and ')}.`, calls: files.map(path => call('read_file', { path })) }
  }
  if (open('search_text') && searches) {
    const pattern = keywordOf(request)
    const input = { pattern, literal: true, ignore_case: true }
    return { text: `I search for "${pattern}".`, calls: [call('search_text', input)] }
  }
  return undefined
}

/** The longest telling word of the request. */
function keywordOf(request: string): string {
  const common = new Set([
    'slow',
    'please',
    'could',
    'should',
    'would',
    'with',
    'that',
    'this',
    'then',
    'from',
    'into',
    'plan',
    'explore',
    'explorer',
  ])
  const words = (request.match(/\p{L}{4,}/gu) ?? []).filter(word => !common.has(word.toLowerCase()))
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), words[0] ?? 'TODO')
}
