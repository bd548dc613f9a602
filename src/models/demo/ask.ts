import { z } from 'zod'
import { type CallEntry, type Entry, isPrompt } from './conversation.ts'

/** What the demo asks a person who wrote "ask me". */
const questions = [
  {
    id: 'depth',
    header: 'Depth',
    question: 'How far should I look around first?',
    options: [
      { label: 'Briefly', description: 'The readme and one more file.' },
      { label: 'Thoroughly', description: 'The same, because this is a demo; your answer is what counts here.' },
    ],
  },
  {
    id: 'mind',
    header: 'Mind',
    question: 'What should I keep in mind?',
    multi_select: true,
    options: [{ label: 'Tests' }, { label: 'Documentation' }, { label: 'Speed' }],
  },
]

export const isAsk = (entry: Entry): entry is CallEntry => entry.kind === 'call' && entry.tool === 'ask_user_question'

/** The call that asks, once for each prompt that wants to be asked. */
export function askCall(task: readonly Entry[]): { readonly tool: string; readonly input: object } | undefined {
  const at = task.findLastIndex(isPrompt)
  const prompt = task[at]
  if (prompt?.kind !== 'user' || !/\bask me\b/i.test(prompt.text)) return undefined
  return task.slice(at).some(isAsk) ? undefined : { tool: 'ask_user_question', input: { questions } }
}

/** One sentence on the answers that have just come; undefined when the last entry is none. */
export function heard(task: readonly Entry[]): string | undefined {
  const last = task.at(-1)
  if (last === undefined || !isAsk(last)) return undefined
  const { data } = answers.safeParse(jsonOf(last.result.text))
  const said = data?.answers.flatMap(({ selected, custom }) => [...selected, ...(custom === undefined ? [] : [custom])])
  return said === undefined || said.length === 0 ? 'You left it open.' : `You said "${said.join('", "')}".`
}

const answers = z.object({
  answers: z.array(z.object({ selected: z.array(z.string()), custom: z.string().optional() })),
})

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
