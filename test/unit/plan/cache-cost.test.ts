import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { newUserMessage } from '../../../src/session/messages.ts'
import { baseSections } from '../../../src/vscode/conversations/base-prompt.ts'
import { testTool } from '../../support/test-tool.ts'
import { PlanningAgent, present, REVISED, SECTION } from './fixture.ts'

type Request = PlanningAgent['model']['requests'][number]

/** A request in the order in which providers cache it: tools, system text, messages. */
function bytesOf({ tools = [], prompt }: Request): string {
  return JSON.stringify([...tools, ...prompt])
}

function conversation(replies: ConstructorParameters<typeof PlanningAgent>[0] = []): PlanningAgent {
  const planning = new PlanningAgent(replies)
  for (const section of baseSections({ name: 'garden' })) planning.runtime.prompt.register(section)
  planning.runtime.tools.register(testTool('read_file', undefined, { parallel: true }))
  planning.runtime.tools.register(testTool('write_file'))
  return planning
}

function systemOf({ prompt }: Request): string {
  const [first] = prompt
  return first?.role === 'system' ? first.content : ''
}

function toolsOf({ tools = [] }: Request): string {
  return tools.map(({ name }) => name).join(',')
}

function sharedLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return length
}

describe('What a switch costs', () => {
  it('the tool list up to its last entry stays the same bytes, whatever is registered and however it is ordered', async () => {
    const tools = fc.uniqueArray(fc.record({ name: fc.stringMatching(/^[a-z]{1,8}$/), order: fc.integer() }), {
      selector: ({ name }) => name,
      maxLength: 8,
    })
    const property = fc.asyncProperty(
      tools,
      fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
      async (given, modes) => {
        const planning = new PlanningAgent()
        for (const { name, order } of given) planning.runtime.tools.register(testTool(name, undefined, { order }))
        await planning.say('off')
        for (const active of modes) {
          planning.controller.set(planning.agent, active)
          await planning.say(active ? 'on' : 'off')
        }
        for (const [index, { tools: declared = [] }] of planning.model.requests.entries()) {
          const active = index > 0 && modes[index - 1] === true
          assert.equal(declared.at(-1)?.name === 'exit_plan_mode', active, 'the exit tool comes and goes, last')
          const before = JSON.stringify(active ? declared.slice(0, -1) : declared)
          assert.equal(before, JSON.stringify(planning.model.requests[0]?.tools ?? []))
        }
      },
    )
    await fc.assert(property, { numRuns: 60 })
  })

  it('the system text before order 50 stays the same bytes', async () => {
    const planning = conversation()
    planning.runtime.prompt.register({ name: 'late', order: 60, render: () => 'Late.' })
    for (const active of [false, true, false]) {
      planning.controller.set(planning.agent, active)
      await planning.say('go')
    }
    const [off = '', on = '', again = ''] = planning.model.requests.map(systemOf)
    const early = baseSections({ name: 'garden' }).map(section => section.render(planning.agent))
    const prefix = `${early.join('\n\n')}\n\n`
    assert.equal(off, `${prefix}Late.`)
    assert.equal(on, `${prefix}${SECTION}\n\nLate.`)
    assert.equal(again, off)
  })

  it('the messages before it stay the same: a notice is appended', async () => {
    const planning = conversation()
    await planning.say('off')
    planning.controller.set(planning.agent, true)
    await planning.say('on')
    const [before = [], after = []] = planning.model.requests.map(({ prompt }) => prompt.slice(1))
    assert.deepEqual(after.slice(0, before.length), before)
  })
})

describe('The shared prefix of consecutive requests', () => {
  it('is the whole request before, apart from a switch and from the first plan, which brings revise_plan (UPDATE_GOLDEN=1 rewrites the table)', async () => {
    const planning = conversation([
      [{ text: 'Hello.' }],
      [
        { text: 'I look.' },
        { call: 'read_file', args: { path: 'a.ts' } },
        { call: 'read_file', args: { path: 'b.ts' } },
      ],
      [{ text: 'Two files matter.' }],
      [{ call: 'read_file', args: { path: 'c.ts' } }],
      [present()],
      [present(REVISED)],
      [{ call: 'write_file', args: { path: 'a.ts' } }],
      [{ call: 'write_file', args: { path: 'b.ts' } }],
      [{ text: 'Done.' }],
    ])
    await planning.say('Hello')
    await planning.say('What is here?')
    planning.controller.set(planning.agent, true)
    planning.agent.prompt(newUserMessage('Plan rate limits'))
    await planning.reviewed()
    await planning.decide('kept', 'Per user, not per key.')
    await planning.reviewed()
    await planning.decide('approved')
    await planning.agent.whenIdle()
    for (let turn = 0; turn < 6; turn++) await planning.say(`Now part ${turn} of it`)
    planning.controller.set(planning.agent, true)
    await planning.say('Plan the next thing')
    const texts = planning.model.requests.map(bytesOf)
    const rows = planning.model.requests.slice(1).map((request, index) => {
      const [before = '', now = ''] = [texts[index], texts[index + 1]]
      const previous = planning.model.requests[index] ?? request
      const switched = systemOf(request) !== systemOf(previous)
      const [tools, fewer] = [toolsOf(request), toolsOf(previous)]
      const firstPlan = !switched && tools !== fewer
      if (firstPlan) assert.equal(tools, `${fewer},revise_plan`)
      const shared = sharedLength(before, now)
      // What follows the last message of the request before is the bracket that closes its list.
      if (!switched && !firstPlan) assert.ok(shared >= before.length - 1, `request ${index + 2} only appends`)
      return [index + 2, before.length, now.length, shared, switched ? 'switch' : firstPlan ? 'first plan' : '']
        .join('\t')
        .trimEnd()
    })
    const table = `${['request\tbefore\tnow\tshared', ...rows].join('\n')}\n`
    const path = join(import.meta.dirname, '../../golden/shared-prefix.txt')
    if (process.env.UPDATE_GOLDEN === '1') {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, table)
    }
    assert.equal(table, readFileSync(path, 'utf8'))
  })
})
