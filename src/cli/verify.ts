import type { SessionInspection } from '../persistence/persistence.ts'
import { foldPlanMode, planProjection, planView, waitingSelection } from '../plan/projection.ts'
import type { StoredEvent } from '../session/envelope.ts'
import { messageOf, PlanModeError } from '../session/errors.ts'
import type { SessionHeader } from '../session/header.ts'
import { type Violation, violationsOf } from '../session/invariants/invariants.ts'
import { Session } from '../session/session.ts'
import { deriveMessages, surface } from '../session/surface.ts'
import { digest } from './canonical.ts'
import type { LogEntry, LogRoot } from './log-root.ts'

interface Refusal {
  readonly ok: false
  /** `FORMAT_UNSUPPORTED`, `CORRUPT` or `NOT_FOUND`. */
  readonly code: string
  readonly message: string
}

export interface Verification {
  readonly list: { readonly ids: readonly string[]; readonly problems: readonly { file: string; code: string }[] }
  readonly sessions: readonly SessionVerification[]
}

export interface SessionVerification {
  readonly id: string
  readonly file: string
  readonly header: Omit<SessionHeader, 'type'> | null
  readonly stored: { readonly ok: true; readonly events: number } | Refusal
  readonly open: Opened | Refusal
  /** Where it was asked for: what breaks the rules of the log; nothing of a log that does not open. */
  readonly invariants?: readonly Violation[]
}

type Opened = { readonly ok: true } & ReturnType<typeof describe>

/** Reads every log of a root, or the one of `id`, as the product would. Never writes. */
export async function verify(
  root: LogRoot,
  { id, invariants = false }: { readonly id?: string | undefined; readonly invariants?: boolean } = {},
): Promise<Verification> {
  const entries = (await root.entries()).filter(entry => id === undefined || entry.id === id)
  const sessions: SessionVerification[] = []
  for (const entry of entries) sessions.push(await verifyOne(entry, invariants))
  return {
    list: {
      ids: entries.flatMap(entry => (entry.problem === undefined ? [entry.id] : [])),
      problems: entries.flatMap(({ file, problem }) =>
        problem === undefined ? [] : [{ file, code: codeOf(problem) }],
      ),
    },
    sessions,
  }
}

export function isSound({ list, sessions }: Verification): boolean {
  return list.problems.length === 0 && sessions.every(({ open, invariants = [] }) => open.ok && invariants.length === 0)
}

async function verifyOne(
  { id, file, header, persistence }: LogEntry,
  invariants: boolean,
): Promise<SessionVerification> {
  const stored = await attempt(() => persistence.readFrom(id, 0))
  const inspected = await attempt(() => persistence.inspect(id))
  return {
    id,
    file,
    header: headerOf(header ?? (inspected.ok ? inspected.value.header : null)),
    stored: stored.ok ? { ok: true, events: stored.value.length } : stored,
    open:
      inspected.ok && stored.ok
        ? { ok: true, ...describe(inspected.value, stored.value) }
        : refusalOf(inspected, stored),
    ...(invariants ? { invariants: inspected.ok ? violationsIn(inspected.value) : [] } : {}),
  }
}

function violationsIn({ header, events }: SessionInspection): readonly Violation[] {
  return [...violationsOf(header, events)].map(({ seq, rule, message }) => ({ seq, rule, message }))
}

function describe({ header, events, closers }: SessionInspection, stored: readonly StoredEvent[]) {
  const session = new Session(header, [...events])
  const state = session.state(planProjection)
  const derived = deriveMessages(session)
  return {
    events: events.length,
    repaired: closers.map(({ type }) => ({ type })),
    planActive: foldPlanMode(session.from()),
    planProjection: planView(state),
    planState: { active: state.active, wanted: waitingSelection(state) ?? null, running: state.running },
    derivedMessages: derived.length,
    surfaceNodes: [...session.state(surface)],
    storedDigest: digest(stored),
    derivedDigest: digest(derived.map(withoutMadeUpText)),
  }
}

type Attempt<T> = { readonly ok: true; readonly value: T } | Refusal

async function attempt<T>(read: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await read() }
  } catch (error) {
    const code = error instanceof PlanModeError ? error.code : 'CORRUPT'
    return { ok: false, code: codeOf({ code }), message: messageOf(error) }
  }
}

function refusalOf(...attempts: readonly Attempt<unknown>[]): Refusal {
  for (const each of attempts) if (!each.ok) return each
  throw new PlanModeError('UNREACHABLE', 'Nothing was refused.')
}

/** What is left out of a listing is damaged, unless it is intact but foreign. */
function codeOf({ code }: { readonly code: string }): string {
  return code === 'FORMAT_UNSUPPORTED' || code === 'NOT_FOUND' ? code : 'CORRUPT'
}

function headerOf(header: SessionHeader | null): Omit<SessionHeader, 'type'> | null {
  if (header === null) return null
  const { type: _type, ...rest } = header
  return rest
}

/** The texts of results that recovery made up are every program's own, so a digest leaves them out. */
function withoutMadeUpText(message: { readonly id: string }): unknown {
  if (!message.id.startsWith('interrupted-tool-result-')) return message
  return JSON.parse(JSON.stringify(message), (key, member) =>
    key === 'text' && typeof member === 'string' ? '' : member,
  )
}
