/**
 * `report.md`, for job summaries and issues. Headings start at `###`. To stay below the 1,024 KiB of a job summary it omits whole
 * sections, the least important first; a table is never cut.
 */

import { nextSteps, requiredWords, spentWords } from '../message.ts'
import { isRejection, type PipelineResult, type Problem, type Rejection } from '../pipeline-result.ts'
import type { Report, Result, Sample } from '../schema.ts'
import { auditWords } from '../sections/audit.ts'
import { CHANGE_HEAD, changeCells, kindWords } from '../sections/changes.ts'
import { companyActionLines } from '../sections/company-actions.ts'
import { ruleWords, unreachedWords } from '../sections/decide.ts'
import { bandName, shownMatches } from '../sections/matches.ts'
import { registerDigests, serviceWords } from '../service-words.ts'
import { readShare } from '../totals.ts'
import { labelCheck, outcomeWord, STATUS, shownOutcomes, verdictOf } from '../verdict.ts'
import { reasonsOf, unmatchedGroups, unmatchedWords } from '../why.ts'
import { about, bytes, count, duration, formatHint, more, percent, place, points, signed } from '../words.ts'
import { clip, escapeMarkdown as esc, markdownCell, markdownCode } from './escape.ts'

/** Bytes. GitHub rejects a job summary above 1,024 KiB, and other steps may add to it. */
const BUDGET = 900_000
/** Bytes reserved for the note about omitted sections. */
const NOTE = 200
const ROWS = 20
const CELL = 120
const ISSUES = 50

/** `hasRows`: with the sections that contain cells of the list. */
export function renderMarkdown(pipelineResult: PipelineResult, budget = BUDGET, hasRows = true): string {
  const sections = isRejection(pipelineResult)
    ? [refused(pipelineResult)]
    : pipelineResult.results.map(result => listSections(pipelineResult, result))
  const kept: string[] = []
  const dropped: string[] = []
  let left = budget - NOTE
  for (const [name, text] of sections.flatMap(texts => Object.entries(texts))) {
    if (text === '' || (!hasRows && WITH_CELLS.includes(name))) continue
    const size = new TextEncoder().encode(text).length + 1
    if (size > left) dropped.push(name)
    else {
      left -= size
      kept.push(text)
    }
  }
  if (dropped.length > 0) kept.push(`_Left out for length: ${dropped.join(', ')}. All of it is in report.html._\n`)
  return kept.join('\n')
}

/** Several pipelines in one text: each gets an equal share of the remaining bytes. */
export function renderMarkdowns(results: readonly PipelineResult[], budget = BUDGET, hasRows = true): string {
  let left = budget
  return results
    .map((result, at) => {
      const text = renderMarkdown(result, Math.floor(left / (results.length - at)) - 1, hasRows)
      left -= new TextEncoder().encode(text).length + 1
      return text
    })
    .join('\n')
}

const WITH_CELLS: readonly string[] = ['changed rows', 'rows in review', 'unmatched rows', 'columns']

const refused = ({ name, exitCode, issues }: Rejection): Record<string, string> => ({
  verdict: `### ✗ ${esc(name)}: Not started\n\nThere was no run · exit code ${exitCode}\n`,
  problems: listed('### Problems', issueList(issues, [])),
})

/** The sections by name. Most important first; omitted from the end. */
const listSections = (report: Report, result: Result): Record<string, string> => ({
  verdict: verdict(report, result),
  rows: rows(report),
  changes: changes(result),
  'next steps': next(report, result),
  reasons: reasons(result),
  bands: matches(result),
  audit: audit(result),
  decisions: decisions(result),
  checks: checks(result),
  alerts: listed('### Alerts', issueList(result.issues, report.warnings)),
  companies: companyActions(result),
  files: files(result),
  'rows in review': folded('rows in review', result.review, report.totals.review, { head: REVIEW_HEAD, row: reviewRow }),
  'unmatched rows': folded('unmatched rows', result.unmatched, report.totals.unmatched, {
    head: UNMATCHED_HEAD,
    row: unmatchedRow,
  }),
  'changed rows': changedRows(result),
  columns: columns(result),
})

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.map(markdownCell).join(' | ')} |`).join('\n')

const titled = (title: string, head: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.length === 0 ? '' : `${title}\n\n${table(head, rows)}\n`

const listed = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `${title}\n\n${lines.join('\n')}\n`

const details = (summary: string, head: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.length === 0 ? '' : `<details>\n<summary>${summary}</summary>\n\n${table(head, rows)}\n\n</details>\n`

const cell = (text: string): string => esc(clip(text, CELL))

function verdict(report: Report, result: Result): string {
  const { sign, word } = STATUS[verdictOf(report)]
  const lines = [`### ${sign} ${esc(result.name)}: ${word}`, '', `Result: ${esc(result.message)}`]
  if (result.error !== null) {
    const correlation = result.error.correlationId === null ? '' : ` Correlation id ${markdownCode(result.error.correlationId)}.`
    lines.push('', `**What to do:** ${esc(result.error.hint)} (${markdownCode(result.error.code)})${correlation}`)
  }
  if (report.resume !== null) lines.push('', `Resume with ${markdownCode(report.resume)}`)
  const service = `service ${markdownCode(serviceWords(result))}`
  const facts = [`Run ${markdownCode(report.metadata.runId)}`, service, `took ${duration(report.elapsedMs)}`]
  if (result.http.requests > 0) facts.push(`spent ${spentWords(result)}`)
  if (report.exitCode !== null) facts.push(`exit code ${report.exitCode}`)
  lines.push('', facts.join(' · '))
  const digests = registerDigests(result).map(
    ({ name, sha256 }) => `Register ${markdownCode(name)}: sha256 ${markdownCode(sha256)}`,
  )
  if (digests.length > 0) lines.push('', digests.join(' · '))
  return `${lines.join('\n')}\n`
}

function rows(report: Report): string {
  const { totals, delta } = report
  const lines = shownOutcomes(report).map(name => {
    const share = readShare(name, totals)
    return [outcomeWord(name, totals), count(totals[name]), share === null ? '' : percent(share)]
  })
  const rate = totals.matchRate === null ? '' : `Match rate **${percent(totals.matchRate)}**`
  const change =
    delta === null || delta.matchRate === null
      ? ''
      : ` (${points(delta.matchRate)} and ${signed(delta.rows ?? 0)} rows since the last good run)`
  return `${table(['Rows', 'Count', 'Share'], [...lines, ['**all**', `**${count(totals.rows)}**`, '']])}\n${rate === '' ? '' : `\n${rate}${change}\n`}`
}

const changes = ({ changes }: Result): string =>
  changes === null ? '' : `Since ${markdownCode(changes.against)}: ${kindWords(changes.counts)}\n`

const changedRows = ({ changes }: Result): string =>
  details('Changed rows, the first of each kind', CHANGE_HEAD, changes?.rows.map(change => changeCells(change).map(cell)) ?? [])

function next(report: Report, result: Result): string {
  const steps = nextSteps(report, result).map(({ text, file, command }) => {
    const parts = [esc(text), file && markdownCode(file), command && markdownCode(command)]
    return `- ${parts.filter(part => part !== null).join(' · ')}`
  })
  return listed('#### Next steps', steps)
}

function matches(result: Result): string {
  const found = shownMatches(result)
  if (found === null) return ''
  const rows = found.bands.map(({ value, rows, matched, review, unmatched, moves }) => [
    cell(bandName(value)),
    ...[rows, matched, review, unmatched, moves.matched, moves.review, moves.unmatched].map(count),
  ])
  const head = ['Band', 'Rows', 'Matched', 'Review', 'Unmatched', 'Moved if accepted', 'Moved if for review', 'Moved if left out']
  const note = found.byPattern === 0 ? '' : `\naccept.pattern leaves ${count(found.byPattern)} of the rows for review.\n`
  return `#### Bands\n\n${table(head, rows)}\n${note}`
}

function audit({ audit }: Result): string {
  if (audit === null) return ''
  const rows = audit.examples.map(({ row, name, company, differs }) => [
    count(row),
    cell(name),
    cell(company.name),
    cell(differs.join(', ')),
  ])
  const first = rows.length === 0 ? '' : `\n${table(['Row', 'Name', 'Company', 'Differs'], rows)}\n`
  return `#### Audit of matches\n\n${esc(auditWords(audit))}\n${first}`
}

function decisions({ decide }: Result): string {
  if (decide === null) return ''
  const rows = decide.rules.map(rule => [cell(ruleWords(rule)), rule.decision, count(rule.rows)])
  const note = unreachedWords(decide)
  return `#### Decisions\n\n${table(['Rule', 'Decision', 'Rows'], rows)}\n${note === '' ? '' : `\n${esc(note)}\n`}`
}

const reasons = ({ reasons, unmatched }: Result): string =>
  titled(
    '#### Unmatched rows by reason',
    ['Reason', 'Rows'],
    unmatchedGroups(reasons, unmatched).map(({ heading, count: rows }) => [esc(heading), count(rows)]),
  )

function checks({ checks }: Result): string {
  const rows = checks.map(check => {
    const { sign, word } = labelCheck(check)
    const shown = check.success === true ? sign : `${sign} ${word}`
    return [shown, cell(check.assertion), cell(requiredWords(check.expected)), cell(check.actual)]
  })
  return titled('### Checks', ['', 'Check', 'Required', 'Actual'], rows)
}

function issueList(issues: readonly Problem[], warnings: readonly string[]): string[] {
  const sign = { error: '✗', warn: '!', info: 'i' } as const
  const items = issues.slice(0, ISSUES).map(issue => {
    const at = issue.at === null ? '' : ` (${markdownCode(place(issue.at))})`
    const hint = issue.hint === null ? '' : ` _${esc(formatHint(issue))}_`
    return `- ${sign[issue.severity]} ${esc(clip(issue.message, 500))}${at}${hint}`
  })
  const general = warnings.slice(0, ISSUES).map(text => `- ! ${esc(clip(text, 500))}`)
  const rest = more(issues.length, ISSUES)
  return [...general, ...items, ...(rest === '' ? [] : [`- … ${rest}`])]
}

function companyActions(result: Result): string {
  const lines = companyActionLines(result).map(
    ({ about, text, isAlert }) => `- ${isAlert ? '⚠' : '✓'} ${about}: ${esc(clip(text, 300))}`,
  )
  return listed('#### Companies', lines)
}

function files({ outputs }: Result): string {
  const rows = outputs.map(({ path, rows, bytes: size, sha256 }) => {
    return [markdownCode(path), count(rows), bytes(size), markdownCode(sha256.slice(0, 12))]
  })
  return titled('### Files', ['File', 'Rows', 'Size', 'SHA-256'], rows)
}

const REVIEW_HEAD = ['Row', 'Your row', 'Best candidate', 'Score', 'Why']
const UNMATCHED_HEAD = ['Row', 'Your row', 'Reason', 'Nearest in the register']

const named = (sample: Sample): string => (sample.key === null ? count(sample.row) : `${count(sample.row)} (${cell(sample.key)})`)
const cells = (sample: Sample): string =>
  Object.entries(sample.cells)
    .filter(([, text]) => text !== '')
    .map(([mapping, text]) => (mapping === 'name' ? `**${cell(text)}**` : cell(text)))
    .join(', ')
const candidate = (sample: Sample): string =>
  sample.candidate === null ? '–' : `${cell(sample.candidate.name)} ${markdownCode(sample.candidate.id)}`
const why = ({ why }: Sample): string => cell(Array.from(reasonsOf(why), ({ text }) => text).join(', '))

const reviewRow = (sample: Sample): string[] => {
  const score = sample.score === null ? '' : sample.score.toFixed(2)
  return [named(sample), cells(sample), candidate(sample), score, why(sample)]
}
const unmatchedRow = (sample: Sample): string[] => {
  return [named(sample), cells(sample), cell(unmatchedWords(sample.reason)), candidate(sample)]
}

/** The profile of the input explains high and low match rates. */
function columns({ profile }: Result): string {
  const rows = profile.map(column => [
    column.mapping ?? 'key',
    column.header === null ? `column ${column.index + 1}` : cell(column.header),
    percent(column.fillRate),
    about(column.distinct, column.estimated),
    column.examples.map(cell).join(', '),
  ])
  const head = ['Sent as', 'Header', 'Filled', 'Different', 'Such as']
  return details('What the columns hold', head, rows)
}

function folded(
  what: string,
  samples: readonly Sample[],
  total: number | null,
  { head, row }: { readonly head: readonly string[]; readonly row: (sample: Sample) => string[] },
): string {
  const shown = samples.slice(0, ROWS)
  const of =
    total !== null && total > shown.length ? `The first ${count(shown.length)} of ${count(total)}` : `All ${count(shown.length)}`
  return details(`${of} ${what}`, head, shown.map(row))
}
