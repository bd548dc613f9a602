import { posix } from 'node:path'
import * as vscode from 'vscode'
import { planTitle } from '../../plan/review.ts'
import { reviewMarkdown, sharedReview } from '../../review/exchange/export.ts'
import { type ImportedRemark, placeRemarks } from '../../review/exchange/import.ts'
import { parseReview } from '../../review/exchange/parse.ts'
import type { NewRemark } from '../../review/new-remark.ts'
import type { ShownRemark } from '../../review/shown-remark.ts'
import { PlanModeError } from '../../session/errors.ts'
import type { ImageAttachment } from '../../session/messages.ts'
import { imageLimits } from '../../webview/image-messages.ts'
import type { Conversation } from '../conversations/conversation.ts'
import type { Project } from '../conversations/project.ts'
import { plainMessage } from '../plain-message.ts'

const MOST_BYTES = 32_000_000

/** Writes the shown plan with its remarks to a file, the one given or one that is asked for, and opens it. */
export async function exportPlan({ review, project }: Conversation, given: unknown): Promise<void> {
  if (review.shown === undefined) throw new PlanModeError('NO_PLAN', 'There is no plan to export yet.')
  const plan = review.textOf()
  const title = planTitle(plan)
  const folder = vscode.Uri.file(project.folder)
  const target =
    given instanceof vscode.Uri
      ? given
      : await vscode.window.showSaveDialog({
          defaultUri: vscode.Uri.joinPath(folder, `${fileName(title)}.remarks.md`),
          filters: { Markdown: ['md'] },
          title: vscode.l10n.t('Export Plan with Remarks'),
        })
  if (target === undefined) return
  const remarks = review.remarks()
  const pictures = await writePictures(target, remarks, project)
  const text = reviewMarkdown(sharedReview(title, plan, remarks, id => pictures.get(id) ?? []))
  await vscode.workspace.fs.writeFile(target, Buffer.from(text))
  await vscode.window.showTextDocument(target, { preview: true })
}

/** Takes a colleague's remarks from an exported file as unsent ones, and says what came of each. */
export async function importRemarks({ review, project }: Conversation, given: unknown): Promise<void> {
  if (review.shown === undefined) throw new PlanModeError('NO_PLAN', 'There is no plan to remark on yet.')
  const [source] =
    given instanceof vscode.Uri
      ? [given]
      : ((await vscode.window.showOpenDialog({
          filters: { Markdown: ['md'] },
          title: vscode.l10n.t('Import Remarks on This Plan'),
        })) ?? [])
  if (source === undefined) return
  const shared = parseReview(await readText(source))
  const { remarks, unplaced, resolved, known } = placeRemarks(shared, review.textOf(), review.remarks())
  const full = await Promise.all(remarks.map(each => withPictures(source, each, project)))
  review.addAll(full)
  await review.flush()
  const said = [
    vscode.l10n.t('{0} remarks were imported; they are not sent yet.', remarks.length),
    ...(unplaced > 0 ? [vscode.l10n.t('{0} have no place in this text and keep their words.', unplaced)] : []),
    ...(known > 0 ? [vscode.l10n.t('{0} were there already.', known)] : []),
    ...(resolved > 0 ? [vscode.l10n.t('{0} were resolved and left out.', resolved)] : []),
  ]
  void vscode.window.showInformationMessage(plainMessage(said.join(' ')))
}

/** Puts the images of remarks into a folder beside the review; by remark, their files as `<folder>/<file>`. */
async function writePictures(
  target: vscode.Uri,
  remarks: readonly ShownRemark[],
  project: Project,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const stem = posix
    .basename(target.path)
    .replace(/\.md$/i, '')
    .replace(/[^\w-]+/g, '-')
    .slice(0, 60)
  const folder = `${stem.replace(/^-+$/, '') || 'plan'}-images`
  const written = new Map<string, string[]>()
  for (const { id, images = [] } of remarks) {
    for (const [index, { attachmentId, mediaType }] of images.entries()) {
      const found = await project.attachments.find(attachmentId)
      if (found === undefined) continue
      const name = `${id}-${index + 1}.${mediaType.replace('image/', '')}`
      await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(target, '..', folder, name), found.bytes)
      written.set(id, [...(written.get(id) ?? []), `${folder}/${name}`])
    }
  }
  return written
}

/** A remark that came in with the images that lie beside it; what is no picture, or is missing, is left out. */
async function withPictures(
  source: vscode.Uri,
  { pictures = [], ...remark }: ImportedRemark,
  project: Project,
): Promise<NewRemark> {
  const images: ImageAttachment[] = []
  for (const path of pictures.slice(0, imageLimits.count)) {
    try {
      const file = vscode.Uri.joinPath(source, '..', path)
      if ((await vscode.workspace.fs.stat(file)).size > imageLimits.bytes) continue
      images.push(await project.attachments.put(await vscode.workspace.fs.readFile(file), posix.basename(path)))
    } catch {
      // A colleague may send the words without the pictures.
    }
  }
  return images.length === 0 ? remark : { ...remark, images }
}

async function readText(uri: vscode.Uri): Promise<string> {
  const { size } = await vscode.workspace.fs.stat(uri)
  try {
    if (size > MOST_BYTES) throw new RangeError('too long')
    return new TextDecoder('utf-8', { fatal: true }).decode(await vscode.workspace.fs.readFile(uri))
  } catch (error) {
    throw new PlanModeError('BAD_REMARKS', `${uri.fsPath} is no text file with remarks.`, { cause: error })
  }
}

/** The title as a file name that any system takes. */
function fileName(title: string): string {
  const name = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
  return name.slice(0, 60) || 'plan'
}
