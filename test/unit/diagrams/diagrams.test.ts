import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { BOUNDS, Diagrams } from '../../../src/diagrams/diagrams.ts'

describe('diagrams', function () {
  this.timeout(60_000)
  let folder = ''
  let worker = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plan-mode-diagrams-'))
    worker = join(folder, 'worker.mjs')
    const entryPoints = [fileURLToPath(new URL('../../../src/diagrams/worker.ts', import.meta.url))]
    await build({ entryPoints, outfile: worker, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' })
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('are drawn of the kinds that plans use, with their words', async () => {
    await using diagrams = new Diagrams(worker)
    const kinds = [
      'graph TD\n  A[Limiter] --> B{Full?}',
      'flowchart LR\n  A[Limiter] -->|Full?| B',
      'stateDiagram-v2\n  [*] --> Limiter\n  Limiter --> Bucket: Full?',
      'sequenceDiagram\n  Limiter->>Router: Full?',
      'classDiagram\n  class Limiter\n  Limiter : +Full?()',
      'erDiagram\n  Limiter ||--o{ Bucket : Full?',
    ]
    for (const text of kinds) {
      const picture = (await diagrams.draw(`%%{init: {"theme": "dark"}}%%\n${text}`)) ?? ''
      assert.match(picture, /^<svg[^>]*>[\s\S]*<\/svg>$/, text)
      assert.match(picture, /Limiter/, text)
      assert.match(picture, /Full\?/, text)
    }
  })

  it('are none where the kind is not known, the text is faulty, or it is too long', async () => {
    await using diagrams = new Diagrams(worker)
    const texts = ['', 'gantt\n  title x', 'pie\n "a": 1', 'graphical', 'graph TD', 'hello']
    for (const text of texts) assert.equal(await diagrams.draw(text), undefined, text)
    assert.equal(await diagrams.draw(`graph TD\n${'A --> B\n'.repeat(BOUNDS.text / 8)}`), undefined)
  })

  it('need a thread only while something is drawn', async () => {
    const diagrams = new Diagrams(worker)
    assert.equal(diagrams.working, false)
    await Promise.all([diagrams.draw('graph TD\n A --> B'), diagrams.draw('graph TD\n A --> C')])
    assert.equal(diagrams.working, true)
    await diagrams[Symbol.asyncDispose]()
    assert.equal(diagrams.working, false)
  })

  it('that do not end, or end their thread, are ended, and the next one is drawn', async () => {
    const faulty = join(folder, 'faulty.mjs')
    await writeFile(
      faulty,
      `import { parentPort } from 'node:worker_threads'
       parentPort.on('message', text => {
         if (text.includes('endless')) for (;;);
         if (text.includes('exit')) process.exit(1)
         if (text.includes('throw')) throw new Error(text)
         parentPort.postMessage(text.includes('vast') ? 'x'.repeat(${BOUNDS.picture} + 1) : text.includes('odd') ? { text } : '<text>' + text)
       })
       parentPort.postMessage('ready')`,
    )
    await using diagrams = new Diagrams(faulty, { startMs: 30_000, drawMs: 300, idleMs: 10_000 })
    for (const fault of ['endless', 'exit', 'throw', 'vast', 'odd']) {
      assert.equal(await diagrams.draw(`graph TD\n${fault}`), undefined, fault)
      assert.equal(await diagrams.draw('graph TD\nA'), '<text>graph TD\nA', fault)
    }
  })

  it('are none where there is no thread to be had', async () => {
    await using diagrams = new Diagrams(join(folder, 'missing.mjs'))
    assert.equal(await diagrams.draw('graph TD\nA'), undefined)
  })
})
