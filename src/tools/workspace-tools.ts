import type { Approvals } from '../agent/approvals.ts'
import type { ImageStore } from '../agent/attachments.ts'
import type { Tool } from '../agent/tool.ts'
import { editFileTool } from './edit-file.ts'
import type { EditContext, OpenDocuments } from './files/change.ts'
import { Workspace } from './files/workspace.ts'
import { listFiles } from './list-files.ts'
import { readFileTool } from './read-file.ts'
import { searchText } from './search-text.ts'
import { writeFileTool } from './write-file.ts'

export interface WorkspaceToolsOptions {
  /** The workspace folder, absolute. */
  readonly root: string
  /** Absolute folders that no tool reaches (the log root); they need not exist yet. */
  readonly forbidden: readonly string[]
  readonly approvals: Approvals
  /** Path of a ripgrep binary; without one the search is done in plain Node. */
  readonly ripgrep?: string
  /** Where an image that is read is kept for the model; without it images are binary files. */
  readonly images?: ImageStore
  /** Lets edits refuse a file that has unsaved changes in the editor. */
  readonly openDocuments?: OpenDocuments
}

/** The tools of one workspace folder, in the order a model sees them. None of them reads plan state. */
export function workspaceTools(options: WorkspaceToolsOptions): Tool[] {
  const workspace = new Workspace(options.root, options.forbidden)
  const context: EditContext = {
    workspace,
    approvals: options.approvals,
    ...(options.openDocuments === undefined ? {} : { openDocuments: options.openDocuments }),
  }
  return [...readingTools(options), writeFileTool(context), editFileTool(context)]
}

/** Those of them that change nothing, and so ask for no approval. */
export function readingTools({
  root,
  forbidden,
  ripgrep,
  images,
}: Pick<WorkspaceToolsOptions, 'root' | 'forbidden' | 'ripgrep' | 'images'>): Tool[] {
  const workspace = new Workspace(root, forbidden)
  return [listFiles(workspace), readFileTool(workspace, images), searchText(workspace, ripgrep)]
}
