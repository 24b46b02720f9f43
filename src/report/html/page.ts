/** `report.html`: a self-contained page about one run. It loads nothing from the network and is readable without its script. */

import type { HitToDecide } from '../../model/results.ts'
import type { Diff } from '../formats/changes.ts'
import { requiredWords } from '../message.ts'
import type { Report, Result } from '../schema.ts'
import { countWords } from '../sections/changes.ts'
import { companyActionLines, whoText } from '../sections/company-actions.ts'
import { labelCheck, STATUS, type Tone, verdictOf } from '../verdict.ts'
import { count, formatHint, more, place } from '../words.ts'
import { charts } from './charts.ts'
import { hitPageData, MAILABLE, type PageRow, pageData } from './data.ts'
import { html, type Markup, prose, trusted } from './markup.ts'
import { audit, columns, decisions, matches, outputs, reproduce, timeline } from './record.ts'
import { changes, changeTable, duplicates, hitsToDecide, review, unmatched } from './rows.ts'
import { SCRIPT } from './script.ts'
import { shell } from './shell.ts'
import { type Column, table } from './table.ts'
import { labelBadge, nextStepsBox, numbers, verdictBar } from './verdict.ts'

/** `rows` are the rows to review and the unmatched ones, up to `budget` characters; if absent, the samples in the report. `hits` are those to decide about. */
export function renderHtml(
  report: Report,
  rows: readonly PageRow[] | null = null,
  hits: readonly HitToDecide[] = [],
  budget = MAILABLE,
): string {
  const [first] = report.results
  const data = first === undefined ? null : pageData(report, first, rows ?? first.review, budget)
  const hitData = hitPageData(report, hits, budget)
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
${audit(result)}
${decisions(result)}
${checks(result)}
${alerts(report, result)}
${review(report, result, data)}${hitsToDecide(result, i === 0 ? hitData : null)}
${unmatched(report, result)}
${duplicates(report, result)}
${companies(result)}
${columns(result)}
${timeline(result)}
${outputs(report, result)}
${reproduce(report, result)}
</main>`,
    )}
${data?.element ?? null}${hitData?.element ?? null}<script>${trusted(SCRIPT)}<\/script>`,
  )
}

/** `fettle diff --format html`: the counts and every row that changed. */
export const renderDiffHtml = (diff: Diff, tool: Report['metadata']['tool']): string =>
  shell(
    { title: `${diff.against} -> ${diff.now}`, tool, hasScript: false },
    html`<header><p class="eyebrow">Changed rows</p><h1>${countWords(diff.counts)}</h1><p class="message">${diff.against} → ${diff.now}</p></header>
<main id="main">${changeTable(diff.rows)}</main>`,
  )

const SHOWN = 100

function checks(result: Result): Markup | null {
  if (result.checks.length === 0) return null
  const rows = result.checks.map(check => {
    return [check.assertion, labelBadge(labelCheck(check)), requiredWords(check.expected), check.actual]
  })
  const countChecks = (wanted: boolean | null, words: string): string[] => {
    const some = result.checks.filter(({ success }) => success === wanted).length
    return some === 0 ? [] : [`${count(some)} of ${count(rows.length)} ${words}.`]
  }
  const leads = [...countChecks(false, 'not met'), ...countChecks(null, 'not measured yet')]
  return html`<section aria-labelledby="checks"><h2 id="checks">Checks</h2><p class="lead">${leads.join(' ') || 'All were met.'}</p>${table('Checks of the pipeline', ['Check', 'Result', 'Required', 'Actual'], rows)}</section>`
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

function formatPlace(issue: Issue): string {
  const { at, column, rows } = issue
  const parts = [at && place(at), column === null ? null : `column ${column}`, rows.length === 0 ? null : formatRows(issue)]
  return parts.filter(part => part !== null).join(' · ')
}

function alert(issue: Issue): Markup {
  const { tone, word } = TONE[issue.severity]
  const where = formatPlace(issue)
  return html`<li class="note ${tone}"><p><b class="${tone}">${word}:</b> ${issue.message}</p>
${issue.hint === null ? null : html`<p class="small">${prose(formatHint(issue))}</p>`}
<p class="small"><span class="soft">${where === '' ? null : html`${where} · `}<code>${issue.code}</code></span></p></li>
`
}

function alerts(report: Report, result: Result): Markup | null {
  const rank = { error: 0, warn: 1, info: 2 } as const
  const all = result.issues.toSorted((a, b) => rank[a.severity] - rank[b.severity])
  if (all.length + report.warnings.length === 0) return null
  const general = report.warnings
    .slice(0, SHOWN)
    .map(text => html`<li class="note warn"><p><b class="warn">Warning:</b> ${text}</p></li>`)
  const rest = more(all.length, SHOWN)
  return html`<section aria-labelledby="alerts"><h2 id="alerts">Alerts</h2><ul class="alerts">${general}${all.slice(0, SHOWN).map(alert)}</ul>${rest === '' ? null : html`<p class="soft small">${rest}; all are in report.json.</p>`}</section>`
}

const headed = (caption: string, columns: readonly Column[], rows: readonly (readonly string[])[]): Markup =>
  html`<h3>${caption}</h3>${table(caption, columns, rows)}`

function companies(result: Result): Markup | null {
  const { screening, events, monitoring } = result
  const lines = companyActionLines({
    ...result,
    events: events && { ...events, listed: [] },
    monitoring: monitoring && { ...monitoring, written: monitoring.written && { ...monitoring.written, listed: [] } },
    screening: screening && {
      ...screening,
      risks: [],
      found: [],
      judged: screening.judged && { ...screening.judged, listed: [] },
    },
  })
  if (lines.length === 0) return null
  const leads = lines.map(
    ({ about, text, isAlert }) =>
      html`<p class="lead">${isAlert ? html`<b class="warn">!</b> ` : null}${about === 'screening' || about === 'events' || about === 'monitoring' ? null : about === 'portfolio' ? 'Portfolio ' : 'Candidates: '}${text}.</p>`,
  )
  return html`<section aria-labelledby="companies"><h2 id="companies">Companies</h2>${leads}${eventTable(result)}${alertTable(result)}${hits(result)}${refusals(result)}</section>`
}

function eventTable({ events }: Result): Markup | null {
  if (events === null || events.listed.length === 0) return null
  const { listed } = events
  const rows = listed.map(({ at, company, key, rule, old, new: now }) => {
    return [at.slice(0, 10), company.name, company.id, key, rule, old, now]
  })
  const head = ['Date', 'Company', 'Id', 'Key', 'Event', 'Before', 'After']
  return headed(events.events > listed.length ? `The first ${listed.length} events` : 'Events', head, rows)
}

function alertTable({ monitoring }: Result): Markup | null {
  const { listed = [], alerts = 0 } = monitoring?.written ?? {}
  if (listed.length === 0) return null
  const rows = listed.map(({ at, company, name, score, datasets }) => {
    return [at.slice(0, 10), whoText(company), company.id, name, String(score), datasets.join(' ')]
  })
  const head = ['Date', 'Company', 'Id', 'On the list', 'Score', 'Datasets']
  return headed((alerts ?? 0) > listed.length ? `The first ${listed.length} alerts` : 'Alerts of monitored searches', head, rows)
}

function hits({ screening }: Result): Markup[] {
  if (screening === null || screening.hits === 0) return []
  const risks = screening.risks.map(({ dataset, meaning, companies, hits }) => [dataset, meaning, count(companies), count(hits)])
  const found = screening.found.map(({ id, hits, risks, searchId, ...subject }) => {
    const datasets = Object.entries(risks).map(([dataset, many]) => `${dataset} ${many}`)
    return [whoText(subject), id, count(hits), datasets.join(', '), searchId]
  })
  const judged = screening.judged?.listed ?? []
  const decided = judged.map(({ id, state, entry, why, ...subject }) => [whoText(subject), id, state, entry, why])
  const decisions =
    decided.length === 0 ? [] : [headed('Hits that are not cleared', ['Company', 'Id', 'State', 'Entry', 'Decision'], decided)]
  const byDataset = headed('Hits by dataset', ['Dataset', 'Meaning', { figures: 'Companies' }, { figures: 'Hits' }], risks)
  if (found.length === 0) return [...decisions, byDataset]
  const head = ['Company', 'Id', { figures: 'Hits' }, 'Datasets', 'Search']
  return [...decisions, byDataset, headed('Companies with hits, the most first', head, found)]
}

function refusals({ portfolio, screening }: Result): Markup | null {
  const rows = Object.entries({ portfolio, screening }).flatMap(([by, part]) =>
    (part?.refusals ?? []).map(({ id, why }) => [by, id, why]),
  )
  if (rows.length === 0) return null
  return headed('Companies that were refused, the first of them', ['By', 'Company', 'Why'], rows)
}
