// The logs of a window's conversations, read from disk as another program would read them.
import { join } from 'node:path'
import { SessionStore } from '../../src/persistence/store.ts'
import type { Session } from '../../src/session/session.ts'
import { typesOf } from '../support/reading.ts'
import type { Window } from './driver.ts'
import { until } from './until.ts'

/** The conversation that was begun last, or the one with this title. Undefined before anything of it is stored. */
export async function storedLog(window: Window, title?: string): Promise<Session | undefined> {
  const store = new SessionStore({ root: join(window.workspace, '.plan-mode', 'sessions') })
  try {
    const { sessions } = await store.list()
    const newest = [...sessions].sort((a, b) => b.header.createdAt - a.header.createdAt)
    for (const { header } of newest) {
      const described = await store.describe(header.id)
      if (title === undefined || described.title === title) return described.session
    }
    return undefined
  } finally {
    await store.dispose()
  }
}

/** Resolves with the log of the conversation begun last once it is as it should be. */
export function logWhere(window: Window, what: string, holds: (log: Session) => boolean): Promise<Session> {
  return until(`a log in which ${what}`, async () => {
    const log = await storedLog(window)
    return log !== undefined && holds(log) ? log : undefined
  })
}

/** The log of the conversation begun last, once its last turn has ended. */
export function endedLog(window: Window): Promise<Session> {
  return logWhere(window, 'the last turn has ended', log => {
    const types = typesOf(log)
    return types.includes('turn/end') && types.lastIndexOf('turn/end') > types.lastIndexOf('turn/start')
  })
}

/** Types of the events that tell the mode's history, with what they say. */
export function modeHistory(log: Session): string[] {
  return [...log.from(0)].flatMap(event => {
    switch (event.type) {
      case 'plan/mode':
        return [`mode ${event.data.active ? 'on' : 'off'}`]
      case 'plan/selected':
        return [`selected ${event.data.active ? 'on' : 'off'} by ${event.data.by}`]
      case 'review/presented':
        return ['presented']
      case 'review/decided':
        return [event.data.decision]
      default:
        return []
    }
  })
}
