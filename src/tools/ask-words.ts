/** Every word of `ask_user_question` that a model reads, in one place: changing one changes behaviour. */
export const ASK_USER_QUESTION = 'ask_user_question'

export const ASK_DESCRIPTION =
  'Asks the user one or more questions and waits for the answers. Use it when the next step depends on a choice that only the user can make (a preference, a trade-off, a missing requirement) and that you cannot look up in the workspace. Put questions that belong together into one call. Give two to four options when you can name them; the user can always write an answer of their own, so add no option such as "Other". Do not use it to have a plan approved or an edit allowed: those are asked elsewhere. The result is JSON: {"answers":[{"id","selected","custom"?}]}, one answer for each question in the same order; "selected" holds labels of options, "custom" what the user wrote.'

export const QUESTIONS_MEANING = 'One to eight questions that are asked together.'
export const ID_MEANING = 'Names the question in the answer; unique in this call.'
export const QUESTION_MEANING = 'The whole question, as the user reads it.'
export const HEADER_MEANING = 'What the question is about, in one to three words.'
export const OPTIONS_MEANING = 'Answers to choose from. Without any, the user writes the answer.'
export const LABEL_MEANING = 'The answer in a few words; unique in its question.'
export const MEANING_MEANING = 'What choosing it means, in one sentence.'
export const MULTI_MEANING = 'Whether several options may be chosen. Default: false.'

export const cancelled =
  'The user closed the questions without answering. Do not ask the same again. If the work makes sense without the answer, go on and say what you assumed; otherwise say in one sentence what you need to know, end your turn and wait for the next message.'

export function repeatedId(id: string): string {
  return `Two questions have the id "${id}". Give each question an id of its own and ask again.`
}

export function repeatedLabel(id: string, label: string): string {
  return `Question "${id}" has the option "${label}" twice. Give each option a label of its own and ask again.`
}
