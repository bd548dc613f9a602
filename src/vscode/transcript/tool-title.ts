import { EXPLORE } from '../../agent/children/words.ts'
import { RUN_CODE } from '../../agent/code/words.ts'
import { parseArguments } from '../../agent/loop/arguments.ts'
import { EXIT_PLAN_MODE } from '../../plan/words.ts'
import { ASK_USER_QUESTION } from '../../tools/ask-words.ts'
import { boundedText, shortText } from './bounded-text.ts'

/** How a tool call reads to a person: one line that says what it does, and its arguments laid out. */

const INPUT_LIMIT = 4_000
const CODE_LIMIT = 20_000
type Arguments = Readonly<Record<string, unknown>>

/** "Read src/server.ts"; `raw` is the model's JSON text and may be invalid. */
export function toolTitle(name: string, raw: string): string {
  const args = parse(raw) ?? {}
  switch (name) {
    case 'list_files':
      return `List ${folder(args) ?? 'the workspace folder'}`
    case 'read_file':
      return `Read ${text(args, 'path') ?? 'a file'}${lines(args)}`
    case 'search_text':
      return searchTitle(args)
    case 'write_file':
      return `Write ${text(args, 'path') ?? 'a file'}`
    case 'edit_file':
      return `Edit ${text(args, 'path') ?? 'a file'}`
    case RUN_CODE: {
      const what = text(args, 'description')
      return what === undefined ? 'Run a program' : `Run a program: ${what}`
    }
    case ASK_USER_QUESTION:
      return 'Ask you a question'
    case EXPLORE:
      return `Explore: ${text(args, 'label') ?? text(args, 'task') ?? 'the workspace'}`
    case EXIT_PLAN_MODE:
      return 'Present a plan'
    default:
      return `Use ${name}`
  }
}

/** The program that a call runs, if it runs one. Bounded. */
export function programOf(name: string, raw: string): string | undefined {
  const code = name === RUN_CODE ? parse(raw)?.code : undefined
  return typeof code === 'string' ? boundedText(code, CODE_LIMIT) : undefined
}

/** One argument per line, texts as they are, but `leftOut`; what is no JSON object is given as it came. Bounded. */
export function toolInput(raw: string, leftOut?: string): string {
  const args = parse(raw)
  if (args === undefined) return boundedText(raw, INPUT_LIMIT)
  const shown = Object.entries(args).filter(([key]) => key !== leftOut)
  const laidOut = shown.map(([key, value]) => {
    const shown = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
    return shown.includes('\n') ? `${key}:\n${shown}` : `${key}: ${shown}`
  })
  return boundedText(laidOut.join('\n'), INPUT_LIMIT)
}

function parse(raw: string): Arguments | undefined {
  const parsed = parseArguments(raw)
  return parsed.kind === 'object' ? parsed.value : undefined
}

function searchTitle(args: Arguments): string {
  const [pattern, glob] = [text(args, 'pattern'), text(args, 'glob')]
  const what = pattern === undefined ? 'text' : `"${pattern}"`
  return glob === undefined ? `Search for ${what}` : `Search for ${what} in ${glob}`
}

function folder(args: Arguments): string | undefined {
  const path = text(args, 'path')
  return path === '.' || path === './' ? undefined : path
}

function lines(args: Arguments): string {
  const [first, last] = [number(args, 'start_line'), number(args, 'end_line')]
  if (first !== undefined && last !== undefined) return `, lines ${first} to ${last}`
  if (first !== undefined) return `, from line ${first}`
  return last === undefined ? '' : `, up to line ${last}`
}

/** An argument that is a text with something in it, on one line and short enough for a title. */
function text(args: Arguments, key: string): string | undefined {
  const value = args[key]
  if (typeof value !== 'string' || value.trim() === '') return undefined
  return shortText(value.trim().replace(/\s+/g, ' '), 120)
}

function number(args: Arguments, key: string): number | undefined {
  const value = args[key]
  return typeof value === 'number' ? value : undefined
}
