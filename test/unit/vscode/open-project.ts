import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Models } from '../../../src/agent/model.ts'
import { defaultPolicy } from '../../../src/plan/policy.ts'
import { DraftStore } from '../../../src/review/drafts/draft-store.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { ApprovalCards } from '../../../src/vscode/conversations/approval-cards.ts'
import type { Conversation } from '../../../src/vscode/conversations/conversation.ts'
import { Project } from '../../../src/vscode/conversations/project.ts'
import { WindowQuestions } from '../../../src/vscode/questions/window-questions.ts'
import { engineFiles } from '../../support/engine-files.ts'

/** A workspace folder on disk with files in it, at work with these models; everything real but the model. */
export class OpenProject implements AsyncDisposable {
  readonly folder: string
  readonly models: Models
  readonly #open: Project[] = []

  private constructor(folder: string, models: Models) {
    this.folder = folder
    this.models = models
  }

  static async create(models: Models, files: Record<string, string> = {}): Promise<OpenProject> {
    const at = new OpenProject(await mkdtemp(join(tmpdir(), 'plan-mode-folder-')), models)
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(at.folder, path)), { recursive: true })
      await writeFile(join(at.folder, path), text)
    }
    return at
  }

  /** The folder as one window has it. */
  async window(): Promise<Project> {
    const project = await Project.open({
      folder: this.folder,
      name: 'demo',
      root: join(this.folder, '.plan-mode', 'sessions'),
      rootByUser: false,
      log: { backend: 'jsonl', compression: 'none', packChunks: true, batchWindow: 0 },
      models: this.models,
      policy: () => defaultPolicy,
      approvalPolicy: () => 'ask',
      toolsMode: () => 'native',
      program: engineFiles,
      questions: new WindowQuestions(),
      reviewDrafts: new DraftStore(join(this.folder, 'drafts')),
      cards: new ApprovalCards(),
      ripgrep: undefined,
      isDirty: () => false,
      onError: error => assert.fail(String(error)),
    })
    this.#open.push(project)
    return project
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const project of this.#open) await project.dispose()
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** Sends a prompt and waits until the agent rests. */
export async function say({ agent }: Conversation, text: string): Promise<void> {
  agent.prompt(newUserMessage(text))
  await agent.whenIdle()
}
