import type { Remark } from '../session/reviews.ts'
import { unifiedDiff } from './changes.ts'
import * as words from './words.ts'

/** Everything a human says of a plan beside the verdict. `edited` is the whole text as the human changed it. */
export interface Said {
  readonly remarks: readonly Remark[]
  readonly edited?: string
  /** Free words about the plan as a whole. */
  readonly notes?: string
}

/** Whether anything is said; an edit that changed nothing is nothing. */
export function saysAnything(plan: string, { remarks, edited, notes = '' }: Said): boolean {
  return remarks.length > 0 || notes.trim() !== '' || (edited !== undefined && edited !== plan)
}

/**
 * The one text the model gets: each remark with its id, heading path and quoted words, then the edits as a unified
 * diff, then the notes. Quoted words are block quotes and the diff is fenced, so that no words of the plan read as ours.
 * Undefined when nothing was said.
 */
export function feedbackText(plan: string, said: Said, subject: words.Subject = 'plan'): string | undefined {
  if (!saysAnything(plan, said)) return undefined
  const { remarks, edited = plan, notes = '' } = said
  const parts = remarks.map(remark => remarkText(remark, subject))
  if (edited !== plan) parts.push(`${words.editsTitle}\n\n${fenced(unifiedDiff(plan, edited), 'diff')}`)
  if (notes.trim() !== '') parts.push(parts.length === 0 ? notes.trim() : `${words.notesTitle}\n\n${notes.trim()}`)
  if (remarks.length > 0)
    parts.push(
      words.claimsWanted(
        remarks.map(({ id }) => id),
        subject,
      ),
    )
  return parts.join('\n\n')
}

/** What the model reads in the step after an approval that came with something; undefined when nothing did. */
export function approvalText(plan: string, { remarks, edited = plan, notes = '' }: Said): string | undefined {
  const said = [...remarks.map(remark => remarkText(remark, 'plan')), ...(notes.trim() === '' ? [] : [notes.trim()])]
  const parts = said.length === 0 ? [] : [`${words.notesOnApproval}\n\n${said.join('\n\n')}`]
  if (edited !== plan) parts.push(`${words.editsOnApproval}\n\n${fenced(unifiedDiff(plan, edited), 'diff')}`)
  return parts.length === 0 ? undefined : parts.join('\n\n')
}

function remarkText({ id, kind, anchor, text, images = [], answer }: Remark, subject: words.Subject): string {
  const place = anchor === null ? words.whole[subject] : words.under(anchor.headingPath)
  const said = text.trim()
  return [
    `${id} · ${words.kindWords[kind]} · ${place}`,
    ...(anchor === null ? [] : [`${words.quoted}\n\n${quote(anchor.quote)}`]),
    ...(said === '' ? [] : [said]),
    ...(images.length === 0 ? [] : [words.images(images.length)]),
    ...(answer === undefined ? [] : [`${words.answerOfExplorer}\n\n${fenced(answer.text, 'markdown')}`]),
  ].join('\n\n')
}

function quote(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map(line => `> ${line}`)
    .join('\n')
}

/** A fence longer than any run of backticks within, so that nothing ends it early. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
