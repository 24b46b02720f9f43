/** `report.html`: a self-contained page about one run. It loads nothing from the network and is readable without its script. */
import type { Diff } from '../formats/changes.ts'
import type { Report, Sample } from '../schema.ts'
import { countWords } from '../sections/changes.ts'
import { STATUS, verdictOf } from '../verdict.ts'
import { charts } from './charts.ts'
import { companies } from './companies.ts'
import { MAILABLE, pageData } from './data.ts'
import { alerts, checks } from './issues.ts'
import { html, trusted } from './markup.ts'
import { columns, matches, outputs, reproduce, timeline } from './record.ts'
import { changes, changeTable, duplicates, review, unmatched } from './rows.ts'
import { SCRIPT } from './script.ts'
import { shell } from './shell.ts'
import { nextStepsBox, numbers, verdictBar } from './verdict.ts'

/** `rows` are the rows to review, up to `budget` characters; if absent, the samples in the report. */
export function renderHtml(report: Report, rows: readonly Sample[] | null = null, budget = MAILABLE): string {
  const [first] = report.results
  const data = first === undefined ? null : pageData(report, first, rows ?? first.review, budget)
  const name = report.results.map(result => result.name).join(', ')
  const { tool } = report.metadata
  return shell(
    { title: `${STATUS[verdictOf(report)].word}: ${name}`, tool, hasScript: true },
    html`${report.results.map(
      (result, i) => html`${verdictBar(report, result)}
<main${i === 0 ? html` id="main"` : null}>
${nextStepsBox(report, result)}
${numbers(report)}
${charts(report, result)}
${changes(result)}
${matches(result)}
${checks(result)}
${alerts(report, result)}
${review(report, result, data)}
${unmatched(report, result)}
${duplicates(report, result)}
${companies(result)}
${columns(result)}
${timeline(result)}
${outputs(report, result)}
${reproduce(report, result)}
</main>`,
    )}
${data?.element ?? null}<script>${trusted(SCRIPT)}<\/script>`,
  )
}

/** `fettle diff --format html`: the counts and every row that changed. */
export const renderDiffHtml = (diff: Diff, tool: Report['metadata']['tool']): string =>
  shell(
    { title: `${diff.against} -> ${diff.now}`, tool, hasScript: false },
    html`<header><p class="eyebrow">Changed rows</p><h1>${countWords(diff.counts)}</h1><p class="message">${diff.against} → ${diff.now}</p></header>
<main id="main">${changeTable(diff.rows)}</main>`,
  )
