import type { Act } from '../../support/scripted-model.ts'

/** What a person does, in order; each act is over when nothing more happens by itself. */
export type Deed =
  | { readonly say: string }
  | { readonly command: string }
  | { readonly set: boolean }
  /** The waiting plan review is answered. */
  | { readonly review: ReviewAnswer }
  /** The next proposed step is refused by a pre-step listener. */
  | { readonly refuse: 'once' }
  /** The log refuses the next `plan/mode`. */
  | { readonly breaks: 'plan/mode' }
  /** The process ends while nothing runs; another one opens the same log. */
  | { readonly restart: true }

export type ReviewAnswer = 'approve' | 'dismiss' | { readonly keep: string | undefined }

/** One answer of the model. `during`: what a person does while it is asked. */
export interface Turn {
  readonly acts: readonly Act[]
  readonly during?: readonly Deed[]
}

export interface Script {
  readonly name: string
  readonly deeds: readonly Deed[]
  readonly answers: readonly Turn[]
}

const plan = (text: string, id: string): Act => ({ call: 'exit_plan_mode', args: { plan: text }, id })
const FIRST = '# Limits\n\nOne bucket.\n'
const SECOND = '# Limits\n\nTwo buckets.\n'
const done: Turn = { acts: [{ text: 'Done.' }] }

/** Conversations that both programs hold: the model and the person say the same in both. */
export const scripts: readonly Script[] = [
  {
    name: 'a prompt in normal mode, with tools side by side and alone',
    deeds: [{ say: 'Look around' }],
    answers: [
      {
        acts: [
          { reasoning: 'I look.' },
          { text: 'Reading.' },
          { call: 'read_file', args: { path: 'a.ts' }, id: 'r1' },
          { call: 'read_file', args: { path: 'b.ts' }, id: 'r2' },
          { call: 'write_file', args: { path: 'c.ts' }, id: 'w1' },
        ],
      },
      { acts: [{ call: 'no_such_tool', args: {}, id: 'n1' }] },
      done,
    ],
  },
  {
    name: 'enter while idle, explore, present, keep planning with feedback, present, approve, work',
    deeds: [
      { say: 'Hello' },
      { set: true },
      { say: 'Plan limits' },
      { review: { keep: 'Per user.' } },
      { review: 'approve' },
    ],
    answers: [
      done,
      { acts: [{ call: 'read_file', args: { path: 'a.ts' }, id: 'r1' }] },
      { acts: [plan(FIRST, 'p1')] },
      { acts: [plan(SECOND, 'p2'), { call: 'read_file', args: { path: 'b.ts' }, id: 'r2' }] },
      { acts: [{ call: 'write_file', args: { path: 'c.ts' }, id: 'w1' }] },
      done,
    ],
  },
  {
    name: 'keep planning without a word',
    deeds: [{ set: true }, { say: 'Plan limits' }, { review: { keep: undefined } }, { review: 'approve' }],
    answers: [{ acts: [plan(FIRST, 'p1')] }, { acts: [plan(SECOND, 'p2')] }, done],
  },
  {
    name: 'a toggle in the middle of a turn',
    deeds: [{ say: 'Look around' }, { say: 'And now?' }],
    answers: [
      { acts: [{ call: 'read_file', args: { path: 'a.ts' }, id: 'r1' }], during: [{ set: true }] },
      { acts: [{ call: 'read_file', args: { path: 'b.ts' }, id: 'r2' }], during: [{ set: false }] },
      done,
      done,
    ],
  },
  {
    name: 'on and off again within one step',
    deeds: [{ say: 'Look around' }],
    answers: [
      { acts: [{ call: 'read_file', args: { path: 'a.ts' }, id: 'r1' }], during: [{ set: true }, { set: false }] },
      done,
    ],
  },
  {
    name: 'a selection after the last boundary of a turn',
    deeds: [{ say: 'Look around' }, { say: 'And now?' }],
    answers: [{ acts: [{ text: 'Looked.' }], during: [{ set: true }] }, done],
  },
  {
    name: 'a selection after the last boundary, then a restart',
    deeds: [{ say: 'Look around' }, { restart: true }, { say: 'And now?' }],
    answers: [{ acts: [{ text: 'Looked.' }], during: [{ set: true }] }, done],
  },
  {
    name: 'a refused step while a selection waits',
    deeds: [{ say: 'Look around' }, { refuse: 'once' }, { say: 'And now?' }, { say: 'And then?' }],
    answers: [{ acts: [{ text: 'Looked.' }], during: [{ set: true }] }, done],
  },
  {
    name: 'a log that refuses the mode',
    deeds: [{ say: 'Look around' }, { breaks: 'plan/mode' }, { say: 'And now?' }, { say: 'And then?' }],
    answers: [{ acts: [{ text: 'Looked.' }], during: [{ set: true }] }, done, done],
  },
  {
    name: 'on and off again while idle',
    deeds: [{ say: 'Hello' }, { set: true }, { set: false }, { say: 'Go on' }],
    answers: [done, done],
  },
  {
    name: '/plan with a message, then /plan off',
    deeds: [{ say: 'Hello' }, { command: '/plan Plan limits' }, { command: '/plan off' }, { say: 'Do it' }],
    answers: [done, done, done],
  },
  {
    name: '/plan off before any request saw plan mode',
    deeds: [{ command: '/plan' }, { command: '/plan off' }, { say: 'Do it' }],
    answers: [done],
  },
  {
    name: 'a plan that is no plan, and one outside plan mode',
    deeds: [{ say: 'Hello' }, { set: true }, { say: 'Plan limits' }],
    answers: [{ acts: [plan(FIRST, 'p0')] }, done, { acts: [plan('no heading', 'p1')] }, done],
  },
  {
    name: 'a dismissed review',
    deeds: [{ set: true }, { say: 'Plan limits' }, { review: 'dismiss' }, { say: 'Why at all?' }],
    answers: [{ acts: [plan(FIRST, 'p1')] }, done],
  },
  {
    name: 'leaving while a review waits',
    deeds: [{ set: true }, { say: 'Plan limits' }, { set: false }],
    answers: [{ acts: [plan(FIRST, 'p1')] }, done],
  },
  {
    name: 'an approval, taken back before it takes effect',
    deeds: [{ set: true }, { say: 'Plan limits' }, { review: 'approve' }],
    answers: [
      { acts: [plan(FIRST, 'p1'), { call: 'switch', args: { to: 'on' }, id: 's1' }] },
      { acts: [{ text: 'Planning on.' }] },
    ],
  },
]
