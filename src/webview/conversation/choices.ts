// What is chosen and typed for a question, as a value: how it begins, changes, and becomes an answer.
import type { Choice, FromConversation, OpenQuestion } from '../messages.ts'

export type Question = OpenQuestion['questions'][number]
type Answer = Extract<FromConversation, { kind: 'answerQuestion' }>['answers'][number]

/** One choice for each question, in order: what was kept where it still fits, else nothing. */
export function choicesFrom(questions: readonly Question[], kept: readonly Choice[]): readonly Choice[] {
  return questions.map(question => {
    const { selected = [], custom = '', own = false } = kept.find(({ id }) => id === question.id) ?? {}
    const known = question.options.flatMap(({ label }) => (selected.includes(label) ? [label] : []))
    return { id: question.id, selected: known, custom, own: own || question.options.length === 0 }
  })
}

/** An option was pressed. A single choice takes the place of another and of the person's own words, which stay written. */
export function choose(question: Question, choice: Choice, label: string): Choice {
  if (!question.multiSelect) return { ...choice, selected: [label], own: false }
  const selected = question.options.flatMap(option => {
    const chosen = choice.selected.includes(option.label) !== (option.label === label)
    return chosen ? [option.label] : []
  })
  return { ...choice, selected }
}

/** The person's own words count, or no longer do. */
export function chooseOwn(question: Question, choice: Choice, own: boolean): Choice {
  return { ...choice, own, selected: own && !question.multiSelect ? [] : choice.selected }
}

/** Words that are written count at once. */
export function write(question: Question, choice: Choice, custom: string): Choice {
  return chooseOwn(question, { ...choice, custom }, custom.trim() !== '' || question.options.length === 0)
}

/** Whether a question still needs something: several options may also be none of them. */
export function isOpen(question: Question, choice: Choice): boolean {
  if (choice.own) return choice.custom.trim() === '' && choice.selected.length === 0
  return choice.selected.length === 0 && !question.multiSelect
}

export function answerOf({ id, selected, custom, own }: Choice): Answer {
  const words = own ? custom.trim() : ''
  return { id, selected: [...selected], ...(words === '' ? {} : { custom: words }) }
}

/** The choices as they are sent: words that do not count were given up. */
export function sentChoices(choices: readonly Choice[]): Choice[] {
  return choices.map(choice => (choice.own ? { ...choice, custom: choice.custom.trim() } : { ...choice, custom: '' }))
}
