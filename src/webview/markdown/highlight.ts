// Colours fenced code: highlight.js with the languages that plans use, as classes.
import type { LanguageFn } from 'highlight.js'
import core from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import markdown from 'highlight.js/lib/languages/markdown'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

const languages: Readonly<Record<string, LanguageFn>> = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
}

/** Longer code stays plain: colours aren't worth a page that stands still. */
const longest = 50_000

let registered = false

/** The code as HTML, escaped and with `hljs-*` spans; undefined for an unknown language or code that is too long. */
export function highlight(code: string, language: string): string | undefined {
  if (!registered) {
    for (const [name, definition] of Object.entries(languages)) core.registerLanguage(name, definition)
    registered = true
  }
  if (code.length > longest || core.getLanguage(language) === undefined) return undefined
  return core.highlight(code, { language, ignoreIllegals: true }).value
}
