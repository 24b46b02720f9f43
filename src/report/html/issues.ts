/** The sections of checks and alerts, each with its hint and place. */
import { requiredWords } from '../message.ts'
import type { Report, Result } from '../schema.ts'
import { labelCheck, type Tone } from '../verdict.ts'
import { count, formatHint, more } from '../words.ts'
import { html, type Markup, prose } from './markup.ts'
import { table } from './table.ts'

const SHOWN = 100

/** Word and sign, never colour alone. */
function badge(check: Result['checks'][number]): Markup {
  const { tone, sign, word } = labelCheck(check)
  return html`<span class="badge ${tone}"><span aria-hidden="true">${sign}</span>${word}</span>`
}

export function checks(result: Result): Markup | null {
  if (result.checks.length === 0) return null
  const rows = result.checks.map(check => [check.assertion, badge(check), requiredWords(check.expected), check.actual])
  const failed = result.checks.filter(check => check.success === false).length
  const open = result.checks.filter(check => check.success === null).length
  const lead =
    failed + open === 0
      ? 'All were met.'
      : [
          ...(failed === 0 ? [] : [`${count(failed)} of ${count(result.checks.length)} not met.`]),
          ...(open === 0 ? [] : [`${count(open)} of ${count(result.checks.length)} not measured yet.`]),
        ].join(' ')
  return html`<section aria-labelledby="checks"><h2 id="checks">Checks</h2><p class="lead">${lead}</p>${table('Checks of the pipeline', ['Check', 'Result', 'Required', 'Actual'], rows)}</section>`
}

type Issue = Result['issues'][number]

const TONE: Readonly<Record<Issue['severity'], { readonly tone: Tone; readonly word: string }>> = {
  error: { tone: 'bad', word: 'Error' },
  warn: { tone: 'warn', word: 'Warning' },
  info: { tone: 'calm', word: 'Note' },
}

/** A row may count several times, so the count is not the number of rows. */
function formatRows({ rows, count: times }: Issue): string {
  const list = rows.map(count).join(', ')
  if (times > rows.length) return `${count(times)} times, first in ${rows.length === 1 ? 'row' : 'rows'} ${list}`
  return `${rows.length === 1 ? 'row' : 'rows'} ${list}`
}

function place(issue: Issue): string {
  const at = issue.at === null ? [] : [[issue.at.file, issue.at.line, issue.at.column].filter(part => part !== null).join(':')]
  const column = issue.column === null ? [] : [`column ${issue.column}`]
  const rows = issue.rows.length === 0 ? [] : [formatRows(issue)]
  return [...at, ...column, ...rows].join(' · ')
}

function alert(issue: Issue): Markup {
  const { tone, word } = TONE[issue.severity]
  const where = place(issue)
  return html`<li class="note ${tone}"><p><b class="${tone}">${word}:</b> ${issue.message}</p>
${issue.hint === null ? null : html`<p class="small">${prose(formatHint(issue))}</p>`}
<p class="small"><span class="soft">${where === '' ? null : html`${where} · `}<code>${issue.code}</code></span></p></li>
`
}

export function alerts(report: Report, result: Result): Markup | null {
  const rank = { error: 0, warn: 1, info: 2 } as const
  const all = result.issues.toSorted((a, b) => rank[a.severity] - rank[b.severity])
  if (all.length + report.warnings.length === 0) return null
  const general = report.warnings
    .slice(0, SHOWN)
    .map(text => html`<li class="note warn"><p><b class="warn">Warning:</b> ${text}</p></li>`)
  const rest = more(all.length, SHOWN)
  return html`<section aria-labelledby="alerts"><h2 id="alerts">Alerts</h2><ul class="alerts">${general}${all.slice(0, SHOWN).map(alert)}</ul>${rest === '' ? null : html`<p class="soft small">${rest}; all are in report.json.</p>`}</section>`
}
