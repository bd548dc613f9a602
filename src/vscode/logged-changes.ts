import * as vscode from 'vscode'
import { z } from 'zod'
import { type ChangeSides, changeSides } from '../plan/steps/change-sides.ts'
import { type ChangeRef, changeAt } from '../plan/steps/file-changes.ts'
import { PlanModeError } from '../session/errors.ts'
import type { Session } from '../session/session.ts'
import type { Conversation } from './conversations/conversation.ts'
import { LOGGED_CHANGE_SCHEME } from './ids.ts'
import type { PlanWindow } from './window.ts'

const place = z.strictObject({
  session: z.string(),
  side: z.enum(['before', 'after']),
  refs: z.array(z.strictObject({ seq: z.int(), callId: z.string().optional() })),
})
type Place = z.infer<typeof place>

/** Shows what was changed in the native diff editor, from the log alone: also after a reload, in a fork, of a lost file. */
export class LoggedChanges implements vscode.TextDocumentContentProvider {
  readonly #window: PlanWindow
  readonly #provider: vscode.Disposable

  constructor(window: PlanWindow) {
    this.#window = window
    this.#provider = vscode.workspace.registerTextDocumentContentProvider(LOGGED_CHANGE_SCHEME, this)
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    await this.#window.started
    const { session: id, side, refs } = place.parse(JSON.parse(uri.query))
    const conversation = await this.#window.openById(id)
    return conversation === undefined ? '' : sidesOf(conversation.session, refs)[side]
  }

  /** @throws PlanModeError `NO_DIFF` for changes whose diff the log does not keep. */
  async show({ session }: Conversation, path: string, refs: readonly ChangeRef[]): Promise<void> {
    const { before, after, partial } = sidesOf(session, refs)
    if (before === '' && after === '') {
      throw new PlanModeError(
        'NO_DIFF',
        `The log keeps no diff of this change of ${path}. Open the file to see it as it is.`,
      )
    }
    const uriOf = (side: Place['side']) =>
      vscode.Uri.from({
        scheme: LOGGED_CHANGE_SCHEME,
        path: `/${path}`,
        query: JSON.stringify({ session: session.id, side, refs } satisfies { [K in keyof Place]: unknown }),
      })
    const title = partial ? vscode.l10n.t('{0} (part of what was changed)', path) : vscode.l10n.t('{0} (changed)', path)
    await vscode.commands.executeCommand('vscode.diff', uriOf('before'), uriOf('after'), title, { preview: true })
  }

  dispose(): void {
    this.#provider.dispose()
  }
}

function sidesOf(session: Session, refs: readonly ChangeRef[]): ChangeSides {
  return changeSides(refs.flatMap(ref => changeAt(session, ref) ?? []))
}
