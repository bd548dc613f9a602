import { z } from 'zod'
import { eventSchemas } from '../events.ts'
import type { Invariant, Problem } from './invariant.ts'
import { read } from './invariant.ts'

const mode = z.looseObject({ active: z.boolean() })
const selected = z.looseObject({ active: z.boolean(), by: z.enum(['user', 'review']) })
const presented = z.looseObject(eventSchemas['review/presented'].shape)
const decided = z.looseObject(eventSchemas['review/decided'].shape)
const shapes = {
  'plan/mode': mode,
  'plan/selected': selected,
  'review/presented': presented,
  'review/decided': decided,
}

/**
 * The mode is a yes or no. A review is presented while no other waits and decided once, on the text that was shown; only
 * an approval selects an exit in the review's name, and the approval stands right before it.
 */
export const plan: Invariant = {
  types: ['plan/mode', 'plan/selected', 'review/presented', 'review/decided'],
  begin() {
    let waiting: { readonly reviewId: string; readonly planHash: string } | undefined
    let approvedAt = -1
    return function* (event): Generator<Problem> {
      const { type, seq } = event
      if (!read(shapes[type as keyof typeof shapes], event)) return yield ['plan/shape', `its data is no ${type}`]
      if (type === 'plan/selected') {
        const data = read(selected, event)
        if (data?.by === 'review' && (data.active || approvedAt !== seq - 1)) {
          yield ['plan/consent', 'no approval stands right before this exit']
        }
      } else if (type === 'review/presented') {
        if (waiting !== undefined) yield ['plan/review', `review ${waiting.reviewId} waits`]
        waiting = read(presented, event)
      } else if (type === 'review/decided') {
        const data = read(decided, event)
        if (data?.reviewId !== waiting?.reviewId) yield ['plan/review', 'that review does not wait']
        else if (data?.planHash !== waiting?.planHash) yield ['plan/consent', 'another text was decided than shown']
        waiting = undefined
        if (data?.decision === 'approved') approvedAt = seq
      }
    }
  },
}
