import type { ModelRequest, Trace } from './program.ts'
import { OWN_TOOLS } from './vocabulary.ts'

export interface Pair {
  readonly ours: Trace
  readonly theirs: Trace
}

/** One difference from the published packages that is meant. `settle` takes exactly it away, and leaves all else. */
export interface Difference {
  readonly name: string
  readonly why: string
  /** The scripts that show it; all unless given. */
  readonly scripts?: readonly string[]
  settle(pair: Pair): Pair
}

const EXIT = 'exit_plan_mode'

/** In the order in which they are taken away. */
export const differences: readonly Difference[] = [
  {
    name: 'a waiting selection and a review are events of our own',
    why: 'One definition of pending, the same in every window and after a crash; other readers may ignore them.',
    settle: ({ ours, theirs }) => ({ ours: without(ours, /^(plan\/selected|review\/\w+)$/), theirs }),
  },
  {
    name: 'a plan can be revised by edits, and its steps are followed',
    why: 'Tools that the ancestor does not have: each comes with its plan, behind all others, and tells its steps in the log.',
    settle: ({ ours, theirs }) => ({
      ours: eachRequest(without(ours, /^(plan\/steps|request\/header of own tools)$/), withoutOwnTools),
      theirs,
    }),
  },
  {
    name: 'the first words give the title',
    why: 'A picker has a name for every conversation; there it is a package of its own that is not composed here.',
    settle: ({ ours, theirs }) => ({ ours: without(ours, /^session\/title$/), theirs }),
  },
  {
    name: 'the exit tool is declared last, the others in the order of their registration',
    why: 'The list before it stays the same bytes when plan mode begins or ends, so a provider can reuse its cache.',
    settle: ({ ours, theirs }) => ({ ours: eachRequest(ours, exitLast), theirs: eachRequest(theirs, exitLast) }),
  },
  {
    name: 'the exit tool exists only while plan mode is committed',
    why: 'The newest document: guidance and tool come and go together, and outside plan mode the call is UNKNOWN_TOOL.',
    settle: ({ ours, theirs }) => ({ ours, theirs: eachRequest(theirs, offeredWithGuidance) }),
  },
  {
    name: 'a notice is made at the step boundary and goes last into the step',
    why: 'It is due when what the model was told differs from the mode; there one is queued at each change while idle.',
    settle: ({ ours, theirs }) => ({ ours, theirs: eachRequest(unqueued(theirs), noticeLast) }),
  },
  {
    name: 'back where the model was told it is, there is nothing to tell',
    why: 'There the notice of the first change stays queued, and the model reads of a mode that is not on.',
    scripts: ['on and off again while idle'],
    settle: ({ ours, theirs }) => ({
      ours,
      theirs: eachRequest(once(theirs, ['user/message', 'user/message'], ['user/message']), request =>
        withMessages(
          request,
          request.messages.filter(text => text !== 'user {on}'),
        ),
      ),
    }),
  },
  {
    name: 'an approval that the user takes back is told of',
    why: 'The result said that plan mode ends; without a notice the model would go on in a mode it believes to be over.',
    scripts: ['an approval, taken back before it takes effect'],
    settle: ({ ours, theirs }) => ({
      ours: eachRequest(once(ours, ['step/start', 'user/message'], ['step/start'], 2), request =>
        withMessages(
          request,
          request.messages.filter(text => text !== 'user {on}'),
        ),
      ),
      theirs,
    }),
  },
  {
    name: 'a dismissed review ends the turn',
    why: 'The newest document: it returns { approved: false } and concludes the turn; there the call fails and the model goes on.',
    scripts: ['a dismissed review'],
    settle: ({ ours, theirs }) => {
      const step = ['step/end', 'step/start', 'assistant/chunk', 'assistant/message', 'step/end', 'turn/end']
      const { events, requests } = once(theirs, step, ['step/end', 'turn/end'])
      const more = requests.filter(({ messages }) => messages.at(-1) !== 'result {dismissed}')
      const answer = (request: ModelRequest) => {
        const after = request.messages.indexOf('result {dismissed}') + 1
        return after === 0 ? request : withMessages(request, request.messages.toSpliced(after, 1))
      }
      return { ours, theirs: eachRequest({ events, requests: more }, answer) }
    },
  },
  {
    name: 'leaving takes a waiting review back',
    why: 'The user has left, so nobody is asked any more; there the call goes on waiting for an answer.',
    scripts: ['leaving while a review waits'],
    settle: ({ ours, theirs }) => {
      const { events, requests } = ours
      return {
        ours: { events: events.slice(0, events.indexOf('tool/call') + 1), requests: requests.slice(0, 1) },
        theirs,
      }
    },
  },
  {
    name: 'a selection survives the process',
    why: 'There it is kept in memory and lost when the process ends behind the last boundary of a turn.',
    scripts: ['a selection after the last boundary, then a restart'],
    settle: ({ ours, theirs }) => ({
      ours: eachRequest(
        once(
          once(ours, ['plan/mode'], []),
          ['session/end-seed', ...secondTurn, 'user/message'],
          ['session/end-seed', ...secondTurn],
        ),
        (request, index) =>
          index === 0
            ? request
            : {
                guidance: false,
                tools: request.tools.filter(name => name !== EXIT),
                messages: request.messages.filter(text => text !== 'user {on}'),
              },
      ),
      theirs,
    }),
  },
  {
    name: 'the mode commits at the boundary, before the step can be refused',
    why: 'The newest document: model choice and pre-step listeners read the committed state; there it waits for a step.',
    scripts: ['a refused step while a selection waits'],
    settle: ({ ours, theirs }) => {
      const claim = 'agent/inbox/spliced next-turn - 1'
      const moved = once(theirs, [claim, 'plan/mode', 'step/start'], [claim, 'step/start'])
      return { ours, theirs: once(moved, [claim, 'turn/end'], [claim, 'plan/mode', 'turn/end']) }
    },
  },
  {
    name: 'a mode that the log refuses fails the step',
    why: 'Nothing goes on under a mode that is not logged; there the step runs, with guidance the log knows nothing of.',
    scripts: ['a log that refuses the mode'],
    settle: ({ ours, theirs }) => {
      const claim = 'agent/inbox/spliced next-turn - 1'
      const answered = ['assistant/chunk', 'assistant/message', 'step/end', 'turn/end']
      const ran = [claim, 'step/start', 'user/message', 'request/header', ...answered]
      const failed = once(theirs, ran, [claim, 'turn/end'])
      const told = [claim, 'plan/mode', 'step/start', 'user/message', 'user/message']
      const { events, requests } = once(
        failed,
        [...told, 'assistant/chunk'],
        [...told, 'request/header', 'assistant/chunk'],
      )
      const [first, , third] = requests
      const spoken = (request: ModelRequest) =>
        withMessages(request, request.messages.toSpliced(request.messages.indexOf('user And now?'), 2))
      const left = first === undefined || third === undefined ? requests : [first, spoken(third)]
      return { ours, theirs: { events, requests: left } }
    },
  },
]

const secondTurn = [
  'agent/inbox/spliced next-turn + user And now?',
  'turn/start',
  'agent/inbox/spliced next-turn - 1',
  'step/start',
  'user/message',
]

function without({ events, requests }: Trace, types: RegExp): Trace {
  return { events: events.filter(type => !types.test(type)), requests }
}

function eachRequest(
  { events, requests }: Trace,
  change: (request: ModelRequest, index: number) => ModelRequest,
): Trace {
  return { events, requests: requests.map(change) }
}

function withMessages(request: ModelRequest, messages: readonly string[]): ModelRequest {
  return { ...request, messages }
}

function exitLast(request: ModelRequest): ModelRequest {
  const others = request.tools.filter(name => name !== EXIT).sort()
  return { ...request, tools: request.tools.includes(EXIT) ? [...others, EXIT] : others }
}

function offeredWithGuidance(request: ModelRequest): ModelRequest {
  const messages = request.messages.map(text =>
    text === 'result {outside plan mode}' ? `result {unknown tool: ${EXIT}}` : text,
  )
  const tools = request.guidance ? request.tools : request.tools.filter(name => name !== EXIT)
  return { ...request, messages, tools }
}

function withoutOwnTools(request: ModelRequest): ModelRequest {
  return { ...request, tools: request.tools.filter(name => !OWN_TOOLS.has(name)) }
}

/** Takes the queued notices out of the pending input. */
function unqueued({ events, requests }: Trace): Trace {
  let queued = 0
  const left = events.flatMap(type => {
    if (/^agent\/inbox\/spliced next-step \+ user \{(on|off)\}$/.test(type)) {
      queued++
      return []
    }
    const claimed = /^agent\/inbox\/spliced next-step - (\d+)$/.exec(type)
    if (claimed === null) return [type]
    const others = Number(claimed[1]) - queued
    queued = 0
    return others === 0 ? [] : [`agent/inbox/spliced next-step - ${others}`]
  })
  return { events: left, requests }
}

/** A queued notice came before the words of its step. */
function noticeLast(request: ModelRequest): ModelRequest {
  const messages = [...request.messages]
  for (let at = 0; at + 1 < messages.length; at++) {
    const [one = '', other = ''] = [messages[at], messages[at + 1]]
    if (/^user \{(on|off)\}$/.test(one) && other.startsWith('user ')) messages.splice(at, 2, other, one)
  }
  return withMessages(request, messages)
}

/** Replaces the n-th place where these events follow each other. */
function once({ events, requests }: Trace, from: readonly string[], to: readonly string[], nth = 1): Trace {
  let seen = 0
  for (let at = 0; at + from.length <= events.length; at++) {
    if (!from.every((type, index) => events[at + index] === type) || ++seen < nth) continue
    return { events: events.toSpliced(at, from.length, ...to), requests }
  }
  return { events, requests }
}
