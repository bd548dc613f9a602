import * as vscode from 'vscode'
import { PlanModeError } from '../../session/errors.ts'
import type { Conversation } from '../conversations/conversation.ts'
import { finishedTurns } from './turns.ts'

/** Lets a person choose a finished turn, newest first. Undefined when they chose none. @throws `OPEN_TURN`, `NO_TURN`. */
export async function pickTurn({ transcript, running }: Conversation): Promise<number | undefined> {
  const turns = finishedTurns(transcript.items)
  if (turns.length === 0) {
    throw running
      ? new PlanModeError('OPEN_TURN', 'The first turn is still open. It can be forked once it has ended.')
      : new PlanModeError('NO_TURN', 'There is no turn to fork from yet. It begins with the first message.')
  }
  const picked = await vscode.window.showQuickPick(
    turns.map(({ turn, words }) => ({
      label: words ?? vscode.l10n.t('Turn {0}', turn),
      description: words === undefined ? '' : vscode.l10n.t('turn {0}', turn),
      turn,
    })),
    { placeHolder: vscode.l10n.t('Turn after which the new conversation goes on'), matchOnDescription: true },
  )
  return picked?.turn
}
