import * as vscode from 'vscode'
import { FileReview, type FileVerdict, MOST_CHARACTERS } from '../../review/file-review.ts'
import { PlanModeError } from '../../session/errors.ts'
import { send } from '../acts.ts'
import { Signal } from '../signal.ts'
import type { PlanWindow } from '../window.ts'

const REMEMBERED = 'planMode.filesUnderReview'

/** Files that a person reviews without an agent: remembered until the review is ended, with or without their remarks. */
export class FileReviews {
  readonly changed = new Signal()
  /** Fired when a file comes under review, or is no more. */
  readonly listed = new Signal()
  readonly #window: PlanWindow
  readonly #reviews = new Map<string, FileReview>()

  constructor(window: PlanWindow) {
    this.#window = window
    const kept = window.memory.get<unknown>(REMEMBERED)
    if (Array.isArray(kept)) for (const uri of kept) if (typeof uri === 'string') this.#take(uri)
  }

  of(uri: vscode.Uri): FileReview | undefined {
    return this.#reviews.get(uri.toString())
  }

  /** Opens a Markdown file for review in its editor. */
  async begin(uri: vscode.Uri): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uri)
    if (document.languageId !== 'markdown') {
      throw new PlanModeError('NOT_MARKDOWN', 'Only Markdown files can be reviewed.')
    }
    if (document.getText().length > MOST_CHARACTERS) {
      throw new PlanModeError('TEXT_TOO_LONG', 'This file is too long to be reviewed: two million characters at most.')
    }
    const review = this.of(uri) ?? this.#take(uri.toString())
    await review.loaded
    await this.#remember()
    this.listed.fire()
    await vscode.window.showTextDocument(document, { preview: false })
    this.changed.fire()
    void vscode.window.setStatusBarMessage(
      vscode.l10n.t('Remark on lines with the + beside them. End with "Plan: Finish File Review".'),
      8_000,
    )
  }

  /** Asks for the verdict and where it goes, and takes it there. Remarks stay until they are sent or dropped. */
  async finish(uri: vscode.Uri): Promise<void> {
    const review = this.of(uri)
    if (review === undefined) throw new PlanModeError('NO_FILE_REVIEW', 'This file is not under review.')
    await vscode.workspace.openTextDocument(uri)
    const verdict = await pickVerdict(review.remarks().length)
    if (verdict === undefined) return
    if (verdict === 'end') return await this.#end(uri)
    if (verdict === 'drop') {
      review.clear()
      await review.flush()
      return await this.#end(uri)
    }
    const notes = await vscode.window.showInputBox({
      prompt: vscode.l10n.t('Notes on the whole file, if there are any'),
      value: review.notes,
      ignoreFocusOut: true,
    })
    if (notes === undefined) return
    review.setNotes(notes)
    const text = review.verdictText(vscode.workspace.asRelativePath(uri), verdict)
    const where = await pickWhere()
    if (where === 'copy') await vscode.env.clipboard.writeText(text)
    if (where === 'save') await saveBeside(uri, text)
    if (where === 'send' && (await send(this.#window, text))) {
      review.clear()
      await review.flush()
      await this.#end(uri)
    }
  }

  async #end(uri: vscode.Uri): Promise<void> {
    this.#reviews.delete(uri.toString())
    await this.#remember()
    this.listed.fire()
    this.changed.fire()
  }

  #take(uri: string): FileReview {
    const text = () => vscode.workspace.textDocuments.find(open => open.uri.toString() === uri)?.getText() ?? ''
    const review = new FileReview(uri, text, this.#window.reviewDrafts, error => this.#window.report(error))
    review.onChange(() => this.changed.fire())
    this.#reviews.set(uri, review)
    return review
  }

  async #remember(): Promise<void> {
    await this.#window.memory.update(REMEMBERED, [...this.#reviews.keys()])
  }
}

async function pickVerdict(remarks: number): Promise<FileVerdict | 'end' | 'drop' | undefined> {
  const said = vscode.l10n.t('{0} remarks', remarks)
  const picks = [
    { label: vscode.l10n.t('Keep Working on It'), description: said, verdict: 'kept' as const },
    { label: vscode.l10n.t('Approve'), description: said, verdict: 'approved' as const },
    { label: vscode.l10n.t('Stop Reviewing, Keep the Remarks'), verdict: 'end' as const },
    { label: vscode.l10n.t('Stop Reviewing, Drop the Remarks'), verdict: 'drop' as const },
  ]
  const chosen = await vscode.window.showQuickPick(picks, { placeHolder: vscode.l10n.t('Your verdict on this file') })
  return chosen?.verdict
}

async function pickWhere(): Promise<'copy' | 'save' | 'send' | undefined> {
  const picks = [
    { label: vscode.l10n.t('Copy It'), where: 'copy' as const },
    { label: vscode.l10n.t('Save It Beside the File'), where: 'save' as const },
    { label: vscode.l10n.t('Send It to the Agent'), where: 'send' as const },
  ]
  const chosen = await vscode.window.showQuickPick(picks, { placeHolder: vscode.l10n.t('Where the verdict goes') })
  return chosen?.where
}

/** As `guide.review.md`, or `guide.review-2.md` and so on: nothing is written over. */
async function saveBeside(uri: vscode.Uri, text: string): Promise<void> {
  const stem = uri.path.replace(/\.[^./]+$/, '')
  for (let number = 1; ; number++) {
    const target = uri.with({ path: `${stem}.review${number === 1 ? '' : `-${number}`}.md` })
    if (await exists(target)) continue
    await vscode.workspace.fs.writeFile(target, Buffer.from(`${text}\n`))
    await vscode.window.showTextDocument(target, { preview: false })
    return
  }
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri)
    return true
  } catch {
    return false
  }
}
