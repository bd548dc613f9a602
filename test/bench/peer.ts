// The peer: the real program's packages, as test/peer installs them.

import type { PeerEncoding } from '../peer/packages.ts'
import { openPeer } from '../peer/peer.ts'
import type { Contender } from './contender.ts'
import { benchHeader, CWD, ID } from './logs.ts'
import type { Store } from './store.ts'
import { theirAgent } from './streaming-agents.ts'
import { chunks } from './workload.ts'

export const peer: Contender = {
  open: async ({ root, store }) => {
    const mounted = await openPeer({ root, encoding: encodingOf(store) })
    return {
      run: async () => (await mounted.persistence.prepare(ID)).session.events.length,
      end: () => mounted[Symbol.asyncDispose](),
    }
  },

  plan: async ({ root, store }) => {
    const mounted = await openPeer({ root, encoding: encodingOf(store) })
    return {
      run: async () => {
        const { session } = await mounted.persistence.prepare(ID)
        return Number(mounted.packages.foldPlanMode(session.events))
      },
      end: () => mounted[Symbol.asyncDispose](),
    }
  },

  tail: async ({ root, store, events }, count) => {
    const mounted = await openPeer({ root, encoding: encodingOf(store) })
    return {
      run: async () => (await mounted.persistence.readFrom(ID, events - count)).events.length,
      end: () => mounted[Symbol.asyncDispose](),
    }
  },

  get: async ({ root, store }) => {
    const mounted = await openPeer({ root, encoding: encodingOf(store) })
    const { session } = await mounted.persistence.prepare(ID)
    return {
      run: async () => Number(mounted.packages.foldPlanMode(session.events)),
      end: () => mounted[Symbol.asyncDispose](),
    }
  },

  tokens: async (root, tokens) => {
    const mounted = await openPeer({ root })
    return {
      calls: tokens,
      run: async () => {
        const session = mounted.sessions.create(crypto.randomUUID(), { meta: { cwd: CWD } })
        for (const chunk of chunks(tokens)) session.append('assistant/chunk', chunk)
        await mounted.sessions.flush(session)
        return session.events.length
      },
      end: () => mounted[Symbol.asyncDispose](),
    }
  },

  streamed: theirAgent,

  list: async (root, store) => {
    const mounted = await openPeer({ root, encoding: encodingOf(store) })
    return {
      run: async () => (await mounted.persistence.list()).length,
      end: () => mounted[Symbol.asyncDispose](),
    }
  },

  append: async (root, store, batches) => {
    const mounted = await openPeer({ root, encoding: encodingOf(store) })
    const { type: _, ...header } = benchHeader(ID)
    await mounted.persistence.create(header)
    const left = [...batches]
    return {
      run: async () => {
        const batch = left.shift() ?? []
        await mounted.persistence.append(ID, batch)
        return batch.length
      },
      end: () => mounted[Symbol.asyncDispose](),
    }
  },
}

/** Its database is not published in the form of this project's; it is measured on raw logs instead. */
function encodingOf(store: Store): PeerEncoding {
  return store === 'sqlite' ? 'none' : store
}
