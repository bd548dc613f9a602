import assert from 'node:assert/strict'
import type { ApprovalRequest } from '../../../../src/agent/approvals.ts'
import { installCode } from '../../../../src/agent/code/run-code.ts'
import { ApprovalDesk } from '../../../../src/agent/desks/approval-desk.ts'
import type { ToolOutcome } from '../../../../src/agent/tool.ts'
import { newUserMessage } from '../../../../src/session/messages.ts'
import type { Session } from '../../../../src/session/session.ts'
import { QuickJsEngine } from '../../../../src/tools/program/quickjs-engine.ts'
import { engineFiles } from '../../../support/engine-files.ts'
import { assertGolden } from '../../../support/golden.ts'
import { assertInvariants } from '../../../support/invariants.ts'
import { assertRequestsFromLog } from '../../../support/requests.ts'
import type { Act, Reply } from '../../../support/scripted-model.ts'
import { testTool } from '../../../support/test-tool.ts'
import { PlanningAgent, reopened } from '../../plan/fixture.ts'

const engine = new QuickJsEngine(engineFiles)

/** The whole of it: real loop, plan mode, approvals and programs in QuickJS; scripted are the model and the human. */
function conversation(replies: readonly Reply[], session?: Session): PlanningAgent {
  const each = new PlanningAgent(replies, { toolsMode: () => 'code', ...(session === undefined ? {} : { session }) })
  each.model.log = each.session
  const approvals = new ApprovalDesk({ policy: () => 'ask' })
  approvals.provide({
    answer: async (request: ApprovalRequest) => {
      assert.match(request.call.callId, /:code:\d+$/)
      return 'allowed-once'
    },
  })
  each.runtime.tools.register(testTool('read_file', together(3), { parallel: true }))
  each.runtime.tools.register(
    testTool('write_file', async ({ path = '' }, call): Promise<ToolOutcome> => {
      if (path === 'locked.ts')
        return { kind: 'failure', text: 'It is locked.', error: { name: 'FileError', code: 'FS_LOCKED' } }
      const outcome = await approvals.ask({ toolName: 'write_file', call, reason: `Write ${path}.` })
      return { kind: 'success', text: `${outcome} ${path}`, meta: { path, added: 1, removed: 0 } }
    }),
  )
  installCode(each.runtime, engine)
  return each
}

/** Reads that end in the order of their begin once `count` of them have begun: a log that is always the same. */
function together(count: number): ({ path }: { path?: string | undefined }) => Promise<ToolOutcome> {
  const begun: (() => void)[] = []
  return async ({ path = '' }) => {
    const begin = new Promise<void>(resolve => begun.push(resolve))
    if (begun.length === count) for (const resolve of begun.splice(0)) resolve()
    await begin
    return { kind: 'success', text: `text of ${path}` }
  }
}

function program(description: string, code: string): Act {
  return { call: 'run_code', args: { code, description } }
}

const plan = '# Add rate limits\n\nOne bucket per key.\n'
const presenting = program(
  'Present the plan',
  `const said = await tools.exit_plan_mode({ plan: ${JSON.stringify(plan)} })\nreturn said.length > 0`,
)

function compare(name: string, each: PlanningAgent): void {
  assertInvariants(each.session)
  assertRequestsFromLog(each.session, each.model)
  assertGolden(name, each.session)
}

function planning(replies: readonly Reply[]): PlanningAgent {
  const each = conversation(replies)
  each.controller.set(each.agent, true)
  each.agent.prompt(newUserMessage('Plan rate limits'))
  return each
}

describe('the log of programs', function () {
  this.timeout(60_000) // threads start here, on whatever machine this is
  after(() => engine[Symbol.asyncDispose]())

  it('that read side by side, write alone with an approval, catch a failure and fail', async () => {
    const each = conversation([
      [
        { text: 'I look at all three.' },
        program(
          'Read three files and write one',
          `const paths: string[] = ['a.ts', 'b.ts', 'c.ts']
const texts = await Promise.all(paths.map(path => tools.read_file({ path })))
print(texts.length, 'read')
try {
  await tools.write_file({ path: 'locked.ts' })
} catch (error) {
  print(error.code, error.message)
}
return { written: await tools.write_file({ path: 'a.ts' }) }`,
        ),
      ],
      [program('Go wrong', `print('so far')\n\nawait tools.erase({})`)],
      [{ text: 'Two of three.' }],
    ])
    await each.say('Look at all files')
    compare('code-program', each)
  })

  it('that present a plan, which is approved', async () => {
    const each = planning([[presenting], [{ text: 'I carry it out.' }]])
    await each.reviewed()
    await each.decide('approved')
    await each.agent.whenIdle()
    compare('code-plan-approve', each)
  })

  it('that present a plan again after feedback', async () => {
    const again = program(
      'Present until it is good',
      `try {
  await tools.exit_plan_mode({ plan: '# First' })
} catch (error) {
  await tools.exit_plan_mode({ plan: '# Second\\n\\n' + error.message.slice(0, 20) })
}`,
    )
    const each = planning([[again], [{ text: 'I carry it out.' }]])
    await each.reviewed()
    await each.decide('kept', 'Say why.')
    await each.reviewed()
    await each.decide('approved')
    await each.agent.whenIdle()
    compare('code-plan-keep', each)
  })

  it('that present a plan, which is dismissed', async () => {
    const each = planning([[presenting]])
    await each.reviewed()
    await each.decide('dismissed')
    await each.agent.whenIdle()
    compare('code-plan-dismiss', each)
  })

  it('that are stopped while a plan waits, and the verdict comes late', async () => {
    const each = planning([[presenting], [{ text: 'I carry it out.' }]])
    await each.reviewed()
    // The engine winds down in its own time; the clock of the log stands still meanwhile.
    each.runtime.clock.auto = false
    each.agent.cancel()
    await each.agent.whenIdle()
    await each.decide('approved')
    await each.agent.whenIdle()
    compare('code-plan-stop', each)
  })

  it('that a crash cuts while a plan waits', async () => {
    const before = planning([[presenting]])
    await before.reviewed()
    const { session } = before
    const each = conversation([[{ text: 'I carry it out.' }]], reopened(session))
    await before.agent.dispose()
    await each.decide('approved')
    await each.agent.whenIdle()
    assertInvariants(each.session)
    assertGolden('code-plan-crash', each.session)
  })
})
