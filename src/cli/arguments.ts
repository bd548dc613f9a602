import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { RootForm } from '../persistence/root-form.ts'
import { PlanModeError } from '../session/errors.ts'

export type Request =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'list' | 'show' | 'verify' | 'export'
      readonly root: string
      /** Undefined: what the root itself holds. */
      readonly form: Partial<RootForm>
      readonly id: string | undefined
      readonly json: boolean
      /** Only `verify`: judge each log by the rules of section 17, too. */
      readonly invariants: boolean
    }
  | {
      readonly kind: 'convert'
      readonly from: string
      readonly to: string
      readonly fromForm: Partial<RootForm>
      readonly toForm: Partial<RootForm>
      readonly json: boolean
    }

export const USAGE = `Usage:
  plan-mode log list    ROOT [--compression none|zstd] [--backend jsonl|sqlite] [--json]
  plan-mode log show    ROOT [ID] [--compression …] [--backend …] [--json]
  plan-mode log verify  ROOT [ID] [--compression …] [--backend …] [--invariants] [--json]
  plan-mode log export  ROOT [ID] [--compression …] [--backend …] [--json]
  plan-mode log convert FROM TO [--from-compression …] [--from-backend …] [--to-compression …] [--to-backend …] [--json]

ROOT is a sessions root, such as .plan-mode/sessions. Nothing but convert writes, and convert writes only to TO.
--invariants: also tells what breaks the rules that a log keeps while it is written.
Exit code: 0 all is well, 1 something could not be read or breaks a rule, 2 wrong use.`

const compression = z.enum(['none', 'zstd'])
const backend = z.enum(['jsonl', 'sqlite'])

/** @throws PlanModeError `USAGE` with the sentence to show. */
export function parseRequest(argv: readonly string[]): Request {
  const { values, positionals } = parse(argv)
  const [area, verb, ...operands] = positionals
  if (values.help === true || area === undefined) return { kind: 'help' }
  if (area !== 'log') throw usage(`Unknown command "${area}".`)
  const json = values.json === true
  switch (verb) {
    case 'list':
    case 'show':
    case 'verify':
    case 'export': {
      const [root, id, ...rest] = operands
      if (root === undefined || rest.length > 0 || (verb === 'list' && id !== undefined)) {
        throw usage(`log ${verb} takes ${verb === 'list' ? 'a root' : 'a root and at most one session id'}.`)
      }
      const invariants = values.invariants === true
      if (invariants && verb !== 'verify') throw usage('--invariants goes with log verify.')
      return { kind: verb, root, id, json, invariants, form: formOf(values.compression, values.backend) }
    }
    case 'convert': {
      const [from, to, ...rest] = operands
      if (from === undefined || to === undefined || rest.length > 0) throw usage('log convert takes two roots.')
      const fromForm = formOf(values['from-compression'], values['from-backend'])
      const toForm = formOf(values['to-compression'], values['to-backend'])
      return { kind: 'convert', from, to, fromForm, toForm, json }
    }
    default:
      throw usage(verb === undefined ? 'Say what to do with the log.' : `Unknown command "log ${verb}".`)
  }
}

function parse(argv: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        compression: text,
        backend: text,
        'from-compression': text,
        'from-backend': text,
        'to-compression': text,
        'to-backend': text,
        json: { type: 'boolean' },
        invariants: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error))
  }
}

function formOf(given: string | undefined, kept: string | undefined): Partial<RootForm> {
  const parsed = z
    .object({ compression: compression.optional(), backend: backend.optional() })
    .safeParse({ compression: given, backend: kept })
  if (!parsed.success) throw usage('--compression is none or zstd; --backend is jsonl or sqlite.')
  return Object.fromEntries(Object.entries(parsed.data).filter(([, value]) => value !== undefined))
}

function usage(problem: string): PlanModeError {
  return new PlanModeError('USAGE', `${problem}\n\n${USAGE}`)
}
