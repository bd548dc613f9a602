// This project's own store, over each of its backends.

import type { Agent } from '../../src/agent/agent.ts'
import { PersistenceCoordinator } from '../../src/persistence/coordinator.ts'
import { SessionStore } from '../../src/persistence/store.ts'
import type { PlanModeController } from '../../src/plan/controller.ts'
import { installPlanMode } from '../../src/plan/plan-mode.ts'
import { planProjection } from '../../src/plan/projection.ts'
import { deepFreeze } from '../../src/session/json.ts'
import type { Session } from '../../src/session/session.ts'
import { testRuntime } from '../support/runtime.ts'
import type { Contender } from './contender.ts'
import { benchHeader, CWD, ID } from './logs.ts'
import { backendAt, type Store } from './store.ts'
import { ourAgent } from './streaming-agents.ts'
import { chunks } from './workload.ts'

export const ours: Contender = {
  open: async ({ root, store }) => {
    const persistence = await at(root, store)
    return {
      run: async () => (await persistence.prepare(ID)).session.length,
      end: () => persistence.dispose(),
    }
  },

  plan: async ({ root, store }) => {
    const persistence = await at(root, store)
    return {
      run: async () => Number((await persistence.prepare(ID)).session.state(planProjection).active),
      end: () => persistence.dispose(),
    }
  },

  tail: async ({ root, store, events }, count) => {
    const persistence = await at(root, store)
    return {
      run: async () => (await persistence.readFrom(ID, events - count)).length,
      end: () => persistence.dispose(),
    }
  },

  get: async ({ root, store }) => {
    const persistence = await at(root, store)
    const { session } = await persistence.prepare(ID)
    const { agent, controller } = planning(session)
    const calls = 20_000
    return {
      calls,
      run: async () => {
        let active = 0
        for (let call = 0; call < calls; call++) active += Number(controller.get(agent).active)
        return active / calls
      },
      end: () => persistence.dispose(),
    }
  },

  boundary: async ({ root, store }) => {
    const persistence = await at(root, store)
    const { session } = await persistence.prepare(ID)
    const { agent, controller } = planning(session)
    session.append('turn/start', { turn: 1_000_000 })
    // Folds what lies before, as the first look of a window does.
    controller.commit({ agent })
    const calls = 500
    return {
      calls,
      run: async () => {
        for (let call = 0; call < calls; call++) {
          controller.set(agent, !controller.get(agent).active)
          controller.commit({ agent })
        }
        return session.length
      },
      end: () => persistence.dispose(),
    }
  },

  tokens: async (root, tokens) => {
    const persistence = await at(root, 'none')
    const store = new SessionStore({ root, persistence, cwd: CWD })
    return {
      calls: tokens,
      run: async () => {
        const open = await store.create()
        for (const chunk of chunks(tokens)) open.session.append('assistant/chunk', chunk)
        await open.flush()
        return open.session.length
      },
      end: () => store.dispose(),
    }
  },

  streamed: ourAgent,

  list: async (root, store) => {
    const persistence = await at(root, store)
    return {
      run: async () => (await persistence.list()).sessions.length,
      end: () => persistence.dispose(),
    }
  },

  append: async (root, store, batches) => {
    const persistence = await at(root, store)
    await persistence.create(benchHeader(ID))
    // Events come frozen from a session, which has checked them by then.
    const left = batches.map(batch => deepFreeze(structuredClone(batch)))
    return {
      run: async () => {
        const batch = left.shift() ?? []
        await persistence.append(ID, batch)
        return batch.length
      },
      end: () => persistence.dispose(),
    }
  },
}

/** Plan mode over a session. Of its agent it reads the session and the runtime only. */
function planning(session: Session): { readonly agent: Agent; readonly controller: PlanModeController } {
  const runtime = testRuntime()
  const { controller } = installPlanMode(runtime, () => ({ section: 'Plan first.' }))
  return { agent: { session, runtime } as unknown as Agent, controller }
}

async function at(root: string, store: Store): Promise<PersistenceCoordinator> {
  return new PersistenceCoordinator(await backendAt(root, store))
}
