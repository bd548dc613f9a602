import assert from 'node:assert/strict'
import { differences } from './differential/differences.ts'
import { ours } from './differential/ours.ts'
import { perform, type Trace } from './differential/program.ts'
import { type Script, scripts } from './differential/script.ts'
import { theirs } from './differential/theirs.ts'
import { installPeer } from './install.ts'

/** Both programs hold the same conversations; what differs is in `differences`, each with its reason, and nothing else. */
describe('plan mode and the published packages', function () {
  this.timeout(30_000)

  before(async function () {
    this.timeout(120_000)
    const missing = await installPeer()
    if (missing === undefined) return
    console.log(`  ${missing}`)
    this.skip()
  })

  for (const script of scripts) {
    it(script.name, async () => {
      const { ours: here, theirs: there } = settled(script, await both(script))
      assert.deepEqual(here, there)
    })
  }

  it('every difference that is written down shows in each of its scripts', async () => {
    for (const { name, scripts: named } of differences) {
      const shown = scripts.filter(script => named === undefined || named.includes(script.name))
      assert.equal(shown.length, named?.length ?? scripts.length, `${name}: names scripts that exist`)
      const seen = await Promise.all(shown.map(async script => shows(name, script, await both(script))))
      if (named === undefined) assert.ok(seen.includes(true), `${name} shows nowhere`)
      else assert.ok(!seen.includes(false), `${name} does not show in ${named.join(', ')}`)
    }
  })
})

interface Both {
  readonly ours: Trace
  readonly theirs: Trace
}

const performed = new Map<Script, Promise<Both>>()

function both(script: Script): Promise<Both> {
  const known = performed.get(script) ?? bothOf(script)
  performed.set(script, known)
  return known
}

async function bothOf(script: Script): Promise<Both> {
  return { ours: await perform(ours, script), theirs: await perform(theirs, script) }
}

function settled({ name }: Script, pair: Both): Both {
  const own = differences.filter(({ scripts: named }) => named === undefined || named.includes(name))
  return own.reduce((left, { settle }) => settle(left), pair)
}

/** Whether the two stay apart when this difference alone is left. */
function shows(difference: string, { name }: Script, pair: Both): boolean {
  const others = differences.filter(({ name: other, scripts: named }) => {
    return other !== difference && (named === undefined || named.includes(name))
  })
  const { ours: here, theirs: there } = others.reduce((left, { settle }) => settle(left), pair)
  return JSON.stringify(here) !== JSON.stringify(there)
}
