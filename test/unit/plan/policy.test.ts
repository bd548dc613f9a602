import assert from 'node:assert/strict'
import { defaultPolicy, parsePolicy } from '../../../src/plan/policy.ts'
import { testTool } from '../../support/test-tool.ts'
import { PLAN, PlanningAgent, present, SECTION } from './fixture.ts'

describe('parsePolicy', () => {
  it('takes exactly { section } and keeps the text as it is', () => {
    assert.deepEqual(parsePolicy({ section: '  Plan.\n' }), { section: '  Plan.\n' })
    assert.deepEqual(parsePolicy(defaultPolicy), defaultPolicy)
  })

  const refused: [unknown, RegExp][] = [
    [{}, /"section" must be text/],
    [{ section: undefined }, /"section" must be text/],
    [{ section: 1 }, /"section" must be text/],
    [{ section: null }, /"section" must be text/],
    [{ section: ['x'] }, /"section" must be text/],
    [{ section: '' }, /must not be blank/],
    [{ section: ' \n\t' }, /must not be blank/],
    [{ section: 'x', extra: 1 }, /Unknown key: extra\. Only "section" is allowed/],
    [{ Section: 'x' }, /Unknown key: Section/],
    ['x', /must be an object/],
    [null, /must be an object/],
    [undefined, /must be an object/],
    [[{ section: 'x' }], /must be an object/],
  ]
  for (const [value, message] of refused) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      assert.throws(
        () => parsePolicy(value),
        (error: Error & { code?: string }) => {
          assert.equal(error.code, 'BAD_POLICY')
          assert.match(error.message, /^The setting planMode\.policy was refused\./)
          assert.match(error.message, message)
          return true
        },
      )
    })
  }
})

describe('The plan:policy section', () => {
  it('is exactly the configured text while plan mode is committed, and nothing otherwise', async () => {
    const planning = new PlanningAgent([
      [{ text: 'a' }],
      () => {
        planning.controller.set(planning.agent, false)
        return [{ call: 'none' }]
      },
    ])
    await planning.say('off')
    planning.controller.set(planning.agent, true)
    await planning.say('on, then off at the next step')
    assert.deepEqual(
      planning.events('request/header').map(({ data }) => data.header.system),
      [undefined, SECTION, undefined],
    )
    assert.deepEqual(planning.model.requests[1]?.prompt[0], { role: 'system', content: SECTION })
  })

  it('stands at order 50, between sections before and after it', () => {
    const planning = new PlanningAgent()
    const { prompt } = planning.runtime
    prompt.register({ name: 'late', order: 51, render: () => 'late' })
    prompt.register({ name: 'early', order: 49, render: () => 'early' })
    assert.equal(prompt.render(planning.agent), 'early\n\nlate')
    planning.controller.set(planning.agent, true)
    assert.equal(prompt.render(planning.agent), `early\n\n${SECTION}\n\nlate`)
  })
})

describe('The declared tools', () => {
  it('hold the exit tool last, whatever is registered after it, and only while plan mode is committed', async () => {
    const planning = new PlanningAgent()
    planning.runtime.tools.register(testTool('later', undefined, { order: 1_000 }))
    planning.runtime.tools.register(testTool('sooner'))
    await planning.say('off')
    planning.controller.set(planning.agent, true)
    await planning.say('on')
    const declared = planning.model.requests.map(request => request.tools?.map(tool => tool.name))
    assert.deepEqual(declared, [
      ['sooner', 'later'],
      ['sooner', 'later', 'exit_plan_mode'],
    ])
  })

  it('declare one required plan and nothing else', async () => {
    const planning = new PlanningAgent()
    planning.controller.set(planning.agent, true)
    await planning.say('on')
    const tool = planning.events('request/header')[0]?.data.header.tools?.at(-1)
    const { properties, ...schema } = tool?.parameters ?? {}
    assert.deepEqual(schema, { type: 'object', required: ['plan'], additionalProperties: false })
    assert.deepEqual(Object.keys(properties ?? {}), ['plan'])
  })

  it('are the same whatever the approval policy is: plan state hides no other tool', async () => {
    const planning = new PlanningAgent()
    planning.runtime.tools.register(testTool('write_file'))
    planning.controller.set(planning.agent, true)
    await planning.say('on')
    assert.ok(planning.model.requests[0]?.tools?.some(tool => tool.name === 'write_file'))
  })
})

describe('installPlanMode', () => {
  it('takes everything out again on disposal, and the loop runs on without it', async () => {
    const planning = new PlanningAgent([[{ text: 'a' }], [present(PLAN)]])
    planning.controller.set(planning.agent, true)
    await planning.say('on')
    planning.installed[Symbol.dispose]()
    assert.equal(planning.runtime.stepBoundary.size, 0)
    assert.equal(planning.runtime.commands.list().length, 0)
    await planning.say('plan mode is gone')
    assert.deepEqual(
      planning.exitResults().map(({ code }) => code),
      ['UNKNOWN_TOOL'],
    )
    assert.equal(planning.events('request/header').at(-1)?.data.header.system, undefined)
    assert.equal(planning.events('turn/end').at(-1)?.data.reason.kind, 'completed')
  })
})
