import type { SessionEvent } from '../events.ts'
import type { SessionHeader } from '../header.ts'
import type { Session } from '../session.ts'
import { turnBoundary } from '../turns.ts'
import { access } from './access.ts'
import { approvals } from './approvals.ts'
import { codeDispatch } from './code-dispatch.ts'
import { commands } from './commands.ts'
import { compaction } from './compaction.ts'
import { hooks } from './hooks.ts'
import { inboxLists } from './inbox.ts'
import type { Check, Invariant, Violation } from './invariant.ts'
import { log } from './log.ts'
import { plan } from './plan.ts'
import { requests } from './requests.ts'
import { retries } from './retries.ts'
import { titles } from './titles.ts'
import { todoList } from './todo.ts'
import { tools } from './tools.ts'
import { turns } from './turns.ts'

const all: readonly Invariant[] = [
  log,
  turns,
  tools,
  codeDispatch,
  requests,
  inboxLists,
  plan,
  commands,
  approvals,
  compaction,
  retries,
  hooks,
  titles,
  todoList,
  access,
]

export type { Violation }

/** The rules of the log (session-log format, section 17) over one log, event by event as it grows. */
export class LogChecker {
  /** For events of every type, and for those of one. */
  readonly #always: Check[] = []
  readonly #byType = new Map<string, Check[]>()
  #at = turnBoundary.initial

  constructor(header: SessionHeader) {
    for (const { types, begin } of all) {
      const check = begin(header)
      if (types === undefined) this.#always.push(check)
      for (const type of types ?? []) this.#byType.set(type, [...(this.#byType.get(type) ?? []), check])
    }
  }

  /** What the next event breaks. Never throws. */
  take(event: SessionEvent): readonly Violation[] {
    const violations: Violation[] = []
    for (const checks of [this.#always, this.#byType.get(event.type) ?? []]) {
      for (const check of checks) {
        for (const [rule, what] of check(event, this.#at)) {
          violations.push({ seq: event.seq, rule, message: `event ${event.seq} (${event.type}): ${what}` })
        }
      }
    }
    this.#at = turnBoundary.apply(this.#at, event)
    return violations
  }
}

/** What a log breaks, in one pass over it. */
export function* violationsOf(header: SessionHeader, events: Iterable<SessionEvent>): Generator<Violation, void> {
  const checker = new LogChecker(header)
  for (const event of events) yield* checker.take(event)
}

/** Reports what a session breaks: first of what it holds, then at every append. `report` may throw; nobody is hurt. */
export function observeInvariants(session: Session, report: (violation: Violation) => void): Disposable {
  const checker = new LogChecker(session.header)
  for (const event of session.from()) for (const violation of checker.take(event)) report(violation)
  return session.observe(event => {
    for (const violation of checker.take(event)) report(violation)
  })
}
