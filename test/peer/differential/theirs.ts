// The published packages, composed as their own product composes them. The model and the person are scripted.
import type { Act } from '../../support/scripted-model.ts'
import { moduleOf } from '../packages.ts'
import { type Answer, type Begin, changes, type ModelRequest, refuseOnce, SECTION } from './program.ts'
import type { Deed, ReviewAnswer } from './script.ts'
import { eventsIn, exactly, requestIn, type Vocabulary } from './vocabulary.ts'

/** The texts of the published packages. */
const vocabulary: Vocabulary = [
  ['on', exactly('The user switched this session to plan mode.')],
  ['off', exactly('The user switched this session back to the default mode.')],
  ['approved', /^Plan approved — plan mode exited; /],
  ['dismissed', /^Error: The user dismissed the plan review to speak instead; /],
  ['kept', exactly('Error: The user chose to keep planning; revise the plan and present it again.')],
  ['kept', exactly('Error: The user chose to keep planning; their feedback: <…>')],
  ['no plan', /^Error: exit_plan_mode requires a non-empty markdown plan /],
  ['outside plan mode', exactly('Error: exit_plan_mode is only available in plan mode')],
  ['unknown tool', exactly('Error: unknown tool "<…>"')],
]

export const theirs: Begin = async answer => {
  const { context, llm, tools, questions } = await composed()
  const change = changes()
  const asked: ((answer: ReviewAnswer) => void)[] = []
  context.llm.registerAdapter(['scripted'], scriptedAdapter(llm.LlmAdapter, answer))
  context.userQuestions.registerProvider({
    ask: ({ signal }: { readonly signal: AbortSignal }) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new questions.UserQuestionError('stopped', 'ASK_ABORTED')))
        const answers = (selected: string[], more: object = {}) =>
          resolve({ answers: [{ id: 'plan-review', selected, ...more }] })
        asked.push(given => {
          if (given === 'approve') answers(['Approve'])
          else if (given === 'dismiss') reject(new questions.UserQuestionError('closed', 'ASK_CANCELLED'))
          else if (given.keep === undefined) answers(['Keep planning'])
          else answers([], { custom: given.keep })
        })
        change.wake()
      }),
  })
  const register = (name: string, property: string, concurrent: boolean, run: (value: string) => string) =>
    context.tools.register(
      tools.defineTool({
        name,
        description: `The tool ${name}.`,
        parameters: { [property]: { type: 'string' } },
        ...(concurrent ? { isConcurrencySafe: () => true } : {}),
        output: { schema: { type: 'string' }, render: (_: unknown, text: string) => [{ type: 'text', text }] },
        execute: async (args: Record<string, string>) => run(args[property] ?? ''),
      }),
    )
  register('read_file', 'path', true, path => `read ${path}`)
  register('write_file', 'path', false, path => `read ${path}`)
  register('switch', 'to', false, to => {
    context.planMode.set(agent, to === 'on')
    return to
  })
  context.on('agent/status', () => change.wake())
  let refusing = false
  context.on('agent/pre-step', (_: unknown, next: () => Promise<unknown>) => {
    if (!refusing) return next()
    refusing = false
    return Promise.resolve({ kind: 'reject', reason: 'not now' })
  })
  const agentOptions = { provider: 'scripted', model: 'model-a' }
  let agent = context.agentLoop.create('first', agentOptions, {})

  async function act(deed: Deed): Promise<void> {
    if ('say' in deed) {
      const content = [{ type: 'text', text: deed.say }]
      agent.followup(llm.createUserMessage({ content, source: { kind: 'user' } }))
    } else if ('set' in deed) context.planMode.set(agent, deed.set)
    else if ('review' in deed) asked.shift()?.(deed.review)
    else if ('refuse' in deed) refusing = true
    else if ('breaks' in deed) refuseOnce(agent.session, deed.breaks)
    else if ('restart' in deed) {
      const seed = [...agent.session.events]
      ;({ agent } = await context.agentLoop.createAgent(context, { sessionId: 'second', seed, agentOptions }))
    } else await context.commands.execute(agent, deed.command, [], new AbortController().signal)
  }

  return {
    act,
    rest: () => change.until(() => agent.status === 'idle' || asked.length > 0),
    events: () => eventsIn(vocabulary, agent.session.events),
    end: () => context.fiber.dispose(),
  }
}

async function loaded() {
  const names = ['cordis', 'session', 'llm', 'agent', 'system-prompt', 'tools', 'session-projection', 'commands']
  names.push('user-questions', 'plan-mode', 'agent-loop', 'session-persistence-jsonl')
  const modules = await Promise.all(names.map(name => moduleOf(name === 'cordis' ? name : `dsh-${name}`)))
  return new Map(names.map((name, index) => [name, modules[index]]))
}

/** The packages at work. With a root their sessions are stored under it, as raw lines. */
export async function composed(root?: string) {
  const packages = await loaded()
  const context = new (packages.get('cordis').Context)()
  const mount = (name: string, config?: object) => context.plugin(packages.get(name).default, config)
  await mount('session')
  if (root !== undefined) await mount('session-persistence-jsonl', { root, compression: 'none' })
  await mount('llm')
  await mount('agent')
  const bare = { includeHarnessIdentity: false, includeRuntimeContext: false }
  await mount('system-prompt', { ...bare, persona: 'You help.' })
  await mount('tools', { mode: 'native', maxParallelSubCalls: 10 })
  await mount('session-projection')
  await mount('commands')
  await mount('user-questions')
  await mount('plan-mode', { section: SECTION })
  await mount('agent-loop', { agents: [], maxParallelToolCalls: 10 })
  return {
    context,
    llm: packages.get('llm'),
    tools: packages.get('tools'),
    questions: packages.get('user-questions'),
  }
}

interface StreamOptions {
  readonly system?: string
  readonly tools?: readonly { readonly name: string }[]
  readonly messages: readonly unknown[]
}

function scriptedAdapter(LlmAdapter: new () => object, answer: (request: ModelRequest) => Answer): object {
  class Scripted extends LlmAdapter {
    async *stream({ system, tools, messages }: StreamOptions) {
      const { acts, ready } = answer(requestIn(vocabulary, system, tools, messages))
      await ready
      yield* chunksOf(acts)
    }
  }
  return new Scripted()
}

function* chunksOf(acts: readonly Act[]) {
  let calls = 0
  for (const [index, act] of acts.entries()) {
    if ('text' in act || 'reasoning' in act) {
      const [type, text] = 'text' in act ? ['text', act.text] : ['reasoning', act.reasoning]
      yield { type: 'block-start', index, blockType: type }
      yield { type: `${type}-delta`, index, text }
      yield { type: 'block-end', index, block: { type, text } }
    } else if ('call' in act) {
      calls++
      const [id, name, json] = [act.id, act.call, JSON.stringify(act.args)]
      yield { type: 'block-start', index, blockType: 'tool-call' }
      yield { type: 'tool-call-delta', index, id, name, argumentsDelta: json }
      yield { type: 'block-end', index, block: { type: 'tool-call', id, name, arguments: json } }
    } else throw new Error(`The scripts have no act like ${Object.keys(act).join()}.`)
  }
  yield { type: 'usage', usage: { inputTokens: 20, outputTokens: 10 } }
  yield { type: 'finish', reason: { kind: calls > 0 ? 'tool-calls' : 'stop' } }
}
