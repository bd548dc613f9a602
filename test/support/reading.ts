import type { EventType, SessionEvent } from '../../src/session/events.ts'
import type { ToolResultBlock } from '../../src/session/messages.ts'
import type { Session } from '../../src/session/session.ts'
import type { TurnEndReason } from '../../src/session/turn-end.ts'

/** Short ways for a test to read a log. */
type Of<T extends EventType> = Extract<SessionEvent, { readonly type: T }>

export function eventsOf<T extends EventType>(session: Session, type: T): Of<T>[] {
  return [...session.from(0)].filter((event): event is Of<T> => event.type === type)
}

/** Event types in order; neighbouring chunks count once. */
export function typesOf(session: Session, from = 0): string[] {
  const types = [...session.from(from)].map(event => event.type)
  return types.filter((type, index) => type !== 'assistant/chunk' || types[index - 1] !== type)
}

export function endsOf(session: Session): TurnEndReason[] {
  return eventsOf(session, 'turn/end').map(event => event.data.reason)
}

/** What the model reads of each tool result, with the error code if it has one. */
export function resultsOf(session: Session): { callId: string; text: string; isError: boolean; code?: string }[] {
  return eventsOf(session, 'tool/result').map(({ data }) => {
    const block = data.message.content.find((each): each is ToolResultBlock => each.type === 'tool-result')
    const text = block?.content.map(part => (part.type === 'text' ? part.text : '')).join('') ?? ''
    const code = data.error === undefined ? {} : { code: `${data.error.name}/${data.error.code}` }
    return { callId: data.message.source.callId, text, isError: block?.isError === true, ...code }
  })
}

/** The texts of logged user messages. */
export function inputsOf(session: Session): string[] {
  return eventsOf(session, 'user/message').map(({ data }) =>
    data.content.map(part => (part.type === 'text' ? part.text : `[${part.type}]`)).join(''),
  )
}
