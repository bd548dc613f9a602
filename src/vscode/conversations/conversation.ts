import type { Agent } from '../../agent/agent.ts'
import { title } from '../../agent/live/title.ts'
import type { OpenSession } from '../../persistence/store.ts'
import { type PlanView, planProjection, planView } from '../../plan/projection.ts'
import { type PresentedReview, planText, planTitle, reviewProjection } from '../../plan/review.ts'
import type { PlanModeError } from '../../session/errors.ts'
import type { Session } from '../../session/session.ts'
import { Signal } from '../signal.ts'
import { Transcript } from '../transcript/transcript.ts'
import type { Project } from './project.ts'

/**
 * One conversation that is open in this window: its session, its agent, its transcript. Owns all three. What surfaces
 * draw of it are folds of the session.
 */
export class Conversation {
  readonly project: Project
  readonly agent: Agent
  readonly transcript: Transcript
  /** Fired when anything but streamed text changed. */
  readonly changed = new Signal()
  /** Fired when another window let go of the log, so that this one may write it. */
  readonly writable = new Signal()
  readonly #open: OpenSession
  readonly #parts: Disposable[]
  #problem: PlanModeError | undefined

  constructor(project: Project, open: OpenSession, agent: Agent) {
    this.project = project
    this.agent = agent
    this.#open = open
    this.transcript = new Transcript(open.session)
    const changed = () => this.changed.fire()
    this.#parts = [
      { [Symbol.dispose]: () => this.transcript.dispose() },
      open.session.observe(event => {
        if (event.type !== 'assistant/chunk') changed()
      }),
      agent.onStatus(changed),
      project.liveChanged.on(changed),
      open.onProblem(problem => {
        this.#problem = problem
        changed()
      }),
      open.onWritable(() => this.writable.fire()),
    ]
  }

  get id(): string {
    return this.session.id
  }

  get session(): Session {
    return this.#open.session
  }

  /** Path of the log; it may not exist before the first event. */
  get location(): string {
    return this.#open.location
  }

  get title(): string {
    return this.session.state(title) ?? 'New conversation'
  }

  get mode(): PlanView {
    return planView(this.session.state(planProjection))
  }

  get reviewWaiting(): (PresentedReview & { readonly title: string }) | undefined {
    const { waiting } = this.session.state(reviewProjection)
    return waiting === null ? undefined : { ...waiting, title: planTitle(planText(this.session, waiting)) }
  }

  /** Why this window cannot write, as a sentence. */
  get readOnly(): string | undefined {
    return this.#open.readOnly?.message ?? this.session.readOnly
  }

  /** The storage failure that is in force, until a flush works again. */
  get problem(): PlanModeError | undefined {
    return this.#problem
  }

  get running(): boolean {
    return this.agent.status === 'running'
  }

  /** Resolves when everything said so far is durable. */
  flush(): Promise<void> {
    return this.#open.flush()
  }

  async dispose(): Promise<void> {
    for (const part of this.#parts.splice(0)) part[Symbol.dispose]()
    await this.agent.dispose()
    await this.#open.dispose()
  }
}
