import { z } from 'zod'
import { type Question, type QuestionRequest, UserQuestionError } from '../agent/questions.ts'
import type { Tool, ToolCall, ToolOutcome } from '../agent/tool.ts'
import * as words from './ask-words.ts'

/** No surface has room for more, and no person patience. */
const most = { questions: 8, options: 12, id: 100, header: 80, question: 2_000, label: 200, description: 1_000 }

const worded = (length: number) => z.string().max(length).regex(/\S/, 'must not be blank')

const option = z.looseObject({
  label: worded(most.label).describe(words.LABEL_MEANING),
  description: z.string().max(most.description).optional().describe(words.MEANING_MEANING),
})

const question = z.looseObject({
  id: worded(most.id).describe(words.ID_MEANING),
  question: worded(most.question).describe(words.QUESTION_MEANING),
  header: z.string().max(most.header).optional().describe(words.HEADER_MEANING),
  options: z.array(option).max(most.options).optional().describe(words.OPTIONS_MEANING),
  multi_select: z.boolean().optional().describe(words.MULTI_MEANING),
})

const parameters = z.strictObject({
  questions: z.array(question).max(most.questions).describe(words.QUESTIONS_MEANING),
})
type Asked = z.infer<typeof question>

/** `ask_user_question`: the questions seam as a tool (session-log format, section 14), in plan mode and outside. */
export const askUserQuestion: Tool<z.infer<typeof parameters>> = {
  name: words.ASK_USER_QUESTION,
  description: words.ASK_DESCRIPTION,
  parameters,
  async run({ questions }, call) {
    const repeated = repetition(questions)
    if (repeated !== undefined) return { kind: 'failure', text: repeated }
    return await ask(questions.map(questionOf), call)
  },
}

async function ask(questions: readonly Question[], call: ToolCall): Promise<ToolOutcome> {
  const { agent, callId, signal } = call
  const request: QuestionRequest = { questions, agent, signal, callId }
  try {
    const { answers } = await agent.runtime.questions.ask(request)
    return { kind: 'success', text: JSON.stringify({ answers }) }
  } catch (error) {
    if (!(error instanceof UserQuestionError)) throw error
    const text = error.code === 'ASK_CANCELLED' ? words.cancelled : error.message
    return { kind: 'failure', text, error: { name: error.name, code: error.code } }
  }
}

function repetition(questions: readonly Asked[]): string | undefined {
  const twice = firstRepeated(questions.map(each => each.id))
  if (twice !== undefined) return words.repeatedId(twice)
  for (const { id, options = [] } of questions) {
    const label = firstRepeated(options.map(each => each.label))
    if (label !== undefined) return words.repeatedLabel(id, label)
  }
  return undefined
}

function firstRepeated(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) < index)
}

/** Only what the seam knows: further keys of a call stay in the log and mean nothing here. */
function questionOf({ id, question, header, options, multi_select }: Asked): Question {
  return {
    id,
    question,
    ...(header === undefined ? {} : { header }),
    ...(options === undefined ? {} : { options: options.map(optionOf) }),
    ...(multi_select === undefined ? {} : { multiSelect: multi_select }),
  }
}

function optionOf({ label, description }: z.infer<typeof option>): { label: string; description?: string } {
  return description === undefined ? { label } : { label, description }
}
