import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { z } from 'zod'
import type { ToolsMode } from '../agent/tool.ts'
import { defaultPolicy, type PlanPolicy, parsePolicy } from '../plan/policy.ts'
import { PlanModeError } from '../session/errors.ts'
import { approvalPolicy } from '../session/events.ts'

/** What VS Code's `inspect()` says of one setting; `trusted` is false while the workspace's own values do not count. */
export interface Inspected {
  readonly globalValue?: unknown
  readonly workspaceValue?: unknown
  readonly workspaceFolderValue?: unknown
}

/** The most specific value that is set, and whether the workspace set it. */
export function mostSpecific(
  inspected: Inspected | undefined,
  trusted: boolean,
): { readonly value: unknown; readonly byWorkspace: boolean } {
  const { globalValue, workspaceValue, workspaceFolderValue } = inspected ?? {}
  const nearest = workspaceFolderValue === undefined ? workspaceValue : workspaceFolderValue
  const own = trusted ? nearest : undefined
  return own === undefined ? { value: globalValue, byWorkspace: false } : { value: own, byWorkspace: true }
}

/**
 * `planMode.policy` of one folder: the most specific scope counts as a whole (VS Code would merge the scopes).
 * @throws PlanModeError `BAD_POLICY`
 */
export function policySetting(inspected: Inspected | undefined, trusted: boolean): PlanPolicy {
  const { value } = mostSpecific(inspected, trusted)
  return value === undefined ? defaultPolicy : parsePolicy(value)
}

export const DEFAULT_LOG_ROOT = '.plan-mode/sessions'

/**
 * The absolute sessions root of a folder. A workspace may only place it inside itself; the user may place it anywhere.
 * @throws PlanModeError `BAD_LOG_ROOT`
 */
export function logRootSetting(
  inspected: Inspected | undefined,
  trusted: boolean,
  folder: string,
  home: string,
): string {
  const { value = DEFAULT_LOG_ROOT, byWorkspace } = mostSpecific(inspected, trusted)
  const parsed = z.string().trim().min(1).safeParse(value)
  if (!parsed.success) throw badLogRoot('It must be the path of a folder.')
  const path = parsed.data.startsWith('~/') ? join(home, parsed.data.slice(2)) : parsed.data
  const root = resolve(folder, path)
  if (byWorkspace && !isInside(folder, root)) {
    throw badLogRoot(
      'A workspace may only name a folder inside itself. Set it in your user settings to place it elsewhere.',
    )
  }
  if (root === resolve(folder)) throw badLogRoot('It must not be the workspace folder itself.')
  return root
}

/** Whether `path` lies below `folder` (both absolute), by their names. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

const modelSettings = z.object({
  baseUrl: z.string().trim(),
  id: z.string().trim(),
  contextWindow: z.int().positive().nullish(),
  images: z.boolean().nullish(),
})

/** The endpoint to use. `contextWindow` counts tokens; `images` is false when the model takes none. */
export interface EndpointSettings {
  readonly baseUrl: string
  readonly id: string
  readonly contextWindow?: number
  readonly images?: false
}

/** Undefined for the built-in demo model. @throws PlanModeError `BAD_MODEL` naming the setting. */
export function endpointSetting(values: {
  baseUrl: unknown
  id: unknown
  contextWindow: unknown
  images?: unknown
}): EndpointSettings | undefined {
  const parsed = modelSettings.safeParse(values)
  if (!parsed.success) {
    const key = String(parsed.error.issues[0]?.path[0] ?? '')
    throw new PlanModeError(
      'BAD_MODEL',
      `The setting planMode.model.${key} was refused: ${parsed.error.issues[0]?.message}.`,
    )
  }
  const { baseUrl, id, contextWindow, images } = parsed.data
  if (baseUrl === '') return undefined
  if (id === '') {
    throw new PlanModeError(
      'BAD_MODEL',
      'planMode.model.baseUrl names an endpoint, but planMode.model.id is empty. Set the model id.',
    )
  }
  return {
    baseUrl,
    id,
    ...(contextWindow == null ? {} : { contextWindow }),
    ...(images === false ? { images } : {}),
  }
}

const logForm = z.object({
  backend: z.enum(['jsonl', 'sqlite']).catch('jsonl'),
  compression: z.enum(['none', 'zstd']).catch('none'),
  packChunks: z.boolean().catch(true),
  batchWindow: z.int().min(0).max(10_000).catch(200),
})

/** How new logs are kept; `batchWindow` in milliseconds. A value that cannot be read is the default: no log is at stake. */
export type LogSettings = z.infer<typeof logForm>

export function logSettings(values: Record<keyof LogSettings, unknown>): LogSettings {
  return logForm.parse(values)
}

const toolsMode = z.enum(['native', 'code', 'both']).catch('native')

/** How tools are offered to the model; what cannot be read runs no programs. */
export function toolsModeSetting(value: unknown): ToolsMode {
  return toolsMode.parse(value)
}

/** Anything but "ask" refuses: a setting that cannot be read must not widen what an agent may do. */
export function approvalSetting(value: unknown, trusted: boolean): z.infer<typeof approvalPolicy> {
  if (!trusted) return 'never'
  const parsed = approvalPolicy.safeParse(value ?? 'ask')
  return parsed.success ? parsed.data : 'never'
}

function badLogRoot(why: string): PlanModeError {
  return new PlanModeError('BAD_LOG_ROOT', `The setting planMode.log.root was refused. ${why}`)
}
