import { type Question, type QuestionAnswers, UserQuestionError } from '../questions.ts'

/**
 * Holds an answer against its questions: same number and order, ids equal, labels unique and among the options, a text
 * that is not blank, one answer to a single choice (session-log format, section 14).
 * @throws UserQuestionError `BAD_ANSWER`, whose message says which answer is wrong and how.
 */
export function assertAnswers(questions: readonly Question[], answers: QuestionAnswers): void {
  const problem = answerProblem(questions, answers)
  if (problem !== undefined) throw new UserQuestionError('BAD_ANSWER', `The answer was refused: ${problem}.`)
}

function answerProblem(questions: readonly Question[], { answers }: QuestionAnswers): string | undefined {
  if (answers.length !== questions.length) return `${questions.length} answers are due and ${answers.length} came`
  for (const [index, question] of questions.entries()) {
    const answer = answers[index]
    if (answer?.id !== question.id) return `answer ${index + 1} is not for question "${question.id}"`
    const problem = selectionProblem(question, answer)
    if (problem !== undefined) return `question "${question.id}" ${problem}`
  }
  return undefined
}

function selectionProblem(question: Question, answer: QuestionAnswers['answers'][number]): string | undefined {
  const { selected, custom } = answer
  const labels = new Set(question.options?.map(option => option.label))
  if (new Set(selected).size < selected.length) return 'has an option selected twice'
  const unknown = selected.find(label => !labels.has(label))
  if (unknown !== undefined) return `has no option "${unknown}"`
  if (custom !== undefined && custom.trim() === '') return 'has a blank text'
  const count = selected.length + (custom === undefined ? 0 : 1)
  return question.multiSelect !== true && count > 1 ? 'takes one answer only' : undefined
}
