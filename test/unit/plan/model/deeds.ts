import type { Reference } from './reference.ts'
import { hold, message, plan, type World } from './world.ts'

/** Something that can happen to a conversation: in the reference, and for real. `when` says where it can. */
export interface Deed {
  readonly name: string
  readonly when?: (reference: Place) => boolean
  /** How likely it is beside the others; 1 unless given. */
  readonly weight?: number
  /** What it gives is the outcome that `real` has to give as well. */
  readonly told: (reference: Reference) => unknown
  readonly real: (world: World) => unknown
}

type Place = Pick<Reference, 'now' | 'at' | 'refuses' | 'breaks'>

const asked = ({ at }: Place) => at === 'asked'
const idle = ({ at }: Place) => at === 'idle'
const running = ({ at }: Place) => at !== 'idle'
const reviewing = ({ now }: Place) => now.review

const picture = {
  type: 'image' as const,
  attachment: { attachmentId: 'a', mediaType: 'image/png' as const, bytes: 1, width: 1, height: 1 },
}

/** Every deed. A new feature that touches plan mode adds its deeds here. */
export const deeds: readonly Deed[] = [
  ...[true, false].map(
    (active): Deed => ({
      name: `set(${active})`,
      told: reference => reference.select(active),
      real: world => world.select(active),
    }),
  ),
  ...[true, false].map(
    (active): Deed => ({
      name: `set(${active}), saved`,
      told: reference => {
        const outcome = reference.select(active)
        reference.save()
        return outcome
      },
      real: async world => {
        const outcome = world.select(active)
        await world.flush()
        return outcome
      },
    }),
  ),
  command('/plan', '', reference => reference.select(true)),
  command('/plan off', ' off', reference => reference.select(false)),
  command('/plan with words', ' do it', reference => {
    if (reference.select(true) !== 'refused') reference.steer()
  }),
  {
    name: '/plan off with a picture',
    told: reference => reference.save(),
    real: async ({ runtime, agent }) => {
      await runtime.commands.run(agent, 'plan', ' off', [picture])
    },
  },
  {
    name: 'prompt',
    told: reference => reference.prompt(),
    real: ({ agent }) => agent.prompt(message('prompt')),
  },
  {
    name: 'steer',
    told: reference => reference.steer(),
    real: ({ agent }) => agent.steer(message('steer')),
  },
  {
    name: 'the model answers',
    weight: 3,
    when: asked,
    told: reference => reference.answerText(),
    real: world => world.answer([{ text: 'fine' }]),
  },
  {
    name: 'the model calls a tool',
    weight: 3,
    when: asked,
    told: reference => reference.answerTool(),
    real: world => world.answer([hold]),
  },
  ...[false, true].map(
    (rest): Deed => ({
      name: `the model presents a plan${rest ? ' and calls a tool' : ''}`,
      weight: 6,
      when: asked,
      told: reference => reference.answerPlan(rest),
      real: world => world.answer(rest ? [plan, hold] : [plan]),
    }),
  ),
  {
    name: 'the tool ends',
    weight: 3,
    when: ({ at }) => at === 'tool',
    told: reference => reference.toolEnds(),
    real: world => world.toolEnds(),
  },
  ...(['approved', 'kept', 'dismissed'] as const).map(
    (decision): Deed => ({
      name: decision,
      weight: 3,
      when: reviewing,
      told: reference => reference.decide(decision),
      real: world => world.decide(decision),
    }),
  ),
  {
    name: 'approved, and the result lost in a crash',
    weight: 2,
    when: ({ at }) => at === 'review',
    told: reference => {
      reference.now.review = false
      reference.now.waiting = false
      reference.save()
      reference.nextLife()
    },
    real: world => world.approveAndDie(),
  },
  {
    name: 'the provider goes',
    weight: 2,
    told: reference => reference.reviewFails(),
    when: ({ at }) => at === 'review',
    real: world => world.loseProvider(),
  },
  {
    name: 'plan mode is reloaded',
    weight: 2,
    when: ({ at }) => at === 'review',
    told: reference => reference.reviewFails(),
    real: world => world.reloadPlanMode(),
  },
  {
    name: 'stop',
    when: running,
    told: reference => reference.cancel(),
    real: world => world.stop(),
  },
  {
    name: 'the next step is refused',
    when: ({ refuses }) => !refuses,
    told: reference => {
      reference.refuses = true
    },
    real: world => world.refuseStep(),
  },
  {
    name: 'the log refuses the next plan/mode',
    when: ({ breaks }) => !breaks,
    told: reference => {
      reference.breaks = true
    },
    real: world => world.refuseMode(),
  },
  {
    name: 'crash',
    told: reference => reference.nextLife(),
    real: world => world.crash(),
  },
  {
    name: 'reload',
    told: reference => {
      reference.save()
      reference.nextLife()
    },
    real: world => world.reload(),
  },
  {
    name: 'fork',
    when: idle,
    told: reference => reference.fork(),
    real: world => world.fork(),
  },
]

function command(name: string, args: string, told: (reference: Reference) => unknown): Deed {
  return {
    name,
    told: reference => {
      told(reference)
      reference.save()
    },
    real: async ({ runtime, agent }) => {
      await runtime.commands.run(agent, 'plan', args)
    },
  }
}
