import { judgeStates } from './support/judge-states.ts'
import { readingStates } from './support/reading-states.ts'

describe('states of reading a plan', function () {
  this.timeout(60_000)
  judgeStates(readingStates)
})
