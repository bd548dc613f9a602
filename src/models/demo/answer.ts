import { ASK_BEGINS } from '../../agent/children/words.ts'
import type { Entry } from './conversation.ts'
import type { Findings } from './findings.ts'

/** What the demo is asked when a person asks an explorer about a plan, and the plan's title. */
export interface AskedOfDemo {
  readonly question: string
  readonly title: string
}

/** The question, where the first words are those of such an errand; undefined elsewhere. */
export function questionIn([first]: readonly Entry[]): AskedOfDemo | undefined {
  if (first?.kind !== 'user' || !first.text.startsWith(ASK_BEGINS)) return undefined
  const [question = ''] = first.text.slice(ASK_BEGINS.length).trim().split('\n\nThe question is about ')
  return { question: question.trim(), title: /^# +(.+)$/m.exec(first.text)?.[1] ?? 'Plan' }
}

/** A scripted answer that is true: what was asked, and what the demo saw. */
export function answerTo({ question, title }: AskedOfDemo, { files, read }: Findings): string {
  const quoted = question
    .split('\n')
    .map(line => `> ${line}`)
    .join('\n')
  const seen = read.map(({ path, about }) => `- \`${path}\`${about === undefined ? '' : `: it is about "${about}"`}`)
  return [
    quoted,
    `I am a scripted demo and understand no question, but I have looked: the plan is "${title}", the workspace holds **${files.length}** listed files, and I read:`,
    seen.length === 0 ? '- nothing, since there is nothing to read' : seen.join('\n'),
  ].join('\n\n')
}
