import { ModelError } from '../../../../src/agent/model.ts'
import type { Act } from '../../../support/scripted-model.ts'
import type { Course } from './course.ts'
import type { World } from './world.ts'

/** Something that can happen to a conversation: in the reference, and for real. `when` says where it can. */
export interface Deed {
  readonly name: string
  readonly when?: (course: Place) => boolean
  /** How likely it is beside the others; 1 unless given. */
  readonly weight?: number
  /** What it gives is the outcome that `real` has to give as well. */
  readonly told: (course: Course) => unknown
  readonly real: (world: World) => unknown
}

type Place = Pick<Course, 'now' | 'at' | 'dies' | 'refuses' | 'breaks' | 'inTurn' | 'compacting'>

const asked = ({ at }: Place) => at === 'asked'
const idle = ({ at }: Place) => at === 'idle'
const underReview = ({ at }: Place) => at === 'review'
const summarising = ({ at }: Place) => at === 'summary'
/** A command saves beside the turn that it began, so which of them a process ends at is not told apart. */
const lasting = ({ dies }: Place) => dies === 'no'

const hold: Act = { call: 'hold' }
const picture = {
  type: 'image' as const,
  attachment: { attachmentId: 'a', mediaType: 'image/png' as const, bytes: 1, width: 1, height: 1 },
}

/** Every deed. A new feature that touches plan mode adds its deeds here. */
export const deeds: readonly Deed[] = [
  ...[true, false].flatMap((active): Deed[] => [
    {
      name: `set(${active})`,
      told: course => course.select(active),
      real: world => world.select(active),
    },
    {
      name: `set(${active}), saved`,
      told: course => {
        const outcome = course.select(active)
        course.save()
        return outcome
      },
      real: async world => {
        const outcome = world.select(active)
        await world.flush()
        return outcome
      },
    },
  ]),
  command('/plan', '', course => course.select(true)),
  command('/plan off', ' off', course => course.select(false)),
  command('/plan with words', ' do it', course => {
    if (course.select(true) !== 'refused') course.steer()
  }),
  {
    name: '/plan off with a picture',
    when: lasting,
    told: course => course.save(),
    real: async ({ runtime, agent }) => {
      await runtime.commands.run(agent, 'plan', ' off', [picture])
    },
  },
  {
    name: 'prompt',
    weight: 2,
    told: course => course.prompt(),
    real: world => world.agent.prompt(world.message()),
  },
  { name: 'steer', told: course => course.steer(), real: world => world.agent.steer(world.message()) },
  { name: 'the model says a part', when: asked, told: () => undefined, real: world => world.say() },
  {
    name: 'the model answers',
    weight: 4,
    when: asked,
    told: course => course.answerText(),
    real: world => world.answer({ text: world.words() }),
  },
  {
    name: 'the model calls a tool',
    weight: 4,
    when: asked,
    told: course => course.answerTool(),
    real: world => world.answer(hold),
  },
  ...[false, true].map(
    (rest): Deed => ({
      name: `the model presents a plan${rest ? ' and calls a tool' : ''}`,
      weight: 6,
      when: asked,
      told: course => course.answerPlan(rest),
      real: world => world.answer(world.nextPlan(), ...(rest ? [hold] : [])),
    }),
  ),
  {
    name: 'the model fails',
    when: asked,
    told: course => course.modelFails(),
    real: world => world.answer(failing('AUTH')),
  },
  {
    name: 'the request is too long',
    weight: 2,
    when: asked,
    told: course => course.requestTooLong(),
    real: world => world.answer(failing('CONTEXT_WINDOW_EXCEEDED')),
  },
  {
    name: 'the tool ends',
    weight: 4,
    when: ({ at }) => at === 'tool',
    told: course => course.toolEnds(),
    real: world => world.toolEnds(),
  },
  ...(['approved', 'kept', 'dismissed'] as const).map(
    (decision): Deed => ({
      name: decision,
      weight: 3,
      when: ({ now }) => now.review !== null,
      told: course => course.decide(decision),
      real: world => world.decide(decision),
    }),
  ),
  {
    name: 'approved, and the result lost in a crash',
    weight: 2,
    when: underReview,
    told: course => {
      course.dies = 'saved'
      course.decide('approved')
    },
    real: world => {
      world.dieAtFlush('saved')
      return world.decide('approved')
    },
  },
  {
    name: 'the provider goes',
    weight: 2,
    when: underReview,
    told: course => course.reviewFails(),
    real: world => world.loseProvider(),
  },
  {
    name: 'plan mode is reloaded',
    weight: 2,
    when: underReview,
    told: course => course.reviewFails(),
    real: world => world.reloadPlanMode(),
  },
  { name: '/compact', weight: 2, when: lasting, told: course => course.compact(), real: world => world.compact() },
  ...(['wide', 'tight'] as const).map(
    (window): Deed => ({
      name: `the window of the model is ${window}`,
      told: () => undefined,
      real: world => {
        world.window = window
      },
    }),
  ),
  {
    name: 'the summary comes',
    weight: 6,
    when: summarising,
    told: course => course.summaryEnds(true),
    real: world => world.endSummary({ text: world.words() }),
  },
  {
    name: 'the summary fails',
    weight: 2,
    when: summarising,
    told: course => course.summaryEnds(false),
    real: world => world.endSummary(failing('AUTH')),
  },
  { name: 'stop', when: ({ at }) => at !== 'idle', told: course => course.cancel(), real: world => world.stop() },
  {
    name: 'the next step is refused',
    when: ({ refuses }) => !refuses,
    told: course => {
      course.refuses = true
    },
    real: world => world.refuseStep(),
  },
  {
    name: 'the log refuses the next plan/mode',
    when: ({ breaks }) => !breaks,
    told: course => {
      course.breaks = true
    },
    real: world => world.refuseMode(),
  },
  { name: 'the log is saved', told: course => course.save(), real: world => world.flush() },
  ...(['unsaved', 'saved'] as const).map(
    (how): Deed => ({
      name: `the process will end at its next save, ${how}`,
      when: ({ dies, compacting }) => dies === 'no' && !compacting,
      told: course => {
        course.dies = how
      },
      real: world => world.dieAtFlush(how),
    }),
  ),
  { name: 'crash', told: course => course.crash(), real: world => world.crash() },
  { name: 'reload', told: course => course.reload(), real: world => world.reload() },
  { name: 'fork', when: idle, told: course => course.fork(), real: world => world.fork() },
]

function failing(code: string): Act {
  return { error: new ModelError({ code, message: 'No answer.' }) }
}

function command(name: string, args: string, told: (course: Course) => unknown): Deed {
  return {
    name,
    when: lasting,
    told: course => {
      told(course)
      course.save()
    },
    real: async ({ runtime, agent }) => {
      await runtime.commands.run(agent, 'plan', args)
    },
  }
}
