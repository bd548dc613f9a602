import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { exploreTool } from '../../../src/agent/children/explore-tool.ts'
import type { ExplorerHost, ExplorerLimits } from '../../../src/agent/children/explorer-host.ts'
import { openAgent } from '../../../src/agent/live/live-agent.ts'
import type { Tool } from '../../../src/agent/tool.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import type { Session } from '../../../src/session/session.ts'
import { memorySession, testRuntime } from '../../support/runtime.ts'
import { type Act, modelsOf, type Reply, ScriptedModel } from '../../support/scripted-model.ts'
import { testTool } from '../../support/test-tool.ts'

/** Plays one script for the parent and another for its explorers, told apart by their system text. */
class FamilyModel extends ScriptedModel {
  readonly explorer: ScriptedModel

  constructor(parent: readonly Reply[], explorer: readonly Reply[]) {
    super(parent)
    this.explorer = new ScriptedModel(explorer)
  }

  override doStream(request: LanguageModelV4CallOptions) {
    return isExplorer(request) ? this.explorer.doStream(request) : super.doStream(request)
  }
}

function isExplorer({ prompt }: LanguageModelV4CallOptions): boolean {
  return prompt.some(({ role, content }) => role === 'system' && content.startsWith('You are an explorer'))
}

/** The texts of a request's user messages: an explorer's first one is its task. */
export function userTexts({ prompt }: Pick<LanguageModelV4CallOptions, 'prompt'>): string[] {
  return prompt.flatMap(({ role, content }) =>
    role === 'user' ? content.flatMap(part => (part.type === 'text' ? [part.text] : [])) : [],
  )
}

export const LIMITS: ExplorerLimits = { steps: 3, ms: 60_000, report: 200, atOnce: 2, depth: 1 }

export interface FamilyOptions {
  readonly parent: readonly Reply[]
  readonly explorer?: readonly Reply[]
  readonly tools?: readonly Tool[]
  readonly limits?: Partial<ExplorerLimits>
  readonly create?: ExplorerHost['create']
}

/** A parent that can explore, in memory: real loop, real tool; scripted are the models. */
export class Family {
  readonly model: FamilyModel
  readonly runtime: ReturnType<typeof testRuntime>
  readonly session: Session
  readonly agent: ReturnType<typeof openAgent>
  /** The sessions of the children, in the order in which they were made, and those that were closed. */
  readonly children: Session[] = []
  readonly closed: Session[] = []

  constructor({ parent, explorer = [], tools, limits, create }: FamilyOptions) {
    this.model = new FamilyModel(parent, explorer)
    this.runtime = testRuntime(this.model, { models: modelsOf(this.model) })
    this.runtime.clock.auto = false
    this.session = memorySession({ cwd: '/work' }, this.runtime.now)
    const host: ExplorerHost = {
      tools: tools ?? [testTool('read_file', undefined, { parallel: true }) as unknown as Tool],
      sections: [{ name: 'where', order: 20, render: () => 'The folder is "work".' }],
      create: create ?? (async header => this.#create(header)),
    }
    this.runtime.tools.register(exploreTool(host, { ...LIMITS, ...limits }))
    this.agent = openAgent(this.session, this.runtime)
  }

  async say(text: string): Promise<void> {
    this.agent.prompt(newUserMessage(text))
    await this.agent.whenIdle()
  }

  get child(): Session {
    const [child] = this.children
    if (child === undefined) throw new Error('No explorer was sent out.')
    return child
  }

  #create(header: Parameters<ExplorerHost['create']>[0]) {
    const session = memorySession({ ...header, id: crypto.randomUUID() }, this.runtime.now)
    this.children.push(session)
    return { session, close: async () => void this.closed.push(session) }
  }
}

export function explore(task: string, label?: string, id?: string): Act {
  return {
    call: 'explore',
    args: { task, ...(label === undefined ? {} : { label }) },
    ...(id === undefined ? {} : { id }),
  }
}
