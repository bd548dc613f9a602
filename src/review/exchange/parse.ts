import { PlanModeError } from '../../session/errors.ts'
import { type RemarkKind, remarkId, remarkKind } from '../../session/reviews.ts'
import { kindWords } from '../words.ts'
import { FIRST_LINE, PLAN_TITLE, pictureLine, type SharedRemark, type SharedReview } from './shared-review.ts'

/** Bounds of a file from someone else. */
const MOST_CHARACTERS = 8_000_000
const MOST_REMARKS = 2_000
const MOST_IN_REMARK = 100_000

const sectionHead = /^## (C[1-9]\d{0,8}) · (.+) · (unsent|open|resolved)$/
const placed = /^Characters (\d{1,9}) to (\d{1,9}) · /
const images = /^Images that are not in this file: (\d{1,6})$/

/**
 * Reads what `reviewMarkdown` wrote, also with CRLF line ends that a mail or a version control put there. Nothing in it
 * is trusted: a remark's place and quote are data for whoever places it.
 * @throws PlanModeError `BAD_REMARKS`, naming the line and what to do.
 */
export function parseReview(file: string): SharedReview {
  if (file.length > MOST_CHARACTERS) throw bad(1, 'the file is longer than eight million characters')
  const text = file.replace(/^\uFEFF/, '')
  // Only a file whose own lines were rewritten has the first one end like this.
  const lines = (text.startsWith(`${FIRST_LINE}\r\n`) ? text.replaceAll('\r\n', '\n') : text).split('\n')
  if (lines[0] !== FIRST_LINE) throw bad(1, 'it is no file that "Plan: Export Plan" wrote')
  const title = /^# Remarks on (.*)$/.exec(lines[2] ?? '')?.[1]
  if (title === undefined) throw bad(3, 'the title is missing')
  const heads = lines.flatMap((line, at) => (at > 2 && sectionHead.test(line) ? [at] : []))
  const planAt = lines.indexOf(`## ${PLAN_TITLE}`)
  if (planAt < 0) throw bad(lines.length, `the section "${PLAN_TITLE}" is missing`)
  const sections = heads.filter(at => at < planAt)
  if (sections.length > MOST_REMARKS) throw bad(sections[MOST_REMARKS] ?? 0, `it has more than ${MOST_REMARKS} remarks`)
  const stray = lines.findIndex(
    (line, at) => at > 2 && at < planAt && line.startsWith('## ') && !sectionHead.test(line),
  )
  if (stray >= 0) throw bad(stray + 1, 'this is not the heading of a remark')
  const remarks = sections.map((at, index) => parseRemark(lines, at, (sections[index + 1] ?? planAt) - 1))
  return { title, plan: parsePlan(lines, planAt), remarks }
}

/** Lines `at` up to `end`, which is the blank one before the next section. */
function parseRemark(lines: readonly string[], at: number, end: number): SharedRemark {
  const [, id = '', kindWord = '', state = ''] = sectionHead.exec(lines[at] ?? '') ?? []
  const kind = kindOf(kindWord)
  if (kind === undefined) throw bad(at + 1, `"${kindWord.slice(0, 40)}" is no kind of remark`)
  let next = at + 2
  const range = placed.exec(lines[next] ?? '')
  next += 2
  const pictures: string[] = []
  for (let found = pictureLine.exec(lines[next] ?? ''); found !== null; found = pictureLine.exec(lines[next] ?? '')) {
    pictures.push(found[2] ?? '')
    next += 1
  }
  if (pictures.length > 0) next += 1
  const left = images.exec(lines[next] ?? '')
  if (left !== null) next += 2
  const isPlaceless = range === null && lines[at + 2] === 'No place in this text'
  let quote: string[] | null = null
  if (range !== null || isPlaceless) {
    quote = []
    for (; next < end && /^>(?: |$)/.test(lines[next] ?? ''); next++) quote.push(lines[next]?.slice(2) ?? '')
    if (quote.length === 0) throw bad(next + 1, `${id} has no quoted words`)
    next += 1
  }
  if (next > end) throw bad(at + 1, `${id} is cut short`)
  const text = lines.slice(next, end).join('\n').replace(/^\\/gm, '')
  if (text.length > MOST_IN_REMARK) throw bad(at + 1, `${id} is longer than ${MOST_IN_REMARK} characters`)
  return {
    id: remarkId.parse(id),
    kind,
    state: state === 'open' || state === 'resolved' ? state : 'unsent',
    range: range === null ? null : { start: Number(range[1]), end: Number(range[2]) },
    quote: quote === null ? null : quote.join('\n'),
    text,
    ...(pictures.length === 0 ? {} : { pictures }),
    images: Number(left?.[1] ?? 0),
  }
}

function parsePlan(lines: readonly string[], planAt: number): string {
  const fence = /^(`{3,})markdown$/.exec(lines[planAt + 2] ?? '')?.[1]
  const end = fence === undefined ? -1 : lines.indexOf(fence, planAt + 3)
  if (end < 0) throw bad(planAt + 1, 'the text of the plan is not fenced as it was written')
  return lines.slice(planAt + 3, end).join('\n')
}

function kindOf(word: string): RemarkKind | undefined {
  return remarkKind.options.find(kind => kindWords[kind] === word)
}

function bad(line: number, what: string): PlanModeError {
  return new PlanModeError(
    'BAD_REMARKS',
    `The remarks cannot be read: line ${line}: ${what}. Ask for a file as "Plan: Export Plan" writes it.`,
  )
}
