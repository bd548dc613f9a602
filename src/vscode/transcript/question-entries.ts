import { z } from 'zod'
import { parseArguments } from '../../agent/loop/arguments.ts'
import { cancelled } from '../../tools/ask-words.ts'
import type { Item } from '../../webview/transcript-messages.ts'
import { shortText } from './bounded-text.ts'

type QuestionItem = Extract<Item, { kind: 'question' }>
type Asked = QuestionItem['asked']

/** What was asked, of a call of `ask_user_question` as the model wrote it: only what can be read of it. */
const askedArguments = z.looseObject({
  questions: z.array(
    z.looseObject({ id: z.string(), question: z.string(), header: z.string().optional().catch(undefined) }),
  ),
})

const answered = z.looseObject({
  answers: z.array(z.looseObject({ id: z.string(), selected: z.array(z.string()), custom: z.string().optional() })),
})

const QUESTION_LIMIT = 2_000
const ANSWER_LIMIT = 8_000

/** The entry of a call that asks a person; undefined when no question can be read in it, so that it is a call like others. */
export function questionItem(id: string, rawArguments: string): QuestionItem | undefined {
  const parsed = parseArguments(rawArguments)
  const { data } = askedArguments.safeParse(parsed.kind === 'object' ? parsed.value : undefined)
  if (data === undefined || data.questions.length === 0) return undefined
  const asked: Asked = data.questions.map(({ id, question, header }) => ({
    id,
    question: shortText(question, QUESTION_LIMIT),
    ...(header === undefined || header.trim() === '' ? {} : { header: shortText(header, 80) }),
    selected: [],
  }))
  return { kind: 'question', id, asked, state: 'waiting' }
}

/** How the call ended, and its result as the model reads it. A question that a program asked has no error code. */
export interface QuestionEnd {
  readonly status: 'done' | 'failed' | 'stopped'
  readonly output: string
  readonly code?: string | undefined
}

/** The entry once its call has a result. */
export function answeredItem(item: QuestionItem, { status, output, code }: QuestionEnd): QuestionItem {
  const text = output.replace(/^Error: /, '')
  if (status === 'done') {
    const answers = answersIn(output)
    return { ...item, state: 'answered', asked: item.asked.map(each => ({ ...each, ...answers.get(each.id) })) }
  }
  if (code === 'ASK_CANCELLED' || text === cancelled) return { ...item, state: 'dismissed' }
  const stopped = status === 'stopped' || code === 'ASK_ABORTED'
  return stopped ? { ...item, state: 'stopped' } : { ...item, state: 'failed', trouble: shortText(text, 500) }
}

function answersIn(output: string): Map<string, Pick<Asked[number], 'selected' | 'custom'>> {
  const { data } = answered.safeParse(jsonOf(output))
  return new Map(
    data?.answers.map(({ id, selected, custom }) => [
      id,
      { selected, ...(custom === undefined ? {} : { custom: shortText(custom, ANSWER_LIMIT) }) },
    ]),
  )
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // a result that another program wrote
  }
}
