import { conversationStates } from './support/conversation-states.ts'
import { judgeStates } from './support/judge-states.ts'

describe('states of the conversation', function () {
  this.timeout(60_000)
  judgeStates(conversationStates)
})
