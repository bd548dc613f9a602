import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import * as vscode from 'vscode'
import { ApiKeys } from '../models/keys.ts'
import { convertInPlace, stampOf } from '../persistence/convert.ts'
import { describeForm, type RootForm, sameForm } from '../persistence/root-form.ts'
import { DraftStore } from '../review/drafts/draft-store.ts'
import { messageOf, PlanModeError } from '../session/errors.ts'
import { configuration } from './configuration.ts'
import { ApprovalCards } from './conversations/approval-cards.ts'
import type { Conversation } from './conversations/conversation.ts'
import { Conversations } from './conversations/conversations.ts'
import { Project, type ProjectParts } from './conversations/project.ts'
import type { Surroundings } from './pages/conversation-state.ts'
import { Drafts } from './pages/drafts.ts'
import { composerPlace } from './pages/typed-for.ts'
import { Problems } from './problems.ts'
import { WindowQuestions } from './questions/window-questions.ts'
import { findRipgrep } from './ripgrep.ts'
import { Signal } from './signal.ts'
import { WindowModels } from './window-models.ts'
import type { WindowState } from './window-view.ts'

/**
 * Everything one VS Code window holds: its folders at work, its conversations, what is wrong, what waits for a human.
 * Owns the folders and the conversations.
 */
export class PlanWindow {
  readonly extensionUri: vscode.Uri
  readonly log: vscode.LogOutputChannel
  readonly problems = new Problems()
  readonly cards = new ApprovalCards()
  readonly questions = new WindowQuestions()
  /** Fired with the session id of an explorer that does something else now. */
  readonly explorerChanged = new Signal<string>()
  readonly keys: ApiKeys
  readonly models: WindowModels
  readonly conversations: Conversations
  readonly drafts: Drafts
  /** What the window remembers of this workspace. */
  readonly memory: vscode.Memento
  /** Unsent remarks, edits and notes on plans. */
  readonly reviewDrafts: DraftStore
  /** Resolves when the folders are open and the conversation shown before a reload is there again. */
  readonly started: Promise<void>
  readonly #developed: boolean
  readonly #projects = new Map<string, Project>()
  #following: Promise<void> = Promise.resolve()

  constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel) {
    this.extensionUri = context.extensionUri
    this.log = log
    this.#developed = context.extensionMode !== vscode.ExtensionMode.Production
    this.keys = new ApiKeys(context.secrets)
    this.models = new WindowModels(configuration.endpoint, this.keys)
    this.conversations = new Conversations(context.workspaceState)
    this.drafts = new Drafts(context.workspaceState)
    this.memory = context.workspaceState
    this.reviewDrafts = new DraftStore(join((context.storageUri ?? context.globalStorageUri).fsPath, 'reviews'))
    void this.reviewDrafts.sweep()
    this.checkSettings()
    this.started = this.#start()
  }

  /** The folders at work, in the window's order. */
  get projects(): readonly Project[] {
    return [...this.#projects.values()]
  }

  /** What the status bar and the context keys draw: the conversation shown last. */
  state(): WindowState {
    const { shown } = this.conversations
    return {
      problem: shown?.problem?.message ?? this.problems.first?.error.message,
      reviewWaiting: shown?.reviewWaiting?.title,
      questionWaiting: shown?.questions.length,
      mode: shown?.mode ?? { active: false, pending: false },
      readOnly: shown?.writtenElsewhere ?? false,
    }
  }

  /** What the conversation view shows beside its conversation. */
  surroundings(): Omit<Surroundings, 'earlier' | 'questions' | 'checkAsked'> {
    const problem = this.problems.first
    const action = problem?.setting === undefined ? null : { label: 'Open settings', command: 'planMode.openSettings' }
    return {
      model: this.models.describe(),
      problem: problem === undefined ? null : { text: problem.error.message, action },
      noFolder: (vscode.workspace.workspaceFolders ?? []).length === 0,
      shiftTabTogglesMode: configuration.shiftTabTogglesMode(),
    }
  }

  /** Model and approval setting that would carry a plan out, in one line. */
  carriedOutWith(): string {
    const writes = configuration.approvalPolicy() === 'ask' ? 'asks before each write' : 'refuses every write'
    return `${this.models.describe().label} · ${writes}`
  }

  /** A failure that no conversation shows: into the log output, for people who look for it. */
  report(error: unknown): void {
    const stack = error instanceof Error ? (error.stack ?? '') : ''
    this.log.error(`${messageOf(error)}\n${stack}`)
  }

  /** Reads the settings that can be wrong, and keeps what is wrong with them. */
  checkSettings(): void {
    const folders = vscode.workspace.workspaceFolders ?? []
    const ofFolder = /^(policy|root):/
    this.problems.retain(source => !ofFolder.test(source) || folders.some(({ uri }) => source.endsWith(`:${uri}`)))
    for (const folder of folders) {
      this.problems.check(`policy:${folder.uri}`, 'planMode.policy', () => configuration.policy(folder.uri))
      this.problems.check(`root:${folder.uri}`, 'planMode.log.root', () => configuration.logRoot(folder.uri))
    }
    this.problems.check('model', 'planMode.model', () => configuration.endpoint())
  }

  /** Opens a stored conversation of any folder without showing it; undefined when no folder has it. */
  async openById(id: string): Promise<Conversation | undefined> {
    const open = this.conversations.find(id)
    if (open !== undefined) return open
    for (const project of this.projects) {
      if (await project.has(id)) return this.conversations.open(project, id)
    }
    return undefined
  }

  /** Takes up folders that came, or that can be used now, and lets go of folders that went. */
  followFolders(): Promise<void> {
    const followed = this.#following.then(() => this.#followFolders())
    this.#following = followed.catch(() => undefined)
    return followed
  }

  /** Folders whose root keeps another form than the settings ask for. */
  wantedForms(): { readonly project: Project; readonly wanted: RootForm }[] {
    return this.projects.flatMap(project => {
      const wanted = configuration.log(vscode.Uri.file(project.folder))
      return sameForm(project.form, wanted) ? [] : [{ project, wanted }]
    })
  }

  /** Converts a folder's root; its conversations are closed meanwhile. Resolves with what to say of it. */
  async convert(project: Project, to: RootForm): Promise<string> {
    const shown = this.conversations.shown
    this.#projects.delete(project.folder)
    await this.conversations.closeOf(project)
    await project.dispose()
    try {
      const from = project.form
      const { copied, left, backup } = await convertInPlace(project.root, { from, to }, stampOf(new Date()))
      const [first] = left
      if (first !== undefined) return `Nothing was converted. ${first.file}: ${first.why}`
      if (backup === undefined) return 'There are no logs to convert; the settings apply to the first one.'
      return `${copied.length} logs were converted to ${describeForm(to)}. The old ones are kept in ${backup}.`
    } finally {
      await this.followFolders()
      if (shown?.project === project)
        await this.openById(shown.id).then(again => again && this.conversations.reveal(again))
    }
  }

  async dispose(): Promise<void> {
    await this.conversations.dispose()
    await Promise.all(this.projects.map(project => project.dispose()))
  }

  readonly #tellViolation: ProjectParts['onViolation'] = ({ id }, { rule, message }) =>
    this.log.warn(`Conversation ${id} breaks ${rule}: ${message}`)

  async #followFolders(): Promise<void> {
    const folders = vscode.workspace.workspaceFolders ?? []
    for (const folder of folders) if (!this.#projects.has(folder.uri.fsPath)) await this.#take(folder)
    for (const [path, project] of this.#projects) {
      if (folders.some(folder => folder.uri.fsPath === path)) continue
      this.#projects.delete(path)
      await this.conversations.closeOf(project)
      await project.dispose()
    }
  }

  async #start(): Promise<void> {
    try {
      await this.followFolders()
      await this.conversations.restore(this.projects)
      // What was typed for a conversation that never began is for the one that begins next.
      const gone = await this.conversations.neverBegun(this.projects)
      if (gone !== undefined) this.drafts.move(composerPlace(gone), composerPlace(null))
    } catch (error) {
      this.report(error)
      this.problems.report('restore', { error: asProblem(error) })
    }
  }

  async #take(folder: vscode.WorkspaceFolder): Promise<void> {
    if (folder.uri.scheme !== 'file') return
    const source = `root:${folder.uri}`
    try {
      const root = configuration.logRoot(folder.uri)
      const project = await Project.open({
        folder: folder.uri.fsPath,
        name: folder.name,
        root: root.path,
        rootByUser: root.byUser,
        log: configuration.log(folder.uri),
        models: this.models,
        policy: () => configuration.policy(folder.uri),
        approvalPolicy: configuration.approvalPolicy,
        toolsMode: configuration.toolsMode,
        program: programFiles(this.extensionUri),
        cards: this.cards,
        questions: this.questions,
        reviewDrafts: this.reviewDrafts,
        ripgrep: findRipgrep(vscode.env.appRoot),
        isDirty: path => vscode.workspace.textDocuments.some(open => open.isDirty && realPathOf(open.uri) === path),
        onError: error => this.report(error),
        onViolation: this.#developed ? this.#tellViolation : undefined,
      })
      project.explorers.changed.on(sessionId => this.explorerChanged.fire(sessionId))
      this.#projects.set(folder.uri.fsPath, project)
    } catch (error) {
      this.problems.report(source, { error: asProblem(error), setting: 'planMode.log.root' })
    }
  }
}

/** What `esbuild.mjs` builds beside the extension. */
function programFiles(extension: vscode.Uri): { readonly worker: string; readonly wasm: string } {
  const built = (name: string) => vscode.Uri.joinPath(extension, 'dist', name).fsPath
  return { worker: built('program-worker.js'), wasm: built('program-engine.wasm') }
}

/** Without symbolic links, as the tools name a file; the path itself where nothing is there yet. */
function realPathOf({ fsPath }: vscode.Uri): string {
  try {
    return realpathSync.native(fsPath)
  } catch {
    return fsPath
  }
}

function asProblem(error: unknown): PlanModeError {
  return error instanceof PlanModeError ? error : new PlanModeError('UNKNOWN', messageOf(error), { cause: error })
}
