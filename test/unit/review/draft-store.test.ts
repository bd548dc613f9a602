import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DraftStore } from '../../../src/review/drafts/draft-store.ts'
import { emptyDraft, type ReviewDraft } from '../../../src/review/drafts/review-draft.ts'
import { PlanModeError } from '../../../src/session/errors.ts'

/** More of them with DRAFT_KILLS=500. */
const KILLS = Number(process.env.DRAFT_KILLS ?? 12)

const typed = (at: number, notes = String(at)): ReviewDraft => ({ ...emptyDraft, at, notes })

describe('unsent remarks on disk', function () {
  this.timeout(KILLS * 10_000)
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plan-mode-drafts-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('are there again for another process, by session, and gone once they are sent', async () => {
    const store = new DraftStore(join(folder, 'deep', 'drafts'))
    const remark = { id: 'C1', kind: 'question' as const, anchor: null, text: 'Why?' }
    const draft = { ...typed(1), remarks: [{ on: 'r1', remark }], edited: { on: 'r1', text: '# Mine' } }
    await Promise.all([store.keep('a/../b', draft), store.keep('other', typed(2))])
    const again = new DraftStore(join(folder, 'deep', 'drafts'))
    assert.deepEqual(await again.read('a/../b'), draft)
    assert.deepEqual(await again.read('other'), typed(2))
    await again.keep('other', { ...emptyDraft, at: 3, notes: ' \n' })
    assert.deepEqual(await again.read('other'), emptyDraft)
    assert.equal((await readdir(join(folder, 'deep', 'drafts'))).length, 1)
  })

  it('are the last ones typed, however fast', async () => {
    const store = new DraftStore(folder)
    const kept = Array.from({ length: 50 }, (_, at) => store.keep('s', typed(at + 1)))
    assert.deepEqual(await store.read('s'), typed(50), 'also while it is written')
    await Promise.all(kept)
    assert.deepEqual(await new DraftStore(folder).read('s'), typed(50))
    assert.equal((await readdir(folder)).length, 1, 'nothing is left behind')
  })

  it('that cannot be read are named and left alone', async () => {
    const store = new DraftStore(folder)
    await store.keep('s', typed(1))
    const [name = ''] = await readdir(folder)
    await writeFile(join(folder, name), '{"version":2}')
    await assert.rejects(new DraftStore(folder).read('s'), (error: unknown) => {
      assert.ok(error instanceof PlanModeError && error.code === 'DRAFT_UNREADABLE')
      return error.message.includes(name)
    })
    assert.deepEqual(await readdir(folder), [name])
  })

  it('that cannot be written say so, and the words stay where they are typed', async () => {
    await writeFile(join(folder, 'file'), '')
    const store = new DraftStore(join(folder, 'file'))
    await assert.rejects(store.keep('s', typed(1)), { code: 'DRAFT_UNSAVED' })
    await rm(join(folder, 'file'))
    await store.keep('s', typed(2))
    assert.deepEqual(await store.read('s'), typed(2), 'and saving works again when the cause is gone')
  })

  it('survive a process that is killed at any moment: the last pause is there, or a later one, whole', async () => {
    let last = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const child = spawn(
        process.execPath,
        [join(import.meta.dirname, 'children', 'type.ts'), folder, String(last + 1)],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      )
      const said = await killSoon(child)
      const { at, notes } = await new DraftStore(folder).read('s')
      assert.ok(at >= said && at >= last, `${at} is there after ${said} was kept`)
      assert.equal(notes.length, `${at} `.length * (1 + ((at * 7919) % 4_000)))
      last = at
    }
    assert.ok(last > KILLS, `there was something to lose (${last})`)
    const old = new Date(Date.now() - 3_600_000)
    for (const name of await readdir(folder)) if (name.endsWith('.tmp')) await utimes(join(folder, name), old, old)
    await new DraftStore(folder).sweep()
    assert.equal((await readdir(folder)).length, 1, 'what the killed ones left is swept away')
  })
})

/** Kills a child at a random moment after it began to speak; resolves to the last number it said. */
async function killSoon(child: ChildProcess): Promise<number> {
  let output = ''
  const began = Promise.withResolvers<void>()
  child.stdout?.on('data', chunk => {
    output += String(chunk)
    began.resolve()
  })
  await began.promise
  // The random moment is what is tested; nothing is awaited by it.
  await new Promise(resolve => setTimeout(resolve, Math.random() * 30))
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
  return Number(output.split('\n').slice(0, -1).at(-1) ?? 0)
}
