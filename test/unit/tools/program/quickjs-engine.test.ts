import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BridgeAnswer, ProgramEnd } from '../../../../src/agent/code/engine.ts'
import type { EnginePatience } from '../../../../src/tools/program/quickjs-engine.ts'
import { engineFiles } from '../../../support/engine-files.ts'
import { gate } from '../../../support/test-tool.ts'
import { TestEngine } from './engine.ts'

const broken: ProgramEnd = { kind: 'failed', output: '', problem: 'the engine could not run it' }
const late: ProgramEnd = { kind: 'failed', output: '', problem: 'it computed longer than 0.1 seconds' }

describe('the engine of programs', function () {
  this.timeout(60_000) // threads start here, on whatever machine this is
  const test = new TestEngine()
  after(() => test[Symbol.asyncDispose]())

  it('strips the types of TypeScript and keeps its lines', async () => {
    const code = `type Size = { of: number }
enum Kind { Small = 1, Large }
const sizes: Size[] = [{ of: Kind.Large }, { of: 3 } satisfies Size]
const sum = <T extends Size>(all: readonly T[]): number => all.reduce((total, each) => total + each.of!, 0)
print('sum', sum(sizes as Size[]), { a: [1] }, undefined, null, new TypeError('odd'))
console.log(\`\${await tools.echo({ ok: true })}\`)
return { sum: sum(sizes) }`
    assert.deepEqual(await test.run(code), {
      kind: 'returned',
      output: 'sum 5 {"a":[1]} undefined null TypeError: odd\n{"ok":true}',
      value: '{"sum":5}',
    })
    const failing = await test.run('const a: number = 1\n\ninterface B {\n  c: string\n}\nnowhere(a)')
    assert.deepEqual(failing, {
      kind: 'failed',
      output: '',
      problem: "ReferenceError: 'nowhere' is not defined",
      line: 6,
    })
    const wrong = await test.run('const a = 1\nconst b = ]\n')
    assert.deepEqual(wrong, { kind: 'failed', output: '', problem: 'SyntaxError: Unexpected token', line: 2 })
  })

  it('says in which line a failed call was made', async () => {
    const end = await test.run('print("a")\nconst path = 1\nawait tools.absent({ path })')
    const problem = 'Error (UNKNOWN_TOOL): There is no tool named "absent".'
    assert.deepEqual(end, { kind: 'failed', output: 'a', problem, line: 3 })
  })

  it('gives every program a context of its own', async () => {
    await test.run('globalThis.left = 1; Object.prototype.left = 2; tools.left = 3')
    assert.deepEqual(await test.run('return [typeof left, ({}).left, String(globalThis.left)]'), {
      kind: 'returned',
      output: '',
      value: '["undefined",null,"undefined"]',
    })
  })

  it('bounds what is printed and what is returned', async () => {
    const end = await test.run(`for (let i = 0; i < 1000; i++) print('0123456789'); return 'é'.repeat(5000)`, {
      outputChars: 100,
    })
    assert.ok(end.kind === 'returned' && end.value !== undefined)
    assert.match(end.output, /^0123456789\n[\d\n]{89}\n… 10899 more characters were left out$/)
    assert.match(end.value, /^é{100}\n… 4900 more characters were left out$/)
  })

  it('does not count the time in which a program waits', async () => {
    const waiting = new TestEngine()
    // The answer comes when another program has used up the same time.
    waiting.answer = async (): Promise<BridgeAnswer> => {
      assert.deepEqual(await test.run('while (true) {}', { computeMs: 100 }), late)
      return { ok: true, text: 'at last' }
    }
    const end = await waiting.run('return await tools.echo({}) + await tools.echo({})', { computeMs: 100 })
    assert.deepEqual(end, { kind: 'returned', output: '', value: 'at lastat last' })
    await waiting[Symbol.asyncDispose]()
  })

  it('stops at once when it is told to: before, while it computes, while it waits', async () => {
    const before = await test.run('return 1', {}, AbortSignal.abort())
    assert.deepEqual(before, { kind: 'stopped', output: '' })
    for (const code of ['await tools.echo({}); while (true) {}', 'await tools.wait({})']) {
      const stop = new AbortController()
      const each = new TestEngine()
      const held = gate<BridgeAnswer>()
      each.answer = async name => {
        queueMicrotask(() => setImmediate(() => stop.abort()))
        return name === 'wait' ? held.wait() : { ok: true, text: '' }
      }
      assert.deepEqual(await each.run(code, {}, stop.signal), { kind: 'stopped', output: '' })
      assert.equal(each.engine.running, 0)
      held.open({ ok: true, text: 'too late' })
    }
  })

  it('leaves no thread behind when it is disposed of', async () => {
    const each = new TestEngine()
    const called = gate()
    each.answer = async () => {
      called.wait().catch(() => {})
      return new Promise<never>(() => {})
    }
    const end = each.run('await tools.echo({})')
    await called.reached
    await each[Symbol.asyncDispose]()
    assert.equal(each.engine.running, 0)
    assert.deepEqual(await end, { kind: 'stopped', output: '' })
    assert.deepEqual(await each.run('return 1'), { kind: 'stopped', output: '' })
  })

  it('stops when the bridge gives up', async () => {
    const each = new TestEngine()
    each.answer = () => Promise.reject(new Error('no log'))
    assert.deepEqual(await each.run('try { await tools.echo({}) } catch {} return 1'), { kind: 'stopped', output: '' })
  })

  it('cannot run without its files', async () => {
    const each = new TestEngine({ ...engineFiles, wasm: '/nowhere.wasm' })
    assert.deepEqual(await each.run('return 1'), broken)
    assert.deepEqual(await new TestEngine({ ...engineFiles, worker: '/nowhere.js' }).run('return 1'), broken)
  })

  describe('with a worker that is not ours', () => {
    let folder: string
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'plan-mode-worker-'))
    })
    after(() => rm(folder, { recursive: true, force: true }))

    async function with_(
      script: string,
      patience?: EnginePatience,
    ): Promise<{ end: ProgramEnd; calls: TestEngine['calls'] }> {
      const worker = join(folder, `${crypto.randomUUID()}.mjs`)
      const say = 'const say = message => parentPort.postMessage(message)'
      await writeFile(worker, `import { parentPort } from 'node:worker_threads'\n${say}\n${script}`)
      const each = new TestEngine({ ...engineFiles, worker }, patience)
      const end = await each.run('return 1', { computeMs: 100 })
      assert.equal(each.engine.running, 0)
      return { end, calls: each.calls }
    }

    const hostile: readonly (readonly [string, string])[] = [
      ['objects in place of texts', `say({ kind: 'ready' })`],
      ['what is no JSON', `say('{')`],
      ['unknown kinds', `say('{"kind":"eval","code":"process.exit()"}')`],
      ['keys beside the known ones', `say('{"kind":"ready","__proto__":{"a":1}}')`],
      ['calls without a name', `say('{"kind":"call","id":1,"args":"{}"}')`],
      ['arguments that are no text', `say('{"kind":"call","id":1,"name":"echo","args":{}}')`],
      ['an end that is none', `say('{"kind":"ended","end":{"kind":"stopped","output":""}}')`],
      ['nothing, and ends', `process.exit(0)`],
      ['an error', `throw new Error('/home/secret')`],
      ['an error later', `setImmediate(() => { throw new Error('/home/secret') })`],
    ]
    for (const [name, script] of hostile) {
      it(`that says ${name}`, async () => {
        const { end, calls } = await with_(`${script}\nsetInterval(() => {}, 1000)`)
        assert.deepEqual(end, broken)
        assert.deepEqual(calls, [])
      })
    }

    it('that never says it is ready', async () => {
      assert.deepEqual((await with_('setInterval(() => {}, 1000)', { startMs: 100, endMs: 0 })).end, broken)
    })

    it('that never comes back, though it says so too early', async () => {
      const script = `say('{"kind":"ready"}'); say('{"kind":"rests","after":7}'); parentPort.on('message', () => { while (true) {} })`
      assert.deepEqual((await with_(script, { startMs: 60_000, endMs: 50 })).end, late)
    })
  })
})
