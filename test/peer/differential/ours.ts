// This project's agent: real loop, plan mode and review desk. The model and the person are scripted.
import { z } from 'zod'
import type { Agent } from '../../../src/agent/agent.ts'
import { openAgent } from '../../../src/agent/live/live-agent.ts'
import { requestState } from '../../../src/agent/request/request.ts'
import type { PreStepListener } from '../../../src/agent/runtime.ts'
import { installPlanMode } from '../../../src/plan/plan-mode.ts'
import { reviewProjection } from '../../../src/plan/review.ts'
import * as words from '../../../src/plan/words.ts'
import { ReviewDesk } from '../../../src/review/review-desk.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { Session } from '../../../src/session/session.ts'
import { deriveMessages } from '../../../src/session/surface.ts'
import { memorySession, testRuntime } from '../../support/runtime.ts'
import { ScriptedModel } from '../../support/scripted-model.ts'
import { testTool } from '../../support/test-tool.ts'
import { type Begin, changes, refuseOnce, SECTION } from './program.ts'
import type { Deed, ReviewAnswer } from './script.ts'
import { eventsIn, exactly, requestIn, type Vocabulary } from './vocabulary.ts'

const vocabulary: Vocabulary = [
  ['on', exactly(words.noticeOn)],
  ['off', exactly(words.noticeOff)],
  ['approved', exactly(words.approved)],
  ['dismissed', exactly(words.dismissed)],
  ['kept', exactly(`Error: ${words.kept(undefined)}`)],
  ['kept', exactly(`Error: ${words.kept('<…>')}`)],
  ['no plan', exactly(`Error: ${words.notPlanShaped}`)],
  ['unknown tool', /^Error: There is no tool named "(\w+)" in this step\./],
]

export const ours: Begin = async answer => {
  const change = changes()
  const model = new ScriptedModel([], () => {
    const { header } = session.state(requestState)
    const { acts, ready } = answer(requestIn(vocabulary, header?.system, header?.tools, deriveMessages(session)))
    return [{ gate: ready }, ...acts]
  })
  const runtime = testRuntime(model)
  const desk = new ReviewDesk(() => change.wake())
  const { controller } = installPlanMode(runtime, () => ({ section: SECTION }))
  runtime.questions.provide(desk)
  runtime.prompt.register({ name: 'base', order: 0, render: () => 'You help.' })
  runtime.tools.register(testTool('read_file', undefined, { parallel: true }))
  runtime.tools.register(testTool('write_file'))
  runtime.tools.register({
    name: 'switch',
    description: 'The tool switch.',
    parameters: z.strictObject({ to: z.string() }),
    run: async ({ to }) => {
      controller.set(agent, to === 'on')
      return { kind: 'success', text: to }
    },
  })
  let session = memorySession({}, runtime.now)
  let agent = open()

  function open(): Agent {
    session.observe(() => change.wake())
    const opened = openAgent(session, runtime)
    opened.onStatus(() => change.wake())
    return opened
  }

  async function review(given: ReviewAnswer): Promise<void> {
    const { waiting } = session.state(reviewProjection)
    if (waiting === null) throw new Error('No review waits.')
    const { reviewId, planHash } = waiting
    const verdict = (): { decision: 'approved' | 'kept' | 'dismissed'; feedback?: string } => {
      if (given === 'approve') return { decision: 'approved' }
      if (given === 'dismiss') return { decision: 'dismissed' }
      return { decision: 'kept', ...(given.keep === undefined ? {} : { feedback: given.keep }) }
    }
    await desk.decide(agent, { reviewId, planHash, ...verdict() })
  }

  async function act(deed: Deed): Promise<void> {
    if ('say' in deed) agent.prompt(newUserMessage(deed.say))
    else if ('set' in deed) controller.set(agent, deed.set)
    else if ('review' in deed) await review(deed.review)
    else if ('refuse' in deed) {
      const refuse: PreStepListener = async () => {
        runtime.preStep.delete(refuse)
        return { kind: 'refuse', reason: 'not now' }
      }
      runtime.preStep.add(refuse)
    } else if ('breaks' in deed) refuseOnce(session, deed.breaks)
    else if ('restart' in deed) {
      await agent.dispose()
      session = new Session(session.header, [...session.from()])
      session.append('session/end-seed', {})
      agent = open()
    } else {
      const { name, args } = runtime.commands.parse(deed.command) ?? { name: '', args: '' }
      await runtime.commands.run(agent, name, args)
    }
  }

  return {
    act,
    rest: () => change.until(() => agent.status === 'idle' || desk.isLive(agent)),
    events: () => eventsIn(vocabulary, session.from()),
    end: () => agent.dispose(),
  }
}
