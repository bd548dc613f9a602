import { judgeStates } from './support/judge-states.ts'
import { reviewStates } from './support/review-states.ts'

describe('states of the review', function () {
  this.timeout(60_000)
  judgeStates(reviewStates)
})
