import type { Invariant } from './invariant.ts'

/** Events stand at their own place, and what they come from stands before them. */
export const log: Invariant = {
  begin() {
    let next = 0
    return function* ({ seq, sourceEventSeqs = [] }) {
      if (seq !== next) yield ['log/seq', `event ${next} is next`]
      next = seq + 1
      if (new Set(sourceEventSeqs).size < sourceEventSeqs.length) yield ['log/sources', 'a source is named twice']
      if (sourceEventSeqs.some(source => source >= seq)) yield ['log/sources', 'a source is not earlier']
    }
  },
}
