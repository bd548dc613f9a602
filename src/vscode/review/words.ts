import * as vscode from 'vscode'
import type { RemarkKind } from '../../session/reviews.ts'
import type { ThreadWords } from './thread-view.ts'

/** What native threads say of a remark. */
export function threadWords(): ThreadWords {
  const kinds: Record<RemarkKind, string> = {
    remark: vscode.l10n.t('Remark'),
    question: vscode.l10n.t('Question'),
    remove: vscode.l10n.t('Remove this'),
    good: vscode.l10n.t('Looks good'),
  }
  return {
    kinds,
    states: {
      unsent: vscode.l10n.t('not sent yet'),
      again: vscode.l10n.t('to be sent again'),
      open: vscode.l10n.t('open'),
      resolved: vscode.l10n.t('resolved'),
    },
    fates: {
      here: undefined,
      changed: vscode.l10n.t('changed here'),
      unchanged: vscode.l10n.t('unchanged'),
      gone: vscode.l10n.t('text gone'),
      unclear: vscode.l10n.t('text in several places'),
    },
  }
}
