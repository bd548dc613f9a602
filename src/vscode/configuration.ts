import { homedir } from 'node:os'
import * as vscode from 'vscode'
import type { ToolsMode } from '../agent/tool.ts'
import type { PlanPolicy } from '../plan/policy.ts'
import type { ApprovalPolicy } from '../session/events.ts'
import {
  approvalSetting,
  type EndpointSettings,
  endpointSetting,
  type LogSettings,
  logRootSetting,
  logSettings,
  mostSpecific,
  policySetting,
  toolsModeSetting,
} from './settings.ts'

/** The settings of this window, read anew at each call: VS Code's scopes on one side, parsed values on the other. */
export const configuration = {
  /** @throws PlanModeError `BAD_POLICY` */
  policy(folder: vscode.Uri): PlanPolicy {
    return policySetting(read(folder).inspect('policy'), vscode.workspace.isTrusted)
  },

  /** @throws PlanModeError `BAD_LOG_ROOT` */
  logRoot(folder: vscode.Uri): { readonly path: string; readonly byUser: boolean } {
    const inspected = read(folder).inspect('log.root')
    const { value, byWorkspace } = mostSpecific(inspected, vscode.workspace.isTrusted)
    const path = logRootSetting(inspected, vscode.workspace.isTrusted, folder.fsPath, homedir())
    return { path, byUser: value !== undefined && !byWorkspace }
  },

  /** @throws PlanModeError `BAD_MODEL` */
  endpoint(): EndpointSettings | undefined {
    const model = read()
    return endpointSetting({
      baseUrl: model.get('model.baseUrl'),
      id: model.get('model.id'),
      contextWindow: model.get('model.contextWindow'),
      images: model.get('model.images'),
    })
  },

  log(folder: vscode.Uri): LogSettings {
    const log = read(folder)
    return logSettings({
      backend: log.get('log.backend'),
      compression: log.get('log.compression'),
      packChunks: log.get('log.packChunks'),
      batchWindow: log.get('log.batchWindow'),
    })
  },

  approvalPolicy(): ApprovalPolicy {
    return approvalSetting(read().get('approval.policy'), vscode.workspace.isTrusted)
  },

  toolsMode(): ToolsMode {
    return toolsModeSetting(read().get('tools.mode'))
  },

  shiftTabTogglesMode(): boolean {
    return read().get('shiftTabTogglesMode') !== false
  },
}

function read(folder?: vscode.Uri): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('planMode', folder)
}
