import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PersistenceCoordinator } from '../../src/persistence/coordinator.ts'
import type { Encoding } from '../../src/persistence/jsonl/encoding.ts'
import { JsonlBackend } from '../../src/persistence/jsonl/jsonl-backend.ts'
import type { SessionPersistence } from '../../src/persistence/persistence.ts'
import { type PlanState, type PlanView, planProjection, planView } from '../../src/plan/projection.ts'
import { PlanModeError } from '../../src/session/errors.ts'
import type { SessionEvent } from '../../src/session/events.ts'
import { fold, type Projection } from '../../src/session/projections.ts'
import { Session } from '../../src/session/session.ts'
import { deriveMessages, surface } from '../../src/session/surface.ts'

/** What a log gives, in the words of the fixtures' expect files. Shared by the project's own logs and the real ones. */
export interface Opened {
  readonly events: number
  readonly repaired: readonly { readonly type: string; readonly code?: string }[]
  readonly planActive: unknown
  readonly planProjection: PlanView
  readonly planState: Pick<PlanState, 'active' | 'wanted' | 'running'>
  readonly derivedMessages: number
  readonly surfaceNodes: readonly number[]
  readonly storedDigest: string
  readonly derivedDigest: string
  readonly closers: readonly unknown[]
}

export function persistenceAt(root: string, encoding: Encoding = 'none'): SessionPersistence {
  return new PersistenceCoordinator(new JsonlBackend({ root, encoding }))
}

/** Runs `act` on a writable copy of a root; logs that are read in place are never changed. */
export async function onCopy<T>(root: string, act: (copy: string) => Promise<T>): Promise<T> {
  const copy = await mkdtemp(join(tmpdir(), 'plan-mode-logs-'))
  try {
    await cp(root, copy, { recursive: true })
    return await act(copy)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

export async function openInMemory(persistence: SessionPersistence, id: string): Promise<Opened> {
  const stored = await persistence.readFrom(id, 0)
  const { header, events, closers } = await persistence.inspect(id)
  const session = new Session(header, [...events])
  const derived = deriveMessages(session)
  const { selected, ...planState } = session.state(planProjection)
  return {
    events: session.length,
    repaired: closers.map(nameOf),
    planActive: fold(planActive, session.from()),
    planProjection: planView({ ...planState, selected }),
    planState,
    derivedMessages: derived.length,
    surfaceNodes: [...session.state(surface)],
    storedDigest: digest(stored),
    derivedDigest: digest(derived.map(blanked)),
    closers: closers.map(blanked),
  }
}

export function nameOf(event: SessionEvent): { type: string; code?: string } {
  const code = event.type === 'tool/result' ? event.data.error?.code : undefined
  return { type: event.type, ...(code === undefined ? {} : { code }) }
}

/** The code a promise is refused with; fails when it resolves. */
export async function refusal(act: () => Promise<unknown>): Promise<string> {
  try {
    await act()
  } catch (error) {
    assert.ok(error instanceof PlanModeError, `not an error of ours: ${String(error)}`)
    return error.code
  }
  assert.fail('it was not refused')
}

/** What `load` does to the file of a copied root. */
export async function loadOnCopy(root: string, id: string, file: string, encoding: Encoding) {
  return onCopy(root, async copy => {
    const before = await readFile(join(copy, file))
    const persistence = persistenceAt(copy, encoding)
    try {
      const { events } = await persistence.load(id)
      const after = await readFile(join(copy, file))
      const again = await persistence.inspect(id)
      assert.deepEqual(again.events, events, 'the repaired log reads back to what load gave')
      assert.equal(again.closers.length, 0, 'the repaired log owes nothing')
      return { events: events.length, before, after }
    } finally {
      await persistence.dispose()
    }
  })
}

const planActive: Projection<unknown> = {
  key: 'test/plan-active',
  version: 1,
  initial: false,
  apply: (state, event) => (event.type === 'plan/mode' ? event.data.active : state),
}

/** The texts of results that recovery made up are every program's own. */
function blanked(value: unknown): unknown {
  const text = JSON.stringify(value)
  if (!text.includes('"interrupted-tool-result-')) return value
  return JSON.parse(text, (key, member) => (key === 'text' && typeof member === 'string' ? '' : member))
}

export function digest(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex')
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`
}
