// `npm run bench [-- --only GROUP] [--clock=cpu]`: one JSON line per figure on standard output, the same for people on
// standard error.
import { parseArgs } from 'node:util'
import { installPeer } from '../peer/install.ts'
import { append } from './append.ts'
import { list } from './list.ts'
import { memory, open, openIndexed } from './open.ts'
import { get, plan, tail } from './scaling.ts'
import { has } from './store.ts'

const groups: Readonly<Record<string, () => Promise<void>>> = {
  open,
  'open-indexed': openIndexed,
  memory,
  plan,
  tail,
  get,
  append,
  list,
}

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true }, clock: { type: 'string' } } })
const chosen = values.only ?? Object.keys(groups)
const unknown = chosen.filter(name => !Object.hasOwn(groups, name))
if (unknown.length > 0) {
  console.error(`There is no group "${unknown.join(', ')}"; there are ${Object.keys(groups).join(', ')}.`)
  process.exit(2)
}
const missing = await installPeer()
if (missing !== undefined) console.error(`${missing} Its figures are left out.`)
for (const store of ['zstd', 'sqlite'] as const) {
  if (!has(store)) console.error(`This project has no ${store} yet; its figures are left out.`)
}
console.error(`${'figure'.padEnd(34)} ${['ours', 'peer', 'floor'].map(name => name.padStart(9)).join(' ')}`)
for (const name of chosen) await groups[name]?.()
