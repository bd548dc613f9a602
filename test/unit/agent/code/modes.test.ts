import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { declarations } from '../../../../src/agent/code/declarations.ts'
import { defaultBounds, installCode } from '../../../../src/agent/code/run-code.ts'
import * as words from '../../../../src/agent/code/words.ts'
import { Tools, type ToolsMode } from '../../../../src/agent/tool.ts'
import { newUserMessage } from '../../../../src/session/messages.ts'
import { eventsOf, resultsOf } from '../../../support/reading.ts'
import { assertRequestsFromLog } from '../../../support/requests.ts'
import { testAgent } from '../../../support/runtime.ts'
import { ScriptedEngine } from '../../../support/scripted-engine.ts'
import { testTool } from '../../../support/test-tool.ts'
import { PlanningAgent } from '../../plan/fixture.ts'
import { program } from './scene.ts'

/** A planning agent with two tools, that is asked once before, once in and once after plan mode. */
async function acrossSwitches(mode: ToolsMode) {
  const each = new PlanningAgent([], { toolsMode: () => mode })
  each.runtime.prompt.register({ name: 'base', order: 0, render: () => 'You are careful.' })
  each.runtime.tools.register(testTool('read', undefined, { parallel: true }))
  installCode(each.runtime, new ScriptedEngine({}))
  each.runtime.tools.register(testTool('write'))
  await each.say('one')
  each.controller.set(each.agent, true)
  await each.say('two')
  each.controller.set(each.agent, false)
  await each.say('three')
  return each.model.requests.map(({ prompt, tools = [] }) => ({
    names: tools.map(tool => tool.name),
    tools: JSON.stringify(tools),
    system: prompt[0]?.role === 'system' ? prompt[0].content : '',
  }))
}

describe('the ways tools are offered', () => {
  it('native: as themselves, and no programs', async () => {
    const [before, planning] = await acrossSwitches('native')
    assert.deepEqual(before?.names, ['read', 'write'])
    assert.deepEqual(planning?.names, ['read', 'write', 'exit_plan_mode'])
    assert.doesNotMatch(planning?.system ?? '', /run_code/)
  })

  it('both: the list stays the same bytes across a switch, up to exit_plan_mode', async () => {
    const [before, planning, after] = await acrossSwitches('both')
    assert.deepEqual(before?.names, ['read', 'run_code', 'write'])
    assert.deepEqual(planning?.names, [...(before?.names ?? []), 'exit_plan_mode'])
    assert.ok(planning?.tools.startsWith(before?.tools.slice(0, -1) ?? 'x'))
    assert.equal(after?.tools, before?.tools)
  })

  it('code: run_code alone, the same bytes across a switch; what comes and goes is told behind the guidance', async () => {
    const [before, planning, after] = await acrossSwitches('code')
    assert.deepEqual(before?.names, ['run_code'])
    assert.equal(planning?.tools, before?.tools)
    assert.equal(before?.system, 'You are careful.')
    assert.match(
      planning?.system ?? '',
      /^You are careful\.\n\nPlan first\. Change nothing\.\n\nIn this step, programs of run_code/,
    )
    assert.match(planning?.system ?? '', /exit_plan_mode\(args: \{\n[^}]*plan: string\n/)
    assert.deepEqual([after?.tools, after?.system], [before?.tools, before?.system])
    assert.doesNotMatch(before?.tools ?? '', /exit_plan_mode/)
  })

  it('code: a tool that is called by itself is unknown, and run_code is named', async () => {
    const each = testAgent([[{ call: 'read' }]], { toolsMode: () => 'code' })
    each.runtime.tools.register(testTool('read'))
    installCode(each.runtime, new ScriptedEngine({}))
    each.agent.prompt(newUserMessage('go'))
    await each.agent.whenIdle()
    const [result] = resultsOf(each.session)
    assert.equal(result?.code, 'ToolNotFoundError/UNKNOWN_TOOL')
    assert.equal(result?.text, 'Error: There is no tool named "read" in this step. Available: run_code.')
  })

  it('native: run_code is unknown', async () => {
    const each = testAgent([[program('main')]])
    installCode(each.runtime, new ScriptedEngine({}))
    each.agent.prompt(newUserMessage('go'))
    await each.agent.whenIdle()
    assert.equal(resultsOf(each.session)[0]?.code, 'ToolNotFoundError/UNKNOWN_TOOL')
  })

  it('are read anew for each step, and every request follows from the log', async () => {
    let mode: ToolsMode = 'native'
    const each = testAgent([[{ call: 'read' }], [program('main')], [{ text: 'done' }]], { toolsMode: () => mode })
    each.runtime.tools.register(
      testTool('read', () => {
        mode = 'code'
        return { kind: 'success', text: 'x' }
      }),
    )
    const main = async () => {
      mode = 'both'
    }
    installCode(each.runtime, new ScriptedEngine({ main }))
    each.agent.prompt(newUserMessage('go'))
    await each.agent.whenIdle()
    assert.deepEqual(
      each.model.requests.map(({ tools = [] }) => tools.map(tool => tool.name)),
      [['read'], ['run_code'], ['read', 'run_code']],
    )
    assert.equal(eventsOf(each.session, 'request/header').length, 3)
    assertRequestsFromLog(each.session, each.model)
  })
})

describe('the words of programs', () => {
  it('are the pinned ones (UPDATE_GOLDEN=1 rewrites the file)', () => {
    const tools = new Tools(() => 'both')
    tools.register(testTool('read_file'))
    const { toolDescription, conditionalTools, failed, ...plain } = words
    const texts: Record<string, string> = {
      ...plain,
      'toolDescription(…)': toolDescription(declarations(tools.permanent()), defaultBounds),
      'conditionalTools(…)': conditionalTools('  <methods>'),
      'failed(problem)': failed('<problem>', undefined),
      'failed(problem, 3)': failed('<problem>', 3),
    }
    const all = Object.entries(texts).sort(([one], [other]) => (one < other ? -1 : 1))
    const text = all.map(([name, said]) => `== ${name}\n${said}\n`).join('\n')
    const path = fileURLToPath(new URL('../../../golden/code-words.txt', import.meta.url))
    if (process.env.UPDATE_GOLDEN === '1') {
      mkdirSync(fileURLToPath(new URL('.', `file://${path}`)), { recursive: true })
      writeFileSync(path, text)
    }
    assert.equal(text, readFileSync(path, 'utf8'))
  })

  it('declare arguments as TypeScript, and no description ends its comment', () => {
    const parameters = z.strictObject({
      path: z.string().describe('Where. */ process.exit()'),
      mode: z.enum(['fast', 'slow']).optional(),
      lines: z.array(z.strictObject({ from: z.int(), to: z.number().nullable() })),
      more: z.record(z.string(), z.boolean()).optional(),
      'odd-name': z.union([z.literal(1), z.literal('x')]).optional(),
      any: z.unknown().optional(),
    })
    const tool = { ...testTool('look'), parameters, description: 'Looks.\nTwice.' }
    assert.equal(
      declarations([tool as never]),
      `  /** Looks.
   * Twice. */
  look(args: {
    /** Where. * / process.exit() */
    path: string
    mode?: "fast" | "slow"
    lines: Array<{
      from: number
      to: number | null
    }>
    more?: Record<string, boolean>
    "odd-name"?: 1 | "x"
    any?: unknown
  }): Promise<string>`,
    )
  })
})
