import { installCode } from '../../../../src/agent/code/run-code.ts'
import type { ToolsMode } from '../../../../src/agent/tool.ts'
import { newUserMessage } from '../../../../src/session/messages.ts'
import { Session } from '../../../../src/session/session.ts'
import { assertInvariants } from '../../../support/invariants.ts'
import { eventsOf, resultsOf } from '../../../support/reading.ts'
import { testAgent } from '../../../support/runtime.ts'
import { ScriptedEngine, type ScriptedProgram } from '../../../support/scripted-engine.ts'
import type { Act, Reply } from '../../../support/scripted-model.ts'

export function program(code: string, id = 'run'): Act {
  return { call: 'run_code', id, args: { code, description: 'Looks around' } }
}

/** A turn whose first answer runs the program `main`. */
export function scene(
  main: ScriptedProgram,
  mode: ToolsMode = 'both',
  replies: readonly Reply[] = [[program('main')]],
) {
  const parts = testAgent([...replies], { toolsMode: () => mode })
  installCode(parts.runtime, new ScriptedEngine({ main }))
  const run = async () => {
    parts.agent.prompt(newUserMessage('go'))
    await parts.agent.whenIdle()
    assertInvariants(parts.session, { refusing: parts.session.append !== Session.prototype.append })
    return resultsOf(parts.session)
  }
  /** What the log says of inner calls, in order: "start 1 read", "end 1". */
  const dispatches = () =>
    [...parts.session.from()].flatMap(event => {
      if (event.type === 'tool/code-dispatch-start') return [`start ${event.data.subCallId} ${event.data.name}`]
      return event.type === 'tool/code-dispatch' ? [`end ${event.data.subCallId}`] : []
    })
  return {
    ...parts,
    run,
    dispatches,
    ended: () => eventsOf(parts.session, 'tool/code-dispatch').map(({ data }) => data),
  }
}
