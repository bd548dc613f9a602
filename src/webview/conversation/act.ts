// How a component of the conversation view says something to the host: an event that bubbles to the view.
import type { FromConversation } from '../messages.ts'

/** Carries a message to the host. */
export class ActEvent extends Event {
  readonly message: FromConversation

  constructor(message: FromConversation) {
    super('act', { bubbles: true })
    this.message = message
  }
}

/** Sends a message from within the view. */
export function act(from: EventTarget, message: FromConversation): void {
  from.dispatchEvent(new ActEvent(message))
}
