import type { Question } from '../../agent/questions.ts'

/** A question as a notification can put it. */
export interface QuestionNotice {
  readonly text: string
  /** Labels that answer it at once; none when it takes more than one press. */
  readonly choices: readonly string[]
}

const MOST_CHOICES = 3
const LONGEST_CHOICE = 30

/**
 * The words of the notification for questions that nobody sees. Only a plain choice of few can be answered there: several
 * questions or options at once, and anything with more to read, are answered in the conversation.
 */
export function questionNotice(questions: readonly Question[], conversation: string): QuestionNotice {
  const [first, ...others] = questions
  if (first === undefined) return { text: `"${conversation}" waits for you.`, choices: [] }
  if (others.length > 0) return { text: `"${conversation}" has ${questions.length} questions for you.`, choices: [] }
  return { text: `"${conversation}" asks: ${first.question}`, choices: choicesOf(first) }
}

function choicesOf({ options = [], multiSelect, detail }: Question): readonly string[] {
  const labels = options.map(({ label }) => label)
  const plain = multiSelect !== true && detail === undefined && labels.length <= MOST_CHOICES
  return plain && labels.every(label => label.length <= LONGEST_CHOICE) ? labels : []
}
