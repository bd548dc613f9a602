// `npm run bench -- [--only GROUP]... [--clock cpu]`: one JSON line per figure on standard output, and the same for
// people on standard error.
import { installPeer } from '../peer/install.ts'
import { append } from './append.ts'
import { list } from './list.ts'
import { memory, open, openIndexed } from './open.ts'
import { options } from './options.ts'
import { reading, scrolling, typing } from './page-reading.ts'
import { pages, revise } from './reading.ts'
import { boundary, get, plan, tail } from './scaling.ts'
import { has } from './store.ts'
import { apply, tokens } from './streaming.ts'
import { presented, preview } from './window-reading.ts'

const groups: Readonly<Record<string, () => Promise<void>>> = {
  open,
  'open-indexed': openIndexed,
  memory,
  plan,
  tail,
  get,
  boundary,
  apply,
  tokens,
  append,
  list,
  revise,
  pages,
  reading,
  scrolling,
  typing,
  preview,
  presented,
}

const { only, clock } = options()
const unknown = only.filter(name => !Object.hasOwn(groups, name))
if (unknown.length > 0) {
  console.error(`There is no group "${unknown.join(', ')}"; there are ${Object.keys(groups).join(', ')}.`)
  process.exit(2)
}
const missing = await installPeer()
if (missing !== undefined) console.error(`${missing} Its figures are left out.`)
for (const store of ['zstd', 'sqlite'] as const) {
  if (!has(store)) console.error(`This project has no ${store} yet; its figures are left out.`)
}
const columns = ['ours', 'peer', 'floor', `(${clock})`].map(name => name.padStart(9))
console.error(`${'figure'.padEnd(34)} ${columns.join(' ')}`)
for (const name of only.length > 0 ? only : Object.keys(groups)) await groups[name]?.()
