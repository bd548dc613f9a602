// A workspace on disk, a scripted human and a way to call the tools as the loop does.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Agent } from '../../../src/agent/agent.ts'
import type { ApprovalOutcome, ApprovalRequest, Approvals } from '../../../src/agent/approvals.ts'
import type { InnerCalls, ToolCall, ToolOutcome } from '../../../src/agent/tool.ts'
import type { ApprovalPolicy } from '../../../src/session/events.ts'
import { type WorkspaceToolsOptions, workspaceTools } from '../../../src/tools/workspace-tools.ts'

export class Fixture implements AsyncDisposable {
  readonly folder: string
  readonly root: string
  readonly logRoot: string
  readonly asked: ApprovalRequest[] = []
  readonly abort = new AbortController()
  policy: ApprovalPolicy = 'ask'
  /** What the human does when asked. */
  answer: (request: ApprovalRequest) => ApprovalOutcome | Promise<ApprovalOutcome> = () => 'allowed-once'

  private constructor(folder: string) {
    this.folder = folder
    this.root = join(folder, 'workspace')
    this.logRoot = join(this.root, '.plan-mode', 'sessions')
  }

  static async create(files: Record<string, string | Uint8Array> = {}): Promise<Fixture> {
    const fixture = new Fixture(await realpath(await mkdtemp(join(tmpdir(), 'plan-mode-tools-'))))
    await mkdir(fixture.logRoot, { recursive: true })
    for (const [path, content] of Object.entries(files)) await fixture.put(path, content)
    return fixture
  }

  async put(path: string, content: string | Uint8Array): Promise<void> {
    const real = join(this.root, path)
    await mkdir(dirname(real), { recursive: true })
    await writeFile(real, content)
  }

  async run(name: string, args: object, options: Partial<WorkspaceToolsOptions> = {}): Promise<ToolOutcome> {
    const tools = workspaceTools({
      root: this.root,
      forbidden: [this.logRoot],
      approvals: this.#approvals(),
      ...options,
    })
    const tool = tools.find(tool => tool.name === name)
    if (tool === undefined) throw new Error(`There is no tool ${name}.`)
    return await tool.run(tool.parameters.parse(args), this.#call())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }

  #approvals(): Approvals {
    const { policy, asked } = this
    return {
      policyOf: () => policy,
      ask: async request => {
        asked.push(request)
        return policy === 'never' ? 'rejected' : await this.answer(request)
      },
    }
  }

  #call(): ToolCall {
    return { agent: untouchable, callId: 'call-1', turn: 1, step: 1, signal: this.abort.signal, inner: noInnerCalls }
  }
}

const noInnerCalls: InnerCalls = {
  names: [],
  call: () => {
    throw new Error('A workspace tool called another tool.')
  },
  drain: async () => {},
}

/** Any use of the agent fails the test: the workspace tools must not read its state. */
const untouchable = new Proxy(Object.create(null) as Agent, {
  get: (_, key) => {
    throw new Error(`A workspace tool read agent.${String(key)}.`)
  },
})

export function codeOf(outcome: ToolOutcome): string | undefined {
  return outcome.kind === 'failure' ? (outcome.error?.code ?? 'no code') : undefined
}
