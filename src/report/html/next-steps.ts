/** The box of next steps at the head of the page, and links to files. */
import { nextSteps } from '../message.ts'
import type { Report, Result } from '../schema.ts'
import { html, type Markup } from './markup.ts'

/** A link relative to the page in its run directory; text where no such link is possible, as for an address or an absolute folder. */
export function fileLink({ metadata: { directory } }: Pick<Report, 'metadata'>, path: string, text = path): Markup {
  const isRelative = (one: string): boolean => !/^([/\\]|\w+:)/.test(one) && !one.split(/[/\\]/).includes('..')
  if (directory === null || !isRelative(directory) || !isRelative(path)) return html`<span class="path">${text}</span>`
  const up = directory.split(/[/\\]/).filter(part => part !== '' && part !== '.')
  const down = path.split(/[/\\]/).filter(part => part !== '.')
  // encodeURIComponent throws on half of a surrogate pair.
  const href = [...up.map(() => '..'), ...down.map(part => encodeURIComponent(part.replace(/\p{Cs}/gu, '\ufffd')))].join('/')
  return html`<a href="${href}">${text}</a>`
}

export function nextStepsBox(report: Report, result: Result): Markup | null {
  const steps = nextSteps(report, result)
  if (steps.length === 0) return null
  const sections: Readonly<Record<string, boolean>> = {
    checks: true,
    review: result.review.length > 0,
    unmatched: Object.keys(result.reasons).length + result.unmatched.length > 0,
  }
  return html`<section class="next" aria-labelledby="next"><h2 id="next">Next steps</h2><ul class="steps">${steps.map(
    ({ text, section, file }) =>
      html`<li>${section !== null && sections[section] === true ? html`<a href="#${section}">${text}</a>` : html`<span>${text}</span>`}${file === null ? null : html`<span class="soft"> · ${fileLink(report, file)}</span>`}</li>
`,
  )}</ul></section>`
}
