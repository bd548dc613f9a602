import type { Act } from '../../support/scripted-model.ts'
import type { Deed, Script } from './script.ts'

export const SECTION = 'Plan first. Change nothing.'

/** What one program made of a script, in words that both programs share. */
export interface Trace {
  /** Types of the logged events; neighbouring chunks count once, a change of the pending input says what it does. */
  readonly events: readonly string[]
  readonly requests: readonly ModelRequest[]
}

/** One request as the model reads it. `guidance`: the plan section is in the system text. */
export interface ModelRequest {
  readonly guidance: boolean
  readonly tools: readonly string[]
  readonly messages: readonly string[]
}

/** A program that holds a conversation: this project's, or the published packages. */
export interface Program {
  act(deed: Deed): Promise<void>
  /** Resolves when nothing more happens by itself: no turn runs, or a review waits. */
  rest(): Promise<void>
  events(): readonly string[]
  end(): Promise<void>
}

/** The model's answer, once `ready`: the person may act while it is asked. */
export interface Answer {
  readonly acts: readonly Act[]
  readonly ready: Promise<void>
}

/** Begins a program whose model asks `answer`. */
export type Begin = (answer: (request: ModelRequest) => Answer) => Promise<Program>

export async function perform(begin: Begin, { deeds, answers }: Script): Promise<Trace> {
  const requests: ModelRequest[] = []
  const left = [...answers]
  const program = await begin(request => {
    requests.push(request)
    const { acts, during = [] } = left.shift() ?? { acts: [{ text: 'Done.' }] }
    const all = async () => {
      for (const deed of during) await program.act(deed)
    }
    return { acts, ready: all() }
  })
  for (const deed of deeds) {
    await program.act(deed)
    await program.rest()
  }
  const events = program.events()
  await program.end()
  return { events, requests }
}

/** Resolves `until` when its condition holds; asked again at every wake. */
export function changes(): { wake(): void; until(condition: () => boolean): Promise<void> } {
  const waiting = new Set<() => void>()
  return {
    wake() {
      for (const each of [...waiting]) each()
      waiting.clear()
    },
    async until(condition) {
      while (!condition()) await new Promise<void>(resolve => waiting.add(resolve))
    },
  }
}

/** Lets the log refuse its next event of a type. */
export function refuseOnce(session: { append: (type: never, ...rest: never[]) => unknown }, type: string): void {
  const append = session.append.bind(session)
  const refusing = (given: string, ...rest: never[]) => {
    if (given === type) {
      Reflect.deleteProperty(session, 'append')
      throw new Error('The log takes no more.')
    }
    return append(given as never, ...rest)
  }
  Object.defineProperty(session, 'append', { value: refusing, configurable: true })
}
