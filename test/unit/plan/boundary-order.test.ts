import assert from 'node:assert/strict'
import type { AgentRuntime } from '../../../src/agent/runtime.ts'
import { foldPlanMode } from '../../../src/plan/projection.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { testTool } from '../../support/test-tool.ts'
import { gate, PlanningAgent } from './fixture.ts'

/** Everything a boundary does, in order, with the mode that each part of it reads. */
class Watched {
  readonly seen: string[] = []
  readonly planning: PlanningAgent

  constructor(planning: PlanningAgent) {
    this.planning = planning
    const { runtime, session, model } = planning
    const { choose } = runtime.models
    const stream = model.doStream.bind(model)
    model.doStream = async options => {
      this.#say('request')
      return stream(options)
    }
    runtime.models.choose = async each => {
      this.#say('model choice')
      return choose(each)
    }
    runtime.stepBoundary.add(() => {
      this.#say('step boundary')
      return []
    })
    runtime.preStep.add(async (_, next) => {
      this.#say('pre-step')
      return next()
    })
    const available = () => {
      this.#say('availability')
      return true
    }
    runtime.tools.register(testTool('read_file', undefined, { available }))
    runtime.prompt.register({
      name: 'watched',
      order: 10,
      render: () => {
        this.#say('section')
        return undefined
      },
    })
    runtime.onFlush = () => this.#say('flush')
    session.observe(({ type }) => {
      if (!/chunk|title|selected/.test(type)) this.#say(type)
    })
  }

  #say(what: string): void {
    this.seen.push(`${foldPlanMode(this.planning.session.from()) ? 'on' : 'off'} ${what}`)
  }
}

const admitted = ['model choice', 'pre-step', 'availability', 'section', 'step/start', 'user/message']
const sent = ['flush', 'request']

describe('The order of a step boundary', () => {
  it('claims, commits, and lets everything after it read the committed mode; a retry does none of it again', async () => {
    const hold = gate()
    const busy = { throws: Object.assign(new Error('busy'), { statusCode: 429, isRetryable: true }) }
    const planning = new PlanningAgent([[hold, { text: 'Looked.' }], busy, [{ text: 'I plan.' }]])
    const { seen } = new Watched(planning)
    planning.agent.prompt(newUserMessage('Look around'))
    await planning.model.requested(1)
    planning.controller.set(planning.agent, true)
    hold.open()
    await planning.agent.whenIdle()
    seen.splice(0)
    await planning.say('Plan it')
    const on = (names: readonly string[]) => names.map(name => `on ${name}`)
    assert.deepEqual(seen, [
      'off agent/inbox/spliced',
      'off turn/start',
      'off agent/inbox/spliced',
      'on plan/mode',
      ...on(['step boundary', ...admitted, 'user/message', 'request/header', ...sent]),
      ...on(['llm/retry', 'llm/retry-started', 'request', 'assistant/message', 'step/end', 'turn/end', 'flush']),
    ])
  })

  it('logs a header and a context only when they differ', async () => {
    const planning = new PlanningAgent()
    const { seen } = new Watched(planning)
    await planning.say('one')
    await planning.say('two')
    const requests = seen.filter(what => /request/.test(what)).map(what => what.replace('off ', ''))
    assert.deepEqual(requests, ['request/header', 'request/context', 'request', 'request'])
  })

  it('lets a pre-step listener change the messages; the notice goes last all the same', async () => {
    const planning = new PlanningAgent()
    await planning.say('one')
    planning.controller.set(planning.agent, true)
    planning.runtime.preStep.add(async (_, next) => {
      const decision = await next()
      if (decision.kind === 'refuse') return decision
      return { kind: 'enter', messages: [...decision.messages, newUserMessage('Today is Monday.')] }
    })
    const before = planning.session.length
    await planning.say('two')
    const sources = planning.events('user/message', before).map(({ data }) => data.source.kind)
    assert.deepEqual(sources, ['user', 'user', 'plugin'])
  })

  it('has the mode changed, the turn blocked and the notice due after a refusal, however often', async () => {
    const planning = new PlanningAgent()
    await planning.say('one')
    planning.controller.set(planning.agent, true)
    const refuse: Parameters<AgentRuntime['preStep']['add']>[0] = async () => ({ kind: 'refuse', reason: 'no' })
    planning.runtime.preStep.add(refuse)
    await planning.say('two')
    await planning.say('three')
    assert.deepEqual(planning.notices(), [])
    assert.deepEqual(
      planning.events('turn/end').map(({ data }) => data.reason.kind),
      ['completed', 'blocked', 'blocked'],
    )
    planning.runtime.preStep.delete(refuse)
    await planning.say('four')
    await planning.say('five')
    assert.equal(planning.notices().length, 1)
  })
})
