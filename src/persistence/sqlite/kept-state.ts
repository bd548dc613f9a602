import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { z } from 'zod'
import type { Checkpoint } from '../../session/projections.ts'
import { Surface } from '../../session/surface.ts'
import { checkpointList } from '../reading/checkpoints.ts'
import { typeNames } from '../type-codes.ts'
import type { Connection } from './connection.ts'
import { keyOf } from './text-key.ts'

/**
 * What opening a session has found out, so that the next opening costs the end of it and not all of it. Only time is
 * lost without it. It is believed only at exactly the session's incarnation and revision, and when a build that knows
 * the same types kept it; triggers remove it with any change of an event that is not an append.
 */
export interface KeptState {
  /** By seq: the code of the event's type. Its length is how many events there are. */
  readonly types: Uint8Array
  /** May be made when it is asked for. */
  readonly surface: Surface
  readonly turnOpen: boolean
  readonly checkpoints: readonly Checkpoint[]
}

/** Grows when the form changes, or what is judged of an event before its session's state is kept. */
const FORM = 2
const order = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 'little' : 'big'
const BUILD = `${FORM} ${order} ${typeNames.join(' ')}`

/** A column of the database, small: a long one costs it page by page. */
const column = z.instanceof(Uint8Array).transform((bytes, context) => {
  try {
    return new Uint8Array(inflateRawSync(bytes))
  } catch {
    context.addIssue('not compressed')
    return z.NEVER
  }
})

const row = z.object({
  types: column,
  surface: column.refine(bytes => bytes.length % 8 === 0),
  turn_open: z.literal([0, 1]),
  checkpoints: z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        context.addIssue('not JSON')
        return z.NEVER
      }
    })
    .pipe(checkpointList),
})

/** Undefined unless it speaks of the session as it is now. Inside the transaction that reads the session. */
export function readState(connection: Connection, id: string): KeptState | undefined {
  // A database of the version before has no such table until it is written to.
  if (connection.row("SELECT 1 FROM sqlite_schema WHERE name = 'states'") === undefined) return undefined
  const found = connection.row(
    `SELECT types, surface, turn_open, checkpoints FROM states JOIN sessions USING (incarnation, revision)
     WHERE session_id = ? AND id = session_id AND build = ?`,
    ...[keyOf(id), BUILD],
  )
  const { data } = row.safeParse(found)
  if (data === undefined || data.checkpoints.some(({ next }) => next > data.types.length)) return undefined
  const { types, surface: steps, turn_open: turnOpen, checkpoints } = data
  let surface: Surface | undefined
  return {
    types,
    // Nobody asks for it before the model does.
    get surface() {
      surface ??= surfaceOf(new Float64Array(steps.buffer))
      return surface
    },
    turnOpen: turnOpen === 1,
    checkpoints,
  }
}

/** Keeps the state of the session as it is now. Inside a transaction of its writer. */
export function writeState(connection: Connection, id: string, state: KeptState): void {
  const { types, surface, turnOpen, checkpoints } = state
  const kept = JSON.stringify(checkpoints.filter(({ next }) => next <= types.length))
  connection.run(
    `INSERT OR REPLACE INTO states (session_id, incarnation, revision, build, types, surface, turn_open, checkpoints)
     SELECT id, incarnation, revision, ?, ?, ?, ?, ? FROM sessions WHERE id = ?`,
    ...[BUILD, packed(types), packed(stepsOf(surface)), turnOpen ? 1 : 0, kept, keyOf(id)],
  )
}

function packed({ buffer, byteOffset, byteLength }: Uint8Array | Float64Array): Buffer {
  return deflateRawSync(new Uint8Array(buffer, byteOffset, byteLength), { level: 1 })
}

/** From node to node: much alike, and so packed into little. */
function stepsOf(surface: Surface): Float64Array {
  const steps = Float64Array.from(surface)
  for (let k = steps.length - 1; k > 0; k--) steps[k] = (steps[k] ?? 0) - (steps[k - 1] ?? 0)
  return steps
}

function surfaceOf(steps: Float64Array): Surface {
  const nodes: number[] = []
  let node = 0
  for (const step of steps) {
    node += step
    nodes.push(node)
  }
  return new Surface(nodes)
}
