import { isObject, type StoredEvent } from '../../session/envelope.ts'
import { type EventType, eventSchemas, isKnownType } from '../../session/events.ts'

/**
 * What is wrong with the payload of an event that this build folds, asked once when a log is opened, so that no fold
 * meets a shape it cannot read. Payloads of other types are carried as they are. A newer writer's additions pass:
 * unknown keys, and unknown kinds where the format leaves a set open.
 */
export function payloadProblem(event: StoredEvent): string | undefined {
  const { type, data } = event
  if (typeof type !== 'string' || !isKnownType(type) || !folded.has(type)) return undefined
  // The ancestor folds whatever value `active` has, so a strange one is no damage (section 11).
  if (type === 'plan/mode') return isObject(data) ? undefined : 'its data is not an object'
  const parsed = eventSchemas[type].safeParse(data)
  if (parsed.success) return undefined
  const issue = parsed.error.issues.find(
    ({ code, path }) => code !== 'unrecognized_keys' && !isOpenKind(code, path, data),
  )
  return issue && `its data does not fit (${['data', ...issue.path].join('.')}: ${issue.message})`
}

const folded: ReadonlySet<string> = new Set<EventType>([
  'turn/start',
  'turn/end',
  'step/start',
  'step/end',
  'tool/call',
  'request/header',
  'agent/inbox/spliced',
  'session/title',
  'plan/mode',
  'plan/selected',
  'review/presented',
  'review/decided',
  'command/run',
  'command/done',
])

/** A union that has no member of this name: the path ends at the name itself. */
function isOpenKind(code: string, path: readonly PropertyKey[], data: unknown): boolean {
  const tag = path.at(-1)
  if (code !== 'invalid_union' || (tag !== 'kind' && tag !== 'type')) return false
  let value = data
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return false
    value = Reflect.get(value, key)
  }
  return typeof value === 'string'
}
