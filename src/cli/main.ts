import { resolve } from 'node:path'
import { assertNever, messageOf, PlanModeError } from '../session/errors.ts'
import { Session } from '../session/session.ts'
import { parseRequest, type Request, USAGE } from './arguments.ts'
import { convert } from './convert.ts'
import { type LogEntry, LogRoot } from './log-root.ts'
import { exportPlans, planMarkdown } from './plan-export.ts'
import { transcriptOf } from './transcript.ts'
import { isSound, verify } from './verify.ts'

/** Where output goes; `out` and `err` get whole texts that end with a line end. */
export interface Streams {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** Runs one command line; resolves with the exit code: 0 all is well, 1 something could not be read, 2 wrong use. */
export async function main(argv: readonly string[], streams: Streams): Promise<0 | 1 | 2> {
  try {
    return await run(parseRequest(argv), streams)
  } catch (error) {
    streams.err(`${messageOf(error)}\n`)
    return error instanceof PlanModeError && (error.code === 'USAGE' || error.code === 'NO_ROOT') ? 2 : 1
  }
}

async function run(request: Request, streams: Streams): Promise<0 | 1 | 2> {
  switch (request.kind) {
    case 'help':
      streams.out(`${USAGE}\n`)
      return 0
    case 'convert':
      return await convert(request, streams)
    case 'list':
    case 'show':
    case 'verify':
    case 'export':
      return await onRoot(request, streams)
    default:
      return assertNever(request)
  }
}

async function onRoot(request: Extract<Request, { root: string }>, streams: Streams): Promise<0 | 1> {
  const root = await LogRoot.open(resolve(request.root), request.form)
  try {
    switch (request.kind) {
      case 'list':
        return await list(root, request.json, streams)
      case 'verify': {
        const verification = await verify(root, request)
        streams.out(request.json ? `${JSON.stringify(verification)}\n` : summary(verification))
        return isSound(verification) ? 0 : 1
      }
      case 'show':
        return await each(root, request, streams, session =>
          request.json
            ? `${JSON.stringify({ header: session.header, events: [...session.from()] })}\n`
            : transcriptOf(session),
        )
      case 'export':
        return await each(root, request, streams, session => {
          const exported = exportPlans(session)
          return request.json ? `${JSON.stringify(exported)}\n` : planMarkdown(exported)
        })
      default:
        return assertNever(request.kind)
    }
  } finally {
    await root.dispose()
  }
}

async function list(root: LogRoot, json: boolean, { out }: Streams): Promise<0 | 1> {
  const entries = await root.entries()
  const rows = entries.map(({ id, file, header, problem }) => ({
    id,
    file,
    createdAt: header?.createdAt ?? null,
    cwd: header?.cwd ?? null,
    problem: problem ?? null,
  }))
  if (json) out(`${JSON.stringify({ form: root.form, sessions: rows })}\n`)
  else
    out(
      rows.map(({ id, file, problem }) => `${id}  ${file}${problem === null ? '' : `  ${problem.message}`}\n`).join(''),
    )
  return entries.some(({ problem }) => problem !== undefined) ? 1 : 0
}

async function each(
  root: LogRoot,
  { id, kind }: { readonly id: string | undefined; readonly kind: string },
  { out, err }: Streams,
  print: (session: Session) => string,
): Promise<0 | 1> {
  const entries = (await root.entries()).filter(entry => id === undefined || entry.id === id)
  if (entries.length === 0 && id !== undefined) {
    throw new PlanModeError(
      'NOT_FOUND',
      `There is no session "${id}" under ${root.path}. "log list" shows the ids; log ${kind} takes one.`,
    )
  }
  let code: 0 | 1 = 0
  for (const entry of entries) {
    try {
      out(print(await sessionOf(entry)))
    } catch (error) {
      err(`${entry.file}: ${messageOf(error)}\n`)
      code = 1
    }
  }
  return code
}

async function sessionOf({ id, persistence }: LogEntry): Promise<Session> {
  const { header, events } = await persistence.inspect(id)
  return new Session(header, [...events])
}

function summary({ list: { problems }, sessions }: Awaited<ReturnType<typeof verify>>): string {
  const rows = sessions.map(({ file, open, invariants = [] }) => {
    if (!open.ok) return `✗ ${file}  ${open.code}: ${open.message}\n`
    const broken = invariants.map(({ rule, message }) => `  ${rule}: ${message}\n`).join('')
    const repaired = open.repaired.length === 0 ? '' : `, owes ${open.repaired.length} closing events`
    return `${broken === '' ? '✓' : '✗'} ${file}  ${open.events} events, plan mode ${open.planActive ? 'on' : 'off'}${repaired}\n${broken}`
  })
  return `${rows.join('')}${sessions.length} logs, ${sessions.filter(({ open }) => !open.ok).length} not readable, ${problems.length} left out of the listing\n`
}
