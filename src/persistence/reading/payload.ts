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
  if (plainlyFits(type, data)) return undefined
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
  'tool/code-dispatch-start',
  'tool/code-dispatch',
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

/** True only for what the schema, too, lets pass; written by hand for the types that a log is full of. */
export function plainlyFits(type: EventType, data: unknown): boolean {
  if (!isObject(data) || !isCount(data.turn)) return false
  switch (type) {
    case 'turn/start':
      return true
    case 'turn/end':
      return isObject(data.reason) && (data.reason.kind === 'completed' || data.reason.kind === 'interrupted')
    case 'step/start':
    case 'step/end':
      return isCount(data.step)
    case 'tool/call': {
      const { step, callId, name, arguments: given } = data
      return isCount(step) && typeof callId === 'string' && typeof name === 'string' && typeof given === 'string'
    }
    default:
      return false
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0
}

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
