import { PlanModeError } from '../session/errors.ts'
import type { Agent } from './agent.ts'

/** One part of the system text. `render` reads committed state only; undefined or empty contributes nothing. */
export interface PromptSection {
  readonly name: string
  readonly order: number
  render(agent: Agent): string | undefined
}

/** The system text of a request: the sections in order, joined by blank lines. Assembled once per step. */
export class Prompt {
  readonly #sections: PromptSection[] = []

  /** @throws PlanModeError `DUPLICATE_SECTION` for a name that is taken. */
  register(section: PromptSection): Disposable {
    if (this.#sections.some(known => known.name === section.name)) {
      throw new PlanModeError('DUPLICATE_SECTION', `A prompt section named ${section.name} is registered already.`)
    }
    this.#sections.push(section)
    this.#sections.sort((one, other) => one.order - other.order)
    return { [Symbol.dispose]: () => void this.#sections.splice(this.#sections.indexOf(section), 1) }
  }

  /** Section texts exactly as rendered; undefined when none contributes. */
  render(agent: Agent): string | undefined {
    const texts = this.#sections.map(section => section.render(agent)).filter(text => text !== undefined && text !== '')
    return texts.length === 0 ? undefined : texts.join('\n\n')
  }
}
