/**
 * `report.html`: one page, self-contained, that asks the network for nothing and can be read without its script. Its policy allows
 * its own style sheet and its own script by digest and nothing else, so even a mistake in escaping could not run or load anything.
 */
import type { Report, Sample } from '../schema.ts'
import { STATUS, verdictOf } from '../verdict.ts'
import { charts } from './charts.ts'
import { companies } from './companies.ts'
import { MAILABLE, pageData } from './data.ts'
import { alerts, checks } from './findings.ts'
import { html, trusted } from './markup.ts'
import { columns, outputs, reproduce, timeline } from './record.ts'
import { review, unmatched } from './rows.ts'
import { SCRIPT, SCRIPT_SHA256 } from './script.ts'
import { STYLE_SHA256, styleElement } from './style.ts'
import { numbers, verdictBar } from './verdict.ts'

/** The page's content security policy. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_SHA256}'; script-src 'sha256-${SCRIPT_SHA256}'; base-uri 'none'; form-action 'none'`

/**
 * The report as an HTML page. `rows` are those to review as far as they are at hand, the few in the report if absent; as many as
 * `budget` characters hold go into the page.
 */
export function renderHtml(report: Report, rows: readonly Sample[] | null = null, budget = MAILABLE): string {
  const [first] = report.results
  const data = first === undefined ? null : pageData(report, first, rows ?? first.review, budget)
  const name = report.results.map(result => result.name).join(', ')
  const { tool } = report.metadata
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="${tool.name} ${tool.version}">
<title>${STATUS[verdictOf(report)].word}: ${name}</title>
${styleElement}
</head>
<body>
<a class="skip" href="#main">To the numbers</a>
${report.results.map(
  (result, i) => html`${verdictBar(report, result)}
<main${i === 0 ? html` id="main"` : null}>
${numbers(report)}
${charts(report, result)}
${checks(result)}
${alerts(report, result)}
${review(report, result, data)}
${unmatched(report, result)}
${companies(result)}
${columns(result)}
${timeline(result)}
${outputs(result)}
${reproduce(report, result)}
</main>`,
)}
${data?.element ?? null}<script>${trusted(SCRIPT)}</script>
<footer><p>Written by ${tool.name} ${tool.version}. This page holds all it shows: it loads nothing and sends nothing.</p></footer>
</body>
</html>
`
  return page.text
}
