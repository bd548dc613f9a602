// A workspace with a log inside and secrets outside, and tools that must not reach either.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, Fixture } from './fixture.ts'

export const secret = 'TOP-SECRET-LINE'

/** Every tool on one path; a path-less search is covered by its own tests. */
const attempts = (path: string): [string, object][] => [
  ['read_file', { path }],
  ['list_files', { path }],
  ['write_file', { path, content: 'x' }],
  ['edit_file', { path, old_text: secret, new_text: 'x' }],
]

/** Calls every tool on one path and expects the same failure, nothing shown and nobody asked. */
export async function everyToolRefuses(fixture: Fixture, path: string, code: string): Promise<void> {
  for (const [name, args] of attempts(path)) {
    const outcome = await fixture.run(name, args)
    assert.equal(codeOf(outcome), code, `${name} ${path}: ${outcome.text}`)
    assert.doesNotMatch(outcome.text, new RegExp(secret))
  }
  assert.equal(fixture.asked.length, 0)
}

export async function confinedFixture(): Promise<Fixture> {
  const fixture = await Fixture.create({
    'src/a.ts': 'const a = 1\n',
    '.plan-mode/sessions/one/session.jsonl': `${secret}\n`,
  })
  await writeFile(join(fixture.folder, 'outside.txt'), `${secret}\n`)
  await mkdir(join(fixture.folder, 'elsewhere'))
  await writeFile(join(fixture.folder, 'elsewhere', 'inner.txt'), `${secret}\n`)
  return fixture
}
