import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Session } from '../../src/session/session.ts'

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const commandId = /cmd-[0-9a-f]{8}-/g

/**
 * Compares a whole log with `test/golden/<name>.jsonl`: the header, then one event per line, with ids numbered in order
 * of appearance and times counted from the first. With `UPDATE_GOLDEN=1` in the environment the file is written instead.
 */
export function assertGolden(name: string, session: Session): void {
  assertGoldenText(`${name}.jsonl`, goldenText(session))
}

/** Compares a text with `test/golden/<file>`, as `assertGolden` does. */
export function assertGoldenText(file: string, actual: string): void {
  const path = fileURLToPath(new URL(`../golden/${file}`, import.meta.url))
  if (process.env.UPDATE_GOLDEN === '1') {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, actual)
    return
  }
  assert.equal(actual, readFileSync(path, 'utf8'), `It differs from ${path}; UPDATE_GOLDEN=1 rewrites it.`)
}

export function goldenText(session: Session): string {
  const first = session.length === 0 ? 0 : session.at(0).time
  const events = [...session.from(0)].map(event => ({ ...event, time: event.time - first }))
  const header = { ...session.header, createdAt: 0 }
  const lines = [header, ...events].map(line => JSON.stringify(line))
  return normalised(`${lines.join('\n')}\n`)
}

/** Ids that are random become `id-1`, `id-2` and so on, the same id always the same number. */
export function normalised(text: string): string {
  const names = new Map<string, string>()
  const numbered = text.replace(uuid, id => {
    const known = names.get(id) ?? `id-${names.size + 1}`
    names.set(id, known)
    return known
  })
  return numbered.replace(commandId, 'cmd-')
}
