// How far a plan reaches, in a few lines under the outline.
import { html, nothing, type TemplateResult } from 'lit'
import { visible } from '../markdown/visible.ts'
import { icon } from '../parts.ts'
import type { ReachView } from '../review-messages.ts'
import { countsOf, readingWords as words } from './reading-words.ts'

/** Paths that are listed by name. */
const most = 100

export function reachSummary(reach: ReachView): TemplateResult {
  const { named, exist, tests, tracked, changed, missing } = countsOf(reach)
  return html`<section class="reach" aria-label=${words.reach}>
    <h2 class="label">${words.reach}</h2>
    <p>${words.named(named)}, ${words.exist(exist)}</p>
    ${tests > 0 ? html`<p>${words.tests(tests)}</p>` : nothing}
    ${tracked > 0 ? html`<p>${words.tracked(tracked, changed)}</p>` : nothing}
    ${
      missing.length > 0
        ? html`<details><summary class="warn">${icon('warning')} ${words.missing(missing.length)}</summary>
            <ul>${missing.slice(0, most).map(path => html`<li>${visible(path)}</li>`)}</ul></details>`
        : nothing
    }
  </section>`
}
