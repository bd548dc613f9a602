// An agent that is told so many tokens: this project's, and the published packages'. Only what is measured is loaded.
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Act } from './contender.ts'
import { CWD } from './logs.ts'
import { tokenTexts } from './workload.ts'

/** Turns of this project's agent, each in a conversation of its own. */
export async function ourAgent(root: string, tokens: number): Promise<Act> {
  const [{ openAgent }, { installPlanMode }, { newUserMessage }, { SessionStore }, { testRuntime }] = await Promise.all(
    [
      import('../../src/agent/live/live-agent.ts'),
      import('../../src/plan/plan-mode.ts'),
      import('../../src/session/messages.ts'),
      import('../../src/persistence/store.ts'),
      import('../support/runtime.ts'),
    ],
  )
  const store = new SessionStore({ root, cwd: CWD })
  const model = told(tokens)
  const route = { provider: model.provider, model: model.modelId, languageModel: model }
  return {
    calls: tokens,
    run: async () => {
      const open = await store.create()
      const runtime = testRuntime(undefined, { models: { choose: async () => route } })
      runtime.onFlush = () => open.flush()
      installPlanMode(runtime, () => ({ section: 'Plan first.' }))
      const agent = openAgent(open.session, runtime)
      agent.prompt(newUserMessage('Tell me'))
      await agent.whenIdle()
      await agent.dispose()
      return open.session.length
    },
    end: () => store.dispose(),
  }
}

/** A model over the provider interface that gives each token when it is asked for. */
function told(tokens: number): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'model-a',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('It only streams.')),
    async doStream() {
      const parts = partsOf(tokens)
      const pull = (controller: ReadableStreamDefaultController<LanguageModelV4StreamPart>) => {
        const { done, value } = parts.next()
        if (done) controller.close()
        else controller.enqueue(value)
      }
      return { stream: new ReadableStream<LanguageModelV4StreamPart>({ pull }, { highWaterMark: 0 }) }
    },
  }
}

function* partsOf(tokens: number): Generator<LanguageModelV4StreamPart, void> {
  yield { type: 'text-start', id: '0' }
  for (const delta of tokenTexts(tokens)) yield { type: 'text-delta', id: '0', delta }
  yield { type: 'text-end', id: '0' }
  const inputTokens = { total: 20, noCache: 20, cacheRead: undefined, cacheWrite: undefined }
  const outputTokens = { total: 10, text: 10, reasoning: undefined }
  yield { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: { inputTokens, outputTokens } }
}

/** The same of the published packages, whose agent loop has a model interface of its own. */
export async function theirAgent(root: string, tokens: number): Promise<Act> {
  const { composed } = await import('../peer/differential/theirs.ts')
  const { context, llm } = await composed(root)
  class Scripted extends llm.LlmAdapter {
    async *stream() {
      yield* chunksOf(tokens)
    }
  }
  context.llm.registerAdapter(['scripted'], new Scripted())
  return {
    calls: tokens,
    run: async () => {
      const idle = Promise.withResolvers<void>()
      const agent = context.agentLoop.create(
        crypto.randomUUID(),
        { provider: 'scripted', model: 'model-a' },
        { cwd: CWD },
      )
      const listening = context.on('agent/status', () => {
        if (agent.status === 'idle') idle.resolve()
      })
      const content = [{ type: 'text', text: 'Tell me' }]
      agent.followup(llm.createUserMessage({ content, source: { kind: 'user' } }))
      await idle.promise
      await context.sessions.flush(agent.session)
      listening()
      return agent.session.events.length
    },
    end: () => context.fiber.dispose(),
  }
}

function* chunksOf(tokens: number) {
  yield { type: 'block-start', index: 0, blockType: 'text' }
  let whole = ''
  for (const text of tokenTexts(tokens)) {
    whole += text
    yield { type: 'text-delta', index: 0, text }
  }
  yield { type: 'block-end', index: 0, block: { type: 'text', text: whole } }
  yield { type: 'usage', usage: { inputTokens: 20, outputTokens: 10 } }
  yield { type: 'finish', reason: { kind: 'stop' } }
}
