import type { CallEntry, Entry } from './conversation.ts'

/** What the tools told about the workspace in one task. Every path in it comes from a tool's result. */
export interface Findings {
  readonly files: readonly string[]
  /** The readme at the top of the workspace, if there is one. */
  readonly readme: string | undefined
  /** Files that were read, with the first heading or name that stands in them. */
  readonly read: readonly { readonly path: string; readonly about: string | undefined }[]
  readonly search: { readonly pattern: string; readonly matches: number; readonly files: readonly string[] } | undefined
}

const manifests = ['package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod', 'pom.xml', 'Makefile']

export function findingsIn(task: readonly Entry[]): Findings {
  const calls = task.filter((entry): entry is CallEntry => entry.kind === 'call' && !entry.result.failed)
  const files = calls.filter(({ tool }) => tool === 'list_files').flatMap(({ result }) => filesIn(result.text))
  const search = calls.findLast(({ tool }) => tool === 'search_text')
  return {
    files,
    readme: files.find(path => /^readme(\.md|\.markdown|\.txt)?$/i.test(path)),
    read: calls
      .filter(({ tool }) => tool === 'read_file')
      .map(({ input, result }) => ({ path: String(input.path), about: aboutOf(result.text) }))
      .filter((entry, index, all) => all.findIndex(other => other.path === entry.path) === index),
    search: search === undefined ? undefined : searchResult(String(search.input.pattern), search.result.text),
  }
}

/** The two files worth reading first: the readme and a manifest, else whatever text there is. */
export function worthReading({ files, readme }: Findings): readonly string[] {
  const manifest = manifests.find(name => files.includes(name))
  const texts = files.filter(path =>
    /\.(md|txt|json|ya?ml|toml|[cm]?[jt]sx?|py|go|rs|java|rb|php|html|css)$/i.test(path),
  )
  return [...new Set([readme, manifest, ...texts].filter(path => path !== undefined))].slice(0, 2)
}

function filesIn(list: string): readonly string[] {
  return list.split('\n').filter(line => line !== '' && !/^\(|[/@]$|^\.plan-mode\//.test(line))
}

function searchResult(pattern: string, text: string): NonNullable<Findings['search']> {
  const paths = text.split('\n').flatMap(line => /^(.+?):\d+: /.exec(line)?.[1] ?? [])
  return { pattern, matches: paths.length, files: [...new Set(paths)] }
}

function aboutOf(numbered: string): string | undefined {
  return /^\d+\t(?:#+\s+(\S.*)|\s*"name":\s*"([^"]+)".*)$/m
    .exec(numbered)
    ?.slice(1)
    .find(text => text !== undefined)
    ?.trim()
}
