/** The page about several pipelines of one call: the verdict of each with its bar and a link to its page, failures first. */

import { isRejection, type PipelineResult, type Rejection } from '../pipeline-result.ts'
import type { Report, Result } from '../schema.ts'
import { sumOfTotals } from '../totals.ts'
import { OUTCOME, OUTCOMES, outcomeWord, STATUS, type Verdict, verdictOf, worst } from '../verdict.ts'
import { count, counted, duration, formatHint, more, percent, points, time } from '../words.ts'
import { bar, patterns } from './charts.ts'
import { html, type Markup, prose } from './markup.ts'
import { shell } from './shell.ts'
import { badge, nextStep, numbers } from './verdict.ts'

const PROBLEMS = 5

export function renderIndex(
  results: readonly PipelineResult[],
  { tool, linkOf }: { readonly tool: Report['metadata']['tool']; readonly linkOf: (report: Report) => string },
): string {
  const verdicts = results.map(result => (isRejection(result) ? 'error' : verdictOf(result)))
  const together = worst(verdicts)
  const reports = results.filter((result): result is Report => !isRejection(result))
  const title = counted(results.length, 'pipeline')
  const sorted = ORDER.flatMap(tone => results.filter((_, at) => STATUS[verdicts[at]!].tone === tone))
  const body = html`<header>
<p class="eyebrow">fettle run report</p>
<h1>${title} ${badge(together)}</h1>
<p class="message">${countVerdicts(verdicts)}</p>
</header>
<main id="main">
${reports.length === 0 ? null : numbers({ totals: sumOfTotals(reports.map(({ totals }) => totals)), delta: null, previous: null, results: [] })}
<section aria-labelledby="pipelines"><h2 id="pipelines">Pipelines</h2>${patterns(OUTCOMES)}${legend(reports)}
<ul class="stack">${sorted.map(
    report => html`<li class="card pipeline">${isRejection(report) ? refused(report) : report.results.map(result => line(report, result, linkOf(report)))}</li>
`,
  )}</ul></section>
</main>`
  return shell({ title: `${STATUS[together].word}: ${title}`, tool, hasScript: false }, body)
}

const ORDER = ['bad', 'warn', 'calm', 'good'] as const

/** `2 × Success, 1 × Error`, the worst first. */
function countVerdicts(verdicts: readonly Verdict[]): string {
  const words: string[] = []
  for (let left = verdicts; left.length > 0; ) {
    const verdict = worst(left)
    const others = left.filter(other => other !== verdict)
    words.push(`${STATUS[verdict].word}: ${count(left.length - others.length)}`)
    left = others
  }
  return words.join(' · ')
}

function legend(reports: readonly Report[]): Markup | null {
  const shown = OUTCOMES.filter(name => reports.some(({ totals }) => (totals[name] ?? 0) > 0))
  if (shown.length === 0) return null
  return html`<ul class="legend row">${shown.map(
    name =>
      html`<li><svg viewBox="0 0 14 14" aria-hidden="true"><rect width="14" height="14" fill="url(#p-${name})"/></svg>${OUTCOME[name].word}</li>`,
  )}</ul>`
}

function line(report: Report, result: Result, link: string): Markup {
  const { totals, delta } = report
  const change = delta?.matchRate == null ? '' : ` (${points(delta.matchRate)})`
  const facts = [
    counted(totals.rows, 'row'),
    ...(totals.matchRate === null ? [] : [`${percent(totals.matchRate)} matched${change}`]),
    ...(['review', 'unmatched', 'failed'] as const)
      .filter(name => (totals[name] ?? 0) > 0)
      .map(name => `${count(totals[name])} ${outcomeWord(name, totals)}`),
    `${time(report.metadata.startedAt)} UTC, took ${duration(report.elapsedMs)}`,
  ]
  return html`<h3><a href="${link}">${result.name}</a> ${badge(verdictOf(report))}</h3>
<p>${result.message}</p>
${bar(report)}
<p class="small soft">${facts.join(' · ')}</p>
${nextStep(report, result)}`
}

const refused = ({ name, exitCode, issues }: Rejection): Markup => html`<h3>${name} ${badge('error')}</h3>
<p>There was no run: exit code ${exitCode}.</p>
<ul class="stack small">${issues
  .slice(0, PROBLEMS)
  .map(
    issue =>
      html`<li>${issue.message}${issue.hint === null ? null : html`<br>${prose(formatHint(issue))}`} <code>${issue.code}</code></li>`,
  )}</ul>
${issues.length > PROBLEMS ? html`<p class="small soft">${more(issues.length, PROBLEMS)}</p>` : null}`
