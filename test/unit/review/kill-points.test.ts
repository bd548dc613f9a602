// A host that is killed while a person types and decides: what was kept at a pause is sent or unsent, once, and never lost.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { SessionStore } from '../../../src/persistence/store.ts'
import { DraftStore } from '../../../src/review/drafts/draft-store.ts'
import { ReviewWork } from '../../../src/review/review-work.ts'
import { eventsOf } from '../plan/fixture.ts'

/** 200 of them in `npm run test:long`. */
const KILLS = Number(process.env.REVIEW_KILLS ?? 12)
const SEED = Number(process.env.SEED ?? 5)

/** A small generator of its own: a seed names the moments of a run for good. */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

interface Said {
  /** The last pause that was on disk. */
  readonly round: number
  readonly pause: number
  /** The last decision that was durable. */
  readonly decided: number
}

describe('a review whose host is killed', function () {
  this.timeout(KILLS * 20_000)
  let all = ''
  let folder = ''
  beforeEach(async () => {
    all = await mkdtemp(join(tmpdir(), 'plan-mode-kill-'))
    folder = await mkdtemp(join(all, 'one-'))
  })
  afterEach(() => rm(all, { recursive: true, force: true }))

  function begin(point = ''): {
    readonly child: ChildProcess
    readonly lines: string[]
    heard(n: number): Promise<void>
  } {
    const file = join(import.meta.dirname, 'children', 'decide.ts')
    const child = spawn(process.execPath, [file, folder, point], { stdio: ['ignore', 'pipe', 'inherit'] })
    const lines: string[] = []
    let wake = () => {}
    assert.ok(child.stdout)
    createInterface({ input: child.stdout }).on('line', line => {
      lines.push(line)
      wake()
    })
    const heard = async (n: number) => {
      while (lines.length < n && child.exitCode === null && child.signalCode === null)
        await new Promise<void>(resolve => {
          wake = resolve
        })
    }
    return { child, lines, heard }
  }

  function saidIn(lines: readonly string[]): Said {
    const numbers = (what: string) =>
      lines
        .findLast(line => line.startsWith(what))
        ?.split(' ')
        .slice(1)
        .map(Number) ?? []
    const [round = 0, pause = 0] = numbers('kept')
    return { round, pause, decided: numbers('decided')[0] ?? 0 }
  }

  /** What the next life finds is whole, and sends on what was not sent. */
  async function assertWhole({ round, pause, decided }: Said): Promise<number> {
    const store = new SessionStore({ root: join(folder, 'sessions'), cwd: folder })
    const open = await store.open('s')
    const work = new ReviewWork(open.session, new DraftStore(join(folder, 'drafts')), error =>
      assert.fail(String(error)),
    )
    await work.loaded
    const sent = eventsOf(open.session, 'review/decided').map(({ data }) => data)
    assert.ok(sent.length >= decided, `${decided} decisions were durable, ${sent.length} are there`)
    for (const [index, { remarks = [], notes }] of sent.entries()) {
      assert.deepEqual([remarks.map(({ text }) => text), notes], [[`${index + 1}.3`], `notes ${index + 1}.3`])
    }
    const unsent = work.said()
    const [[of, at] = [0, 0], ...others] = unsent.remarks.map(
      ({ text }) => text.split('.').map(Number) as [number, number],
    )
    assert.deepEqual(others, [])
    const notes = /^notes (\d+)\.(\d+)$/.exec(unsent.notes ?? '')
    if (unsent.remarks.length > 0 && at > 0) assert.ok(of > sent.length, 'nothing that was sent is unsent')
    if (notes !== null) assert.ok(Number(notes[1]) > sent.length, 'nor are notes')
    if (round > sent.length) {
      assert.ok(of === round && at >= pause, `${round}.${pause} was kept, ${of}.${at} is there`)
      assert.ok(Number(notes?.[1]) === round && Number(notes?.[2]) >= pause, `and notes ${unsent.notes}`)
    }
    await work.flush()
    await store.dispose()
    return sent.length
  }

  it(`at one of ${KILLS} moments loses nothing but the last pause, and sends nothing twice`, async () => {
    const next = random(SEED)
    let kept = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, lines, heard } = begin()
      await heard(1 + Math.floor(next() * 14))
      // The moment between two things said is what is tested; nothing is awaited by it.
      await new Promise(resolve => setTimeout(resolve, next() * 8))
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
      const said = saidIn(lines)
      kept += said.round
      await assertWhole(said)
      folder = await mkdtemp(join(all, 'one-'))
    }
    assert.ok(kept >= KILLS, 'there was something to lose')
  })

  it('between marking a verdict and deciding it has everything unsent', async () => {
    const { child, lines } = begin('marked')
    await once(child, 'close')
    assert.equal(await assertWhole(saidIn(lines)), 0)
  })

  it('between the durable decision and forgetting what it took along has nothing unsent', async () => {
    const { child, lines } = begin('decided')
    await once(child, 'close')
    assert.equal(await assertWhole(saidIn(lines)), 1)
    const drafts = new DraftStore(join(folder, 'drafts'))
    const { remarks, notes } = await drafts.read('s')
    assert.deepEqual([remarks, notes], [[], ''], 'and says so on disk')
  })
})
