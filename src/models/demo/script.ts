// What the scripted model says and calls next. Decided from the prompt alone, so it goes on after any reload.
import { assertNever } from '../../session/errors.ts'
import { askCall, heard, isAsk } from './ask.ts'
import { type CallEntry, type Entry, imagesIn, isEdit, isHandedOver, isPrompt, verdictOf } from './conversation.ts'
import { editFor } from './edit.ts'
import { back, errand } from './errand.ts'
import { look } from './look.ts'
import { planFor, targetOf } from './plan.ts'
import { call, type Reply, say, type Task, taskOf } from './task.ts'

const name = 'Demo (offline, scripted): '

/** The next reply. It begins by saying what it is whenever it answers a message of the person. */
export function nextReply(entries: readonly Entry[], tools: ReadonlySet<string>): Reply {
  const reply = decide(entries, tools)
  const answers = entries.at(-1)?.kind !== 'call'
  if (!answers) return reply
  const images = imagesIn(entries)
  return { ...reply, text: `${name}${images === undefined ? '' : `I got ${images}. `}${reply.text}` }
}

/** The summary that a compaction asks for: what a script can say of a text, which is not much and is true. */
export function summaryReply(entries: readonly Entry[]): Reply {
  const record = entries.map(entry => (entry.kind === 'user' ? entry.text : '')).join('\n')
  const said = [...record.matchAll(/^User:\n {2}(.+)$/gm)].map(([, line = '']) => `- ${line}`)
  const calls = [...record.matchAll(/^Agent calls (\w+)/gm)].length
  const asked = said.length === 0 ? '' : `## What the user wants\n\n${said.join('\n')}\n\n`
  return say(
    `${asked}## What was done\n\nThe scripted demo answered and made ${calls} tool ${calls === 1 ? 'call' : 'calls'}.`,
  )
}

/** True when the person asked for a slow answer, by the word "slow" in the last prompt. */
export function wantsSlow(entries: readonly Entry[]): boolean {
  const last = entries.findLast(isPrompt)
  return last?.kind === 'user' && /\bslow\b/i.test(last.text)
}

function decide(entries: readonly Entry[], tools: ReadonlySet<string>): Reply {
  const lastEdit = entries.findLastIndex(isEdit)
  const since = entries.slice(lastEdit + 1)
  const edit = entries[lastEdit]
  if (edit?.kind === 'call' && !since.some(isPrompt)) return told(report(edit), entries, tools, edit)
  const task = taskOf(since, tools)
  const handedOver = since.findLastIndex(isHandedOver)
  if (handedOver >= 0 && !task.planning) return look(task) ?? carryOut(task, handedOver)
  const verdict = verdictOf(since, task.planning)
  switch (verdict.kind) {
    case 'none':
      return ask(task) ?? errand(task) ?? begin(task)
    case 'approved':
      if (!task.planning) return carryOut(task, verdict.at)
      return since.slice(verdict.at + 1).some(isPrompt)
        ? present(task)
        : say('Plan mode is on again, so I change nothing.')
    case 'kept':
      if (task.planning) return present(task)
      return say(
        'Plan mode is off and the plan was not approved, so I change nothing. Turn plan mode on to go on with it.',
      )
    case 'dismissed':
      return say('The review was closed without a decision. I wait for what you say next.')
    case 'failed':
      return say(`The plan was not reviewed: ${verdict.reason} I wait for what you say next.`)
    default:
      return assertNever(verdict)
  }
}

/** The questions of a person who wants to be asked; undefined when there is nothing to ask. */
function ask({ entries, tools }: Task): Reply | undefined {
  const last = entries.at(-1)
  if (last !== undefined && isAsk(last) && last.result.failed)
    return say('There is no answer to my questions, so I wait for what you say next.')
  const asking = tools.has('ask_user_question') ? askCall(entries) : undefined
  return asking && { text: 'You want to be asked, so I ask.', calls: [asking] }
}

function begin(task: Task): Reply {
  const reply = look(task) ?? (task.planning ? present(task) : introduce(task))
  const said = heard(task.entries) ?? back(task.entries)
  return said === undefined ? reply : { ...reply, text: `${said} ${reply.text}` }
}

function present({ request, found, feedback }: Task): Reply {
  const text =
    feedback.length === 0
      ? 'Here is a plan for your review.'
      : 'I worked your feedback in; here is the whole plan again.'
  return { text, calls: [call('exit_plan_mode', { plan: planFor(request, found, feedback) })] }
}

function introduce({ found }: Task): Reply {
  const [first] = found.read
  const about =
    first === undefined
      ? ''
      : ` and read ${first.path}${first.about === undefined ? '' : `, which is about "${first.about}"`}`
  return say(
    `I am a scripted demo, not a language model, so I cannot work on this by myself. I listed ${found.files.length} files${about}. Turn plan mode on ("Plan: Enter") and send your request again: then I present a plan that you can review, and make one small edit once you approve it.`,
  )
}

/** After approval: read the readme as it is now, then make the one edit. The steps of the plan are told where they can be. */
function carryOut({ entries, tools, found, request, feedback }: Task, approvedAt: number): Reply {
  const target = targetOf(found)
  const at = (step: string, state: string) =>
    tools.has('plan_progress') ? [call('plan_progress', { step, state })] : []
  const fresh = entries.slice(approvedAt + 1)
  const read = fresh.findLast(
    (entry): entry is CallEntry =>
      entry.kind === 'call' &&
      entry.tool === 'read_file' &&
      (found.readme === undefined || entry.input.path === target),
  )
  if (found.readme !== undefined && tools.has('read_file') && read === undefined) {
    const reads = [...at('1', 'running'), call('read_file', { path: target })]
    return { text: `The plan is approved. I read ${target} again.`, calls: reads }
  }
  const readme = read === undefined || read.result.failed ? undefined : { path: target, shown: read.result.text }
  const edit = editFor(request, feedback.length, readme)
  if (!tools.has(edit.tool)) return say(`The plan is approved, but I have no ${edit.tool} here, so I change nothing.`)
  const edits = [...at('1', 'done'), ...at('2', 'running'), call(edit.tool, edit.input)]
  return { text: `Now the one edit of the plan, in ${edit.input.path}.`, calls: edits }
}

/** Says of the open steps what came of them, once; a refused edit leaves its step as it is. */
function told(reply: Reply, entries: readonly Entry[], tools: ReadonlySet<string>, edit: CallEntry): Reply {
  const since = entries.slice(entries.indexOf(edit))
  const steps = entries.flatMap(entry => (entry.kind === 'call' && entry.tool === 'plan_progress' ? [entry] : []))
  const answered = since.some(entry => entry.kind === 'call' && entry.tool === 'plan_progress')
  if (!tools.has('plan_progress') || answered || steps.length === 0 || edit.result.failed) return reply
  const open = steps.at(-1)?.result.text.match(/^\d+(?=\. )/gm) ?? []
  return open.length === 0
    ? reply
    : {
        text: 'The edit is made. I mark the steps of the plan.',
        calls: open.map(step => call('plan_progress', { step, state: 'done' })),
      }
}

function report({ input, result }: CallEntry): Reply {
  const path = String(input.path)
  if (!result.failed) {
    return say(
      `I recorded in ${path} how this change was planned, after you allowed the edit. That was the whole scripted change, and nothing else was touched.`,
    )
  }
  const refused = /refused/i.test(result.text)
  return say(
    refused
      ? `The edit of ${path} was refused, so nothing was changed. I stop here.`
      : `The edit of ${path} could not be made: ${result.text.replace(/^Error: /, '')} I stop here.`,
  )
}
