// The explorer that the demo sends out, and what the demo says as one.
import { answerTo, questionIn } from './answer.ts'
import { type CallEntry, type Entry, isPrompt } from './conversation.ts'
import { look } from './look.ts'
import { titleOf } from './plan.ts'
import { call, type Reply, say, type Task, taskOf } from './task.ts'

const isErrand = (entry: Entry): entry is CallEntry => entry.kind === 'call' && entry.tool === 'explore'

/** Sends an explorer out, once for each prompt that wants something explored. */
export function errand({ entries, tools, request }: Task): Reply | undefined {
  const at = entries.findLastIndex(isPrompt)
  const prompt = entries[at]
  if (!tools.has('explore') || prompt?.kind !== 'user' || !/\bexplor(e|er|ers|ing)\b/i.test(prompt.text))
    return undefined
  if (entries.slice(at).some(isErrand)) return undefined
  const task = `Find out what in this workspace matters for the request below. Report the files with what each is about.\n\n${request}`
  return {
    text: 'You want this explored, so I send an explorer out first. It only reads.',
    calls: [call('explore', { task, label: titleOf(request).slice(0, 80) })],
  }
}

/** One sentence on the explorer that has just come back; undefined when the last entry is none. */
export function back(entries: readonly Entry[]): string | undefined {
  const last = entries.at(-1)
  if (last === undefined || !isErrand(last)) return undefined
  const { text, failed } = last.result
  if (failed) return `The explorer brought no report: ${text.replace(/^Error: /, '')}`
  const [, report = ''] = /^--- report .* ---\n([\s\S]*)\n--- end of report .* ---$/m.exec(text) ?? []
  return `The explorer is back. It reports: ${report.split('\n')[0] ?? ''}`
}

/** What the demo says and calls as an explorer: the same looks, then a report of what it found, or an answer. */
export function explorerReply(entries: readonly Entry[], tools: ReadonlySet<string>): Reply {
  const task = taskOf(entries, tools)
  const asked = questionIn(entries)
  if (asked !== undefined) return look(task) ?? say(answerTo(asked, task.found))
  // Its task begins with a paragraph of the demo's own; what is asked stands behind that.
  const [, ...wanted] = task.request.split('\n\n')
  return look({ ...task, request: wanted.join('\n\n') }, true) ?? report(task)
}

function report({ found }: Task): Reply {
  const { files, read, search } = found
  const lines = read.map(({ path, about }) => `- ${path}${about === undefined ? '' : `: "${about}"`}`)
  if (search !== undefined) {
    const places = search.files.slice(0, 5).join(', ')
    lines.push(`- "${search.pattern}" stands in ${search.matches} lines${places === '' ? '' : `: ${places}`}`)
  }
  return say(`${files.length} files are listed, and ${read.length} of them were read.\n${lines.join('\n')}`)
}
