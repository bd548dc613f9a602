import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionEvent } from '../../../src/session/events.ts'
import { type NewSession, newHeader, type SessionHeader } from '../../../src/session/header.ts'

/** A folder of its own for each test of the enclosing suite. */
export function useFolder(): () => string {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plan-mode-store-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))
  return () => folder
}

export function header(given: NewSession = {}): SessionHeader {
  return newHeader({ id: 's', cwd: '/home/dev/demo', createdAt: 1, ...given }, () => 1)
}

/** Small valid events without a turn: `plan/mode` in turns on and off. */
export function modes(from: number, to: number): SessionEvent[] {
  return Array.from({ length: to - from }, (_, k) => mode(from + k))
}

export function mode(seq: number): SessionEvent<'plan/mode'> {
  return { type: 'plan/mode', seq, time: 1000 + seq, data: { active: seq % 2 === 0 } }
}
