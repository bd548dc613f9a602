import { z } from 'zod'
import { messageOf, PlanModeError } from '../../session/errors.ts'
import {
  type Choice,
  choice,
  type FromConversation,
  type OpenQuestion as QuestionView,
} from '../../webview/messages.ts'
import type { Item } from '../../webview/transcript-messages.ts'
import type { Conversation } from '../conversations/conversation.ts'
import type { OpenQuestion } from '../questions/open-questions.ts'
import type { PlanWindow } from '../window.ts'
import type { Drafts } from './drafts.ts'

/** The questions of a conversation as its page draws them, with what was chosen and typed before. */
export function questionViews(conversation: Conversation, drafts: Drafts): QuestionView[] {
  return conversation.questions.map(open => {
    const id = idIn(conversation, open)
    const { text, at } = drafts.read(placeOf(conversation.id, id))
    const questions = open.request.questions.map(({ options = [], multiSelect = false, intent: _, ...question }) => ({
      ...question,
      options: [...options],
      multiSelect,
    }))
    return { id, questions, kept: choicesIn(text), keptAt: at }
  })
}

/**
 * Settles the question that a page means: the first answer that fits counts. Gives what is wrong, as a sentence; then the
 * question waits on, or has been settled before.
 */
export function refusalOf(
  { conversations, questions: { open } }: Pick<PlanWindow, 'conversations' | 'questions'>,
  message: Settling,
): string | undefined {
  try {
    const { id } = openQuestion(conversations.find(message.sessionId), message.id)
    if (message.kind === 'dismissQuestion') open.dismiss(id)
    else open.answer(id, { answers: message.answers.map(withoutNothing) })
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

type Settling = Extract<FromConversation, { kind: 'answerQuestion' | 'dismissQuestion' }>

function withoutNothing({ custom, ...answer }: { id: string; selected: string[]; custom?: string | undefined }) {
  return custom === undefined ? answer : { ...answer, custom }
}

function openQuestion(conversation: Conversation | undefined, id: string): OpenQuestion {
  const open = conversation?.questions.find(each => idIn(conversation, each) === id)
  if (open !== undefined) return open
  throw new PlanModeError('QUESTION_CLOSED', 'This question is not waiting any more. Send a message instead.')
}

/** Keeps what is chosen and typed, under an id that the same question has after a reload. */
export function keepChoices(drafts: Drafts, sessionId: string, id: string, choices: readonly Choice[]): void {
  const blank = choices.every(({ selected, custom }) => selected.length === 0 && custom === '')
  drafts.keep(placeOf(sessionId, id), blank ? '' : JSON.stringify(choices))
}

/**
 * The entry of a question that waits no more, with the words that were typed for it and are not in the log. Once all of
 * them are there the draft is let go.
 */
export function withUnsent(item: Item, sessionId: string, drafts: Drafts): Item {
  if (item.kind !== 'question' || item.state === 'waiting') return item
  const place = placeOf(sessionId, item.id)
  const kept = drafts.read(place).text
  const logged = new Set(item.asked.map(({ custom }) => custom?.trim()))
  const unsent = choicesIn(kept).flatMap(({ custom }) =>
    custom.trim() === '' || logged.has(custom.trim()) ? [] : [custom],
  )
  if (unsent.length > 0) return { ...item, unsent: unsent.join('\n\n') }
  if (kept !== '') drafts.keep(place, '')
  return item
}

/** A page finds a question by the entry of the call that asks it, which is the same after any reload. */
function idIn({ transcript }: Conversation, { id, request }: OpenQuestion): string {
  return (request.callId === undefined ? undefined : transcript.entryOfCall(request.callId)) ?? id
}

function placeOf(sessionId: string, id: string): string {
  return `question:${sessionId}:${id}`
}

const kept = z
  .string()
  .transform(text => (text === '' ? [] : (JSON.parse(text) as unknown)))
  .pipe(z.array(choice))
  .catch([])

function choicesIn(text: string): Choice[] {
  return kept.parse(text)
}
