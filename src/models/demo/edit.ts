import { fallbackPath, recordOf, sectionHeading } from './plan.ts'

export type EditCall =
  | { readonly tool: 'edit_file'; readonly input: { path: string; old_text: string; new_text: string } }
  | { readonly tool: 'write_file'; readonly input: { path: string; content: string } }

/**
 * The one edit of the demo. With the readme's whole text (as read_file shows it) it adds a section there, or a line to
 * the section of an earlier run; else it creates a file of its own.
 */
export function editFor(request: string, revisions: number, readme?: { path: string; shown: string }): EditCall {
  const record = recordOf(request, revisions)
  const text = readme === undefined ? undefined : textOf(readme.shown)
  const anchor = text === undefined ? undefined : anchorIn(text)
  if (readme !== undefined && anchor !== undefined) {
    const added = anchor === sectionHeading ? `${anchor}\n\n${record}` : `${anchor}\n\n${sectionHeading}\n\n${record}`
    return { tool: 'edit_file', input: { path: readme.path, old_text: anchor, new_text: added } }
  }
  const content = `# Plan mode demo\n\n${sectionHeading}\n\n${record}\n`
  return { tool: 'write_file', input: { path: fallbackPath, content } }
}

/** The file's text without the line numbers; undefined when only a part of it was shown. */
function textOf(shown: string): string | undefined {
  const lines = shown.split('\n').map(line => /^\d+\t(.*)$/s.exec(line)?.[1])
  return lines.every((line): line is string => line !== undefined && !line.endsWith(' (line cut)'))
    ? lines.join('\n')
    : undefined
}

/** A piece of the text that occurs once: the section of an earlier run, else the last lines. */
function anchorIn(text: string): string | undefined {
  const occursOnce = (piece: string) => text.split(piece).length === 2
  if (text.split('\n').includes(sectionHeading) && occursOnce(sectionHeading)) return sectionHeading
  const lines = text.trimEnd().split('\n')
  for (let size = 1; size <= Math.min(10, lines.length); size++) {
    const tail = lines.slice(-size).join('\n')
    if (tail.trim() !== '' && occursOnce(tail)) return tail
  }
  return undefined
}
