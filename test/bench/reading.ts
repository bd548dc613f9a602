// What a revision costs the model, and what the pages weigh.
import { statSync } from 'node:fs'
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { report } from './figure.ts'
import { planOf } from './plans.ts'

/** What a page's script may weigh. */
const PAGE_BYTES = 500_000

/** One line of a 300-line plan by `revise_plan`, against presenting it again; tokens of `o200k_base`. */
export async function revise(): Promise<void> {
  const encoding = new Tiktoken(o200k)
  const tokens = (value: unknown) => encoding.encode(JSON.stringify(value)).length
  const plan = planOf(300)
  const old = plan.split('\n')[152] ?? ''
  const again = tokens({ name: 'exit_plan_mode', arguments: { plan: plan.replace(old, `${old} It is the last one.`) } })
  const edits = tokens({ name: 'revise_plan', arguments: { edits: [{ old, new: `${old} It is the last one.` }] } })
  report({
    name: 'revise/one-of-300-lines/to-whole',
    unit: 'tok',
    ours: edits,
    floor: again,
    against: again,
    goal: 0.05,
  })
}

/** Bytes of what the pages load, from `dist` as it was built last. */
export async function pages(): Promise<void> {
  for (const page of ['conversation', 'review']) {
    const { size } = statSync(new URL(`../../dist/webview/${page}.js`, import.meta.url))
    report({ name: `pages/${page}/to-budget`, unit: 'B', ours: size, against: PAGE_BYTES, goal: 1 })
  }
}
