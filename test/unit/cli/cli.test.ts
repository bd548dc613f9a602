import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { persistenceOf, type RootForm } from '../../../src/persistence/root-form.ts'
import { SessionStore } from '../../../src/persistence/store.ts'
import { newHeader } from '../../../src/session/header.ts'
import { PLAN, run, scratch, writeSession } from './root.ts'

describe('the command line', () => {
  for (const [line, problem] of [
    ['log', /Say what to do/],
    ['log paint x', /Unknown command "log paint"/],
    ['paint', /Unknown command "paint"/],
    ['log list', /takes a root/],
    ['log list a b', /takes a root/],
    ['log verify a b c', /at most one session id/],
    ['log show a --invariants', /goes with log verify/],
    ['log convert a', /two roots/],
    ['log list a --backend oracle', /--backend is jsonl or sqlite/],
    ['log list a --colour', /colour/],
    ['log list /nowhere/at/all', /There is no folder/],
  ] as const) {
    it(`refuses "${line}" as wrong use and says what to do`, async () => {
      const { code, out, err } = await run(...line.split(' '))
      assert.equal(code, 2)
      assert.equal(out, '')
      assert.match(err, problem)
    })
  }

  it('explains itself', async () => {
    assert.match((await run('--help')).out, /log convert FROM TO/)
    assert.equal((await run()).code, 0)
  })

  it('lists good logs beside bad ones', () =>
    scratch(async root => {
      await writeSession(root, 'good')
      await mkdir(join(root, '--x--', 'bad'), { recursive: true })
      await writeFile(join(root, '--x--', 'bad', 'session.jsonl'), 'not a header\n')
      const { code, out } = await run('log', 'list', root)
      assert.equal(code, 1)
      assert.match(out, /^bad {2}--x--\/bad\/session\.jsonl {2}.*damaged/m)
      assert.match(out, /^good {2}/m)
      const listed: unknown = JSON.parse((await run('log', 'list', root, '--json')).out)
      assert.ok(typeof listed === 'object' && listed !== null && 'sessions' in listed && Array.isArray(listed.sessions))
      assert.deepEqual(listed.sessions.map(({ id, problem }) => [id, problem?.code ?? null]).sort(), [
        ['bad', 'CORRUPT'],
        ['good', null],
      ])
    }))

  it('shows a transcript with the crash it owes', () =>
    scratch(async root => {
      await writeSession(root, 'one')
      const { code, out } = await run('log', 'show', root, 'one')
      assert.equal(code, 0)
      for (const part of [
        'User: Limit the rate',
        '* plan mode on',
        '* review kept: Name the files.',
        '* interrupted',
      ]) {
        assert.ok(out.includes(part), part)
      }
      assert.equal((await run('log', 'show', root, 'two')).code, 1)
      assert.match((await run('log', 'show', root, 'two')).err, /no session "two"/)
    }))

  it('exports plans with their decisions, as Markdown and as JSON', () =>
    scratch(async root => {
      await writeSession(root, 'one')
      const { out } = await run('log', 'export', root)
      assert.ok(out.includes(PLAN))
      assert.match(out, /Presented .*, kept /)
      assert.match(out, /^> Name the files\.$/m)
      const exported: unknown = JSON.parse((await run('log', 'export', root, '--json')).out)
      assert.ok(
        typeof exported === 'object' && exported !== null && 'plans' in exported && Array.isArray(exported.plans),
      )
      assert.deepEqual(
        exported.plans.map(({ revision, title, plan, decision, feedback }) => [
          revision,
          title,
          plan,
          decision,
          feedback,
        ]),
        [[1, 'Limit the rate', PLAN, 'kept', 'Name the files.']],
      )
    }))

  it('writes nothing but with convert', () =>
    scratch(async root => {
      await writeSession(root, 'one')
      const before = await snapshot(root)
      for (const verb of ['list', 'show', 'verify', 'export']) await run('log', verb, root)
      assert.deepEqual(await snapshot(root), before)
    }))
})

describe('log verify --invariants', () => {
  it('tells each broken rule beside what it tells else, and fails for it', () =>
    scratch(async root => {
      await writeSession(root, 'good')
      await writeSession(root, 'odd', session => session.append('turn/start', { turn: 7 }))
      const plain = await run('log', 'verify', root, '--json')
      assert.equal(plain.code, 0)
      const { code, out } = await run('log', 'verify', root, '--invariants', '--json')
      assert.equal(code, 1)
      const { sessions, ...rest } = JSON.parse(out) as { sessions: { id: string; invariants: unknown }[] }
      const message = 'event 12 (turn/start): turn 1 is open'
      assert.deepEqual(
        sessions.map(({ id, invariants }) => [id, invariants]),
        [
          ['good', []],
          ['odd', [{ seq: 12, rule: 'turns/start', message }]],
        ],
      )
      const without = sessions.map(({ invariants: _, ...session }) => session)
      assert.deepEqual({ ...rest, sessions: without }, JSON.parse(plain.out))
      const words = await run('log', 'verify', root, 'odd', '--invariants')
      assert.equal(words.code, 1)
      assert.ok(words.out.includes(`  turns/start: ${message}\n`), words.out)
      assert.equal((await run('log', 'verify', root, 'good', '--invariants')).code, 0)
    }))

  it('says nothing of the rules of a log that does not open', () =>
    scratch(async root => {
      await mkdir(join(root, '--x--', 'bad'), { recursive: true })
      await writeFile(join(root, '--x--', 'bad', 'session.jsonl'), 'not a header\n')
      const { code, out } = await run('log', 'verify', root, '--invariants', '--json')
      assert.equal(code, 1)
      assert.deepEqual((JSON.parse(out) as { sessions: { invariants: unknown }[] }).sessions[0]?.invariants, [])
    }))
})

describe('log convert', () => {
  const forms: readonly RootForm[] = [
    { backend: 'jsonl', compression: 'none' },
    { backend: 'jsonl', compression: 'zstd' },
    { backend: 'sqlite', compression: 'none' },
  ]

  it('carries a session that holds its header alone', () =>
    scratch(async folder => {
      const header = newHeader({ id: 'bare', cwd: '/work space/demo', createdAt: 5 }, () => 0)
      let root = join(folder, '0')
      await mkdir(join(root, '--work~0020space-demo--', 'bare'), { recursive: true })
      await writeFile(join(root, '--work~0020space-demo--', 'bare', 'session.jsonl'), `${JSON.stringify(header)}\n`)
      for (const [k, to] of [...forms.slice(1), ...forms.slice(0, 1)].entries()) {
        const next = join(folder, String(k + 1))
        const form = ['--to-backend', to.backend, '--to-compression', to.compression]
        const { code, out } = await run('log', 'convert', root, next, ...form)
        assert.equal(code, 0, out)
        root = next
        const persistence = persistenceOf(root, to)
        assert.deepEqual(await persistence.inspect('bare'), { header, events: [], closers: [] })
        await persistence.dispose()
      }
    }))

  it('carries every event through every form and back', () =>
    scratch(async folder => {
      const first = join(folder, '0')
      await writeSession(first, 'one')
      await writeSession(first, 'two')
      const events = await eventsOf(first, { backend: 'jsonl', compression: 'none' })
      let root = first
      for (const [step, form] of [...forms.slice(1), ...forms].entries()) {
        const next = join(folder, `${step + 1}`)
        const flags = [`--to-backend=${form.backend}`, `--to-compression=${form.compression}`]
        const { code, out } = await run('log', 'convert', root, next, ...flags)
        assert.equal(code, 0, out)
        assert.match(out, /^2 copied and read back, 0 left$/m)
        assert.deepEqual(await eventsOf(next, form), events)
        root = next
      }
      assert.deepEqual(await eventsOf(first, { backend: 'jsonl', compression: 'none' }), events)
    }))

  it('converts a root where it is, and keeps the old one beside it', () =>
    scratch(async folder => {
      const root = join(folder, 'sessions')
      await writeSession(root, 'one')
      const before = await eventsOf(root, { backend: 'jsonl', compression: 'none' })
      const { code, out } = await run('log', 'convert', root, root, '--to-compression', 'zstd')
      assert.equal(code, 0)
      assert.deepEqual(await eventsOf(root, { backend: 'jsonl', compression: 'zstd' }), before)
      const backup = /kept as (.*)$/m.exec(out)?.[1] ?? ''
      assert.deepEqual(await eventsOf(backup, { backend: 'jsonl', compression: 'none' }), before)
      assert.equal((await readdir(folder)).length, 2)
    }))

  it('moves nothing while a log is bad or another window writes one', () =>
    scratch(async folder => {
      const root = join(folder, 'sessions')
      await writeSession(root, 'one')
      const store = new SessionStore({ root, cwd: '/work space/demo' })
      const open = await store.open('one')
      const before = await snapshot(root)
      const busy = await run('log', 'convert', root, root, '--to-backend', 'sqlite')
      assert.equal(busy.code, 1)
      assert.match(busy.out, /Another window is writing it/)
      assert.deepEqual(await snapshot(root), before)
      await open.dispose()
      await store.dispose()
      await mkdir(join(root, '--x--', 'bad'), { recursive: true })
      await writeFile(join(root, '--x--', 'bad', 'session.jsonl'), 'not a header\n')
      const bad = await run('log', 'convert', root, root, '--to-backend', 'sqlite')
      assert.equal(bad.code, 1)
      assert.match(bad.out, /left: .*bad.*damaged/)
      assert.deepEqual(await readdir(folder), ['sessions'])
    }))
})

async function eventsOf(root: string, form: RootForm): Promise<unknown> {
  const persistence = persistenceOf(root, form)
  try {
    const { sessions } = await persistence.list()
    const ids = sessions.map(({ header }) => header.id).sort()
    return await Promise.all(ids.map(async id => [id, await persistence.readFrom(id, 0)]))
  } finally {
    await persistence.dispose()
  }
}

async function snapshot(root: string): Promise<unknown> {
  const names = (await readdir(root, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())
  return Promise.all(
    names.map(async ({ parentPath, name }) => [
      join(parentPath, name),
      await readFile(join(parentPath, name), 'latin1'),
    ]),
  )
}
