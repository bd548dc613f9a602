// Which commands a composer's text asks for, and the list that offers them.
import { html, type TemplateResult } from 'lit'
import type { ConversationState } from '../messages.ts'
import { words } from './words.ts'

export type OfferedCommand = ConversationState['commands'][number]

const beginning = /^\/([a-z0-9_-]*)$/i

/** The commands that begin like the text; none once the name is complete and more follows. */
export function matchingCommands(text: string, commands: readonly OfferedCommand[]): readonly OfferedCommand[] {
  const typed = beginning.exec(text)?.[1]?.toLowerCase()
  return typed === undefined ? [] : commands.filter(command => command.name.startsWith(typed))
}

/** The listbox; the text box keeps the focus and points to the chosen option. */
export function commandList(
  commands: readonly OfferedCommand[],
  chosen: number,
  take: (command: OfferedCommand) => void,
): TemplateResult {
  return html`<ul id="commands" class="commands" role="listbox" aria-label=${words.commands}>
    ${commands.map(
      (command, index) => html`<li
        id="command-${index}"
        role="option"
        aria-selected=${index === chosen}
        class=${command.unavailable === undefined ? '' : 'unavailable'}
        @mousedown=${(event: Event) => event.preventDefault()}
        @click=${() => take(command)}
      >
        <span class="usage"><b>/${command.name}</b>${command.input ? html` <span>${command.input}</span>` : ''}</span>
        <span class="description">${command.unavailable === undefined ? command.description : words.unavailable(command.unavailable)}</span>
      </li>`,
    )}
  </ul>`
}
