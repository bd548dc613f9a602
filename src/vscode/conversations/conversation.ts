import type { Agent } from '../../agent/agent.ts'
import { askAboutPlan } from '../../agent/children/ask.ts'
import { storageCodes } from '../../persistence/errors.ts'
import type { OpenSession } from '../../persistence/store.ts'
import type { PlanView } from '../../plan/projection.ts'
import { type PresentedReview, planText, planTitle, reviewProjection } from '../../plan/review.ts'
import { Asks } from '../../review/asks.ts'
import { ReviewWork } from '../../review/review-work.ts'
import type { PlanModeError } from '../../session/errors.ts'
import type { Projection } from '../../session/projections.ts'
import type { Session } from '../../session/session.ts'
import { title } from '../../session/title.ts'
import { turnBoundary } from '../../session/turns.ts'
import type { OpenQuestion } from '../questions/open-questions.ts'
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
  /** What the person says of its plans: unsent, sent, and where each remark stands on the plan that is shown. */
  readonly review: ReviewWork
  /** What the person asks about the plan without ending its review. */
  readonly asks: Asks
  /** Fired when anything but streamed text changed. */
  readonly changed = new Signal()
  /** Fired when this no longer stands for its session, and has to be opened anew. */
  readonly stale = new Signal()
  readonly #open: OpenSession
  readonly #parts: Disposable[]
  #problem: PlanModeError | undefined

  constructor(project: Project, open: OpenSession, agent: Agent) {
    this.project = project
    this.agent = agent
    this.#open = open
    this.transcript = new Transcript(open.session)
    this.review = new ReviewWork(open.session, project.reviewDrafts, error => project.onError(error))
    this.asks = new Asks(this.review, (question, signal, began) =>
      askAboutPlan(question, { agent, signal, began }, project.explorers),
    )
    const changed = () => this.changed.fire()
    this.#parts = [
      { [Symbol.dispose]: () => this.transcript.dispose() },
      open.session.observe(event => {
        if (event.type !== 'assistant/chunk') changed()
      }),
      agent.onStatus(changed),
      project.liveChanged.on(changed),
      this.review.onChange(changed),
      open.onProblem(problem => {
        this.#problem = problem
        changed()
      }),
      open.onStale(() => this.stale.fire()),
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
    return this.#state(title) ?? 'New conversation'
  }

  get mode(): PlanView {
    return this.project.controller.view(this.agent)
  }

  get reviewWaiting(): (PresentedReview & { readonly title: string }) | undefined {
    const { waiting } = this.#state(reviewProjection)
    return waiting === null ? undefined : { ...waiting, title: planTitle(planText(this.session, waiting)) }
  }

  /** What the agent waits to be answered in this window, oldest first. */
  get questions(): readonly OpenQuestion[] {
    return this.project.questions.open.of(this.agent)
  }

  /** Why this window cannot write, as a sentence. */
  get readOnly(): string | undefined {
    return this.#open.readOnly?.message ?? this.session.readOnly
  }

  /** Whether another window writes it, so that "Continue here" is the way to go on. */
  get writtenElsewhere(): boolean {
    const code = this.#open.readOnly?.code
    return code === storageCodes.writerBusy || code === storageCodes.writerLost
  }

  /** Whether the place was lost to another window while this one wrote. */
  get lost(): boolean {
    const code = this.#open.readOnly?.code
    return code === storageCodes.writerLost || code === storageCodes.alreadyExists
  }

  /** The storage failure that is in force, until a flush works again. */
  get problem(): PlanModeError | undefined {
    return this.#problem
  }

  /** A turn is running: here, or in the window that writes. */
  get running(): boolean {
    const elsewhere = this.#open.readOnly?.code === storageCodes.writerBusy
    return elsewhere ? this.#state(turnBoundary).turnOpen : this.agent.status === 'running'
  }

  #state<S>(projection: Projection<S>): S {
    return this.project.runtime.projections.state(this.session, projection)
  }

  /** Resolves when everything said so far is durable. */
  flush(): Promise<void> {
    return this.#open.flush()
  }

  /** As `flush`; a log that something else deleted or cut short is written anew first. */
  save(): Promise<void> {
    return this.#open.save()
  }

  /** Shows a failure to open it anew, until that works. */
  report(problem: PlanModeError): void {
    this.#problem = problem
    this.changed.fire()
  }

  async dispose(): Promise<void> {
    for (const part of this.#parts.splice(0)) part[Symbol.dispose]()
    await this.asks[Symbol.asyncDispose]()
    await this.agent.dispose()
    await this.#open.dispose()
  }
}
