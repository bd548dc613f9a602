import { join } from 'node:path'
import { installCode } from '../../agent/code/run-code.ts'
import { compactCommand } from '../../agent/compaction/command.ts'
import { openAgent } from '../../agent/live/live-agent.ts'
import type { Models } from '../../agent/model.ts'
import type { AgentRuntime } from '../../agent/runtime.ts'
import type { ToolsMode } from '../../agent/tool.ts'
import { ATTACHMENTS_FOLDER, AttachmentStore } from '../../persistence/attachments/attachment-store.ts'
import { FIRST_ANSWERS_FOLDER, FirstAnswers } from '../../persistence/first-answers.ts'
import { projectKey } from '../../persistence/jsonl/paths.ts'
import type { LogProblem } from '../../persistence/persistence.ts'
import { persistenceOf, type RootForm, rootFormOf } from '../../persistence/root-form.ts'
import {
  type ForkPoint,
  type OpenOptions,
  type OpenSession,
  type SessionDescription,
  SessionStore,
  type SessionSummary,
} from '../../persistence/store.ts'
import type { PlanModeController } from '../../plan/controller.ts'
import { installPlanMode } from '../../plan/plan-mode.ts'
import type { PlanPolicy } from '../../plan/policy.ts'
import type { DraftStore } from '../../review/drafts/draft-store.ts'
import { ReviewDesk } from '../../review/review-desk.ts'
import type { ApprovalPolicy } from '../../session/events.ts'
import type { NewSession, SessionHeader } from '../../session/header.ts'
import { observeInvariants, type Violation } from '../../session/invariants/invariants.ts'
import type { Session } from '../../session/session.ts'
import { type EngineFiles, QuickJsEngine } from '../../tools/program/quickjs-engine.ts'
import { readingTools } from '../../tools/workspace-tools.ts'
import { Explorers } from '../explorers/explorers.ts'
import { nameFork } from '../forks/fork-title.ts'
import type { WindowQuestions } from '../questions/window-questions.ts'
import { isInside } from '../settings.ts'
import { Signal } from '../signal.ts'
import type { ApprovalCards } from './approval-cards.ts'
import { workspaceSection } from './base-prompt.ts'
import { Conversation } from './conversation.ts'
import { confirmInside } from './log-place.ts'
import { assembleRuntime, placeOf } from './project-runtime.ts'

/** What a window hands to each of its workspace folders. Functions are read anew at each use. */
export interface ProjectParts {
  /** Absolute path and name of the folder. */
  readonly folder: string
  readonly name: string
  /** Absolute path of the sessions root; `rootByUser` when the user's own settings place it. */
  readonly root: string
  readonly rootByUser: boolean
  /** How an empty root keeps its logs; a root that has logs keeps its own form. `batchWindow` in milliseconds. */
  readonly log: RootForm & { readonly packChunks: boolean; readonly batchWindow: number }
  readonly models: Models
  readonly policy: () => PlanPolicy
  readonly approvalPolicy: () => ApprovalPolicy
  readonly toolsMode: () => ToolsMode
  /** Where the thread that runs programs, and its engine, are built to. */
  readonly program: EngineFiles
  readonly cards: ApprovalCards
  readonly questions: WindowQuestions
  /** What was typed for reviews and not sent, of all conversations of the window. */
  readonly reviewDrafts: DraftStore
  /** Path of the ripgrep binary VS Code ships, where it is known. */
  readonly ripgrep: string | undefined
  /** Whether an editor holds unsaved changes of the file (absolute path). */
  readonly isDirty: (path: string) => boolean
  readonly onError: (error: unknown) => void
  /** Given while the product is developed: told of what breaks a rule of the log. Nobody's work is stopped by it. */
  readonly onViolation?: ((session: Session, violation: Violation) => void) | undefined
}

/** One workspace folder at work: its session store, its runtime, plan mode in it. Owns all of them. */
export class Project {
  readonly folder: string
  readonly name: string
  readonly root: string
  /** The settings that it was opened with. */
  readonly log: ProjectParts['log']
  /** How the root keeps its logs. */
  readonly form: RootForm
  readonly controller: PlanModeController
  readonly desk: ReviewDesk
  readonly cards: ApprovalCards
  readonly questions: WindowQuestions
  readonly reviewDrafts: DraftStore
  /** Told of failures that no turn and no surface carries. */
  readonly onError: (error: unknown) => void
  readonly runtime: AgentRuntime
  readonly explorers: Explorers
  /** The pictures of the root's conversations. */
  readonly attachments: AttachmentStore
  /** What all windows on the root must answer alike. */
  readonly firstAnswers: FirstAnswers
  /** Fired when a review began or ceased to have a call that waits for it. */
  readonly liveChanged: Signal
  readonly #store: SessionStore
  readonly #engine: QuickJsEngine
  readonly #onViolation: ProjectParts['onViolation']
  readonly #open = new WeakMap<Session, OpenSession>()
  readonly #parts: Disposable[] = []

  /** @throws PlanModeError `BAD_LOG_ROOT` when the root leaves the folder through a link. */
  static async open(parts: ProjectParts): Promise<Project> {
    if (!parts.rootByUser) {
      await confirmInside(parts.folder, join(parts.root, projectKey(parts.folder)))
      await confirmInside(parts.folder, join(parts.root, ATTACHMENTS_FOLDER))
      await confirmInside(parts.folder, join(parts.root, FIRST_ANSWERS_FOLDER))
    }
    return new Project(parts, (await rootFormOf(parts.root)) ?? parts.log)
  }

  private constructor(parts: ProjectParts, form: RootForm) {
    this.folder = parts.folder
    this.name = parts.name
    this.root = parts.root
    this.log = parts.log
    this.cards = parts.cards
    this.questions = parts.questions
    this.reviewDrafts = parts.reviewDrafts
    this.onError = parts.onError
    this.liveChanged = new Signal(parts.onError)
    this.form = { backend: form.backend, compression: form.compression }
    this.#onViolation = parts.onViolation
    const onObserverError = parts.onError
    this.#store = new SessionStore({
      root: parts.root,
      cwd: parts.folder,
      windowMs: parts.log.batchWindow,
      persistence: persistenceOf(parts.root, form, {
        packChunks: parts.log.packChunks,
        projections: () => this.runtime.projections.all,
        onObserverError,
      }),
      onObserverError,
    })
    this.attachments = new AttachmentStore(parts.root)
    this.firstAnswers = new FirstAnswers(parts.root)
    this.desk = new ReviewDesk(() => this.liveChanged.fire())
    this.#engine = new QuickJsEngine(parts.program)
    this.explorers = new Explorers({
      store: this.#store,
      tools: readingTools(placeOf(parts, this.attachments)),
      sections: [workspaceSection(parts)],
      adopt: open => this.#open.set(open.session, open),
      onError: parts.onError,
    })
    const { runtime, parts: desks } = assembleRuntime(parts, {
      attachments: this.attachments,
      explorers: this.explorers,
      flush: async session => await this.#open.get(session)?.flush(),
    })
    this.runtime = runtime
    this.#parts.push(...desks)
    this.#parts.push(installCode(this.runtime, this.#engine))
    this.#parts.push(parts.questions.reviewAt(this.runtime, this.desk))
    const plan = installPlanMode(this.runtime, parts.policy)
    this.controller = plan.controller
    this.#parts.push(plan)
    this.runtime.commands?.register(compactCommand)
  }

  async create(given: NewSession = {}): Promise<Conversation> {
    return await this.#converse(await this.#store.create({ ...given, cwd: this.folder }))
  }

  /** Read-only when another window writes it. `patient`: see SessionStore. */
  async open(id: string, options?: OpenOptions): Promise<Conversation> {
    return await this.#converse(await this.#store.open(id, options))
  }

  /** For writing, also when another window writes it. */
  async takeOver(id: string): Promise<Conversation> {
    return await this.#converse(await this.#store.takeOver(id))
  }

  /** A new conversation that goes on from a point of a stored or open one, under a title that says so. @throws `forkCodes` */
  async fork(id: string, at: ForkPoint): Promise<Conversation> {
    const open = await this.#store.fork(id, at)
    nameFork(open.session)
    return await this.#converse(open)
  }

  /** The conversations of this folder, newest first, and the logs that cannot be listed. */
  async list(): Promise<{ sessions: readonly SessionSummary[]; problems: readonly LogProblem[] }> {
    const { sessions, problems } = await this.#store.list()
    return {
      sessions: sessions.filter(({ header }) => header.origin === undefined && this.#isOwn(header)),
      problems,
    }
  }

  /** A root inside the folder is the folder's own, also after the folder was moved; a shared one tells them by `cwd`. */
  #isOwn({ cwd }: SessionHeader): boolean {
    return cwd === this.folder || isInside(this.folder, this.root)
  }

  /** Also of an explorer's session, which the list leaves out. */
  describe(id: string, signal?: AbortSignal): Promise<SessionDescription> {
    return this.#store.describe(id, signal)
  }

  async has(id: string): Promise<boolean> {
    return (await this.list()).sessions.some(({ header }) => header.id === id)
  }

  async dispose(): Promise<void> {
    for (const part of this.#parts.splice(0).reverse()) part[Symbol.dispose]()
    await this.#engine[Symbol.asyncDispose]()
    await this.#store.dispose()
  }

  /** Owns the session once it is a conversation; one that cannot become one is closed again, its lock freed. */
  async #converse(open: OpenSession): Promise<Conversation> {
    const { session } = open
    this.#open.set(session, open)
    const tell = this.#onViolation
    if (tell !== undefined) observeInvariants(session, violation => tell(session, violation))
    try {
      return new Conversation(this, open, openAgent(session, this.runtime))
    } catch (error) {
      await open.dispose()
      throw error
    }
  }
}
