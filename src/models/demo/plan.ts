import type { Findings } from './findings.ts'

/** The heading of the section that the demo really adds after approval. */
export const sectionHeading = '## How this change was planned'
export const fallbackPath = 'docs/plan-mode-demo.md'

/** The file the demo will really change. */
export function targetOf({ readme }: Findings): string {
  return readme ?? fallbackPath
}

/** The line that records this change. */
export function recordOf(request: string, revisions: number): string {
  const revised =
    revisions === 0 ? '' : ` It was revised ${revisions === 1 ? 'once' : `${revisions} times`} by feedback.`
  return `- ${titleOf(request)}: planned and reviewed in plan mode before anything was changed.${revised}`
}

/** A title of the person's own words: one line, without markup, not too long. */
export function titleOf(request: string): string {
  const line = request.split('\n').find(text => /[\p{L}\p{N}]/u.test(text)) ?? ''
  const words = line
    .replace(/[#*_`<>|[\]\\~]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.:;!?]+$/, '')
  const short = words.length > 70 ? `${words.slice(0, 70).replace(/\s\S*$/, '')} …` : words
  return short === '' ? 'A small change' : short.charAt(0).toUpperCase() + short.slice(1)
}

/** A complete plan in Markdown for `request`, naming only files that tools reported; `feedback` is worked in visibly. */
export function planFor(request: string, found: Findings, feedback: readonly string[]): string {
  return [
    `# ${titleOf(request)}`,
    'This plan was written by the built-in scripted demo, which needs no network and understands no task. The files it names are real, and so is the one edit it makes after your approval.',
    `## Context\n\n${context(request, found)}`,
    `## Steps\n\n${steps(found, feedback)
      .map((step, index) => `- [ ] ${index + 1}. ${step}`)
      .join('\n')}`,
    `## Files\n\n| File | What happens | Why |\n| --- | --- | --- |\n${rows(found).join('\n')}`,
    `## Sketch\n\nThis is what step 2 adds to ${code(targetOf(found))}:\n\n\`\`\`markdown\n${sectionHeading}\n\n${recordOf(request, feedback.length)}\n\`\`\``,
    `## Risks\n\n- ${code(targetOf(found))} may change while this plan waits; it is read again before the edit.\n- The edit can be refused when it is shown. Then nothing is changed.`,
    `## Acceptance\n\n- ${code(targetOf(found))} has the section, and no other file differs.\n- Every edit was shown as a difference and allowed first.`,
    ...(feedback.length === 0 ? [] : [`## Changes after review\n\n${feedback.map(change).join('\n\n')}`]),
  ].join('\n\n')
}

function context(request: string, { files, read, search }: Findings): string {
  const quoted = `The request was: "${titleOf(request)}".`
  const listed = `The workspace holds ${files.length === 0 ? 'no files yet' : count(files.length, 'listed file')}.`
  const known = read.map(
    ({ path, about }) => `${code(path)}${about === undefined ? '' : ` (about "${titleOf(about)}")`}`,
  )
  const opened = known.length === 0 ? '' : `The demo has read ${known.join(' and ')}.`
  const places = (search?.files ?? []).slice(0, 3).map(code).join(', ')
  const searched =
    search === undefined
      ? ''
      : `A search for ${code(search.pattern)} gave ${count(search.matches, 'match')}${places === '' ? '' : `, in ${places}`}.`
  return [quoted, listed, opened, searched].filter(text => text !== '').join(' ')
}

function steps(found: Findings, feedback: readonly string[]): readonly string[] {
  const target = code(targetOf(found))
  return [
    found.readme === undefined
      ? `Make sure that ${target} does not exist yet.`
      : `Read ${target} again, so that the edit fits what is there.`,
    `${found.readme === undefined ? 'Create' : 'Add a short section to'} ${target} that says how this change was planned.`,
    ...feedback.map(text => `Work in the review: ${titleOf(text)}.`),
    'Report what was done, in two sentences.',
  ]
}

function rows(found: Findings): readonly string[] {
  const target = targetOf(found)
  const others = [...found.read.map(({ path }) => path), ...(found.search?.files ?? []), ...found.files]
  const kept = [...new Set(others)].filter(path => path !== target).slice(0, 4)
  const action = found.readme === undefined ? 'is created' : 'gets one section'
  return [
    `| ${code(target)} | ${action} | it records the decision |`,
    ...kept.map(path => `| ${code(path)} | stays as it is | it was looked at |`),
  ]
}

function change(text: string, index: number): string {
  const quote = text
    .split('\n')
    .map(line => `> ${line}`)
    .join('\n')
  return `Round ${index + 1}, your feedback:\n\n${quote}\n\nStep ${index + 3} was added for it.`
}

/** A path as inline code that also holds inside a table. */
function code(path: string): string {
  return `\`${path.replace(/[`|\n]/g, '?')}\``
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : what.endsWith('ch') ? 'es' : 's'}`
}
