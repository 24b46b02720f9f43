/** The sections of rows: in review beside their best candidate, and unmatched by reason. */
import { action } from '../../errors.ts'
import type { RowChange } from '../../model/results.ts'
import { shellCommand } from '../../shell-command.ts'
import { wordsBeside } from '../differ.ts'
import { clip } from '../formats/escape.ts'
import type { Report, Result, Sample } from '../schema.ts'
import { CHANGE_HEAD, changeCells, kindCounts } from '../sections/changes.ts'
import { reasonsOf, reviewWords, unmatchedGroups } from '../why.ts'
import { count, counted } from '../words.ts'
import type { Packed } from './data.ts'
import { countFitting, html, type Markup, prose, type Value } from './markup.ts'
import { table } from './table.ts'
import { fileLink } from './verdict.ts'

/** Rows shown; the rest is folded. */
const OPEN = 50
/** Rows in the page: more make a browser slow. */
const MOST = 500
/** Characters of rows in one section: the page must stay below 5 MB. */
const BUDGET = 600_000
const CELL = 160

const HEAD = [{ figures: 'Row' }, 'Your row', 'Best candidate', { figures: 'Score' }, 'Why']

export function review(report: Report, result: Result, data: Packed | null): Markup | null {
  const samples = result.review
  const total = report.totals.review
  const file = result.outputs.find(output => output.kind === 'review')?.path ?? null
  const section = (content: Markup): Markup =>
    html`<section aria-labelledby="review"><h2 id="review">To review</h2>${content}</section>`
  const desk = data?.element == null ? null : html`<span class="ondesk">${onDesk(data, result.name)}</span>`
  if (samples.length === 0 && desk !== null)
    return section(
      html`<p class="lead"><span class="paper">${data!.all > 0 ? 'Every row is decided.' : 'No match is uncertain.'}</span>${desk}</p><div id="desk" hidden></div>`,
    )
  if (samples.length === 0) {
    if (result.plan.report.rows !== 'none' || !total) return null
    const where = file === null ? '' : ` They are in ${file}.`
    return section(html`<p class="lead">The pipeline keeps row content out of reports (report.rows: none).${where}</p>`)
  }
  const lead = `The match is not certain enough to stand by itself. What differs is marked.${decided(result)}`
  const open = samples.slice(0, OPEN)
  const folded = samples.slice(OPEN, MOST)
  const rest =
    folded.length === 0
      ? null
      : html`<details><summary>${count(folded.length)} further rows</summary>${renderTable('Further rows in review', folded, BUDGET)}</details>`
  return section(
    html`<p class="lead">${lead} <span class="paper">${formatShown(Math.min(samples.length, MOST), total, file)}</span>${desk}</p><div class="paper">${renderTable('Rows in review beside the best candidate', open, BUDGET)}${rest}</div><div id="desk" hidden></div>`,
  )
}

/** The hits that a person decides about on the page; without its script the section Companies lists them. */
export function hitsToDecide({ name }: Result, data: Packed | null): Markup | null {
  if (data === null) return null
  return html`<section class="ondesk" aria-labelledby="hits"><h2 id="hits">Hits to decide</h2><p class="lead">Whether the entry of the list is the company, or its director. ${onDesk(data, name, 'hits')}</p><div id="hitdesk" hidden></div></section>`
}

function decided({ decisions, plan }: Result): string {
  if (decisions === null) return ''
  const { accepted, rejected, overruled, agreed, learned, expired, undone, unused } = decisions
  const words: string[] = []
  if (accepted > 0) words.push(`${count(accepted)} accepted`)
  if (rejected > 0) words.push(`${count(rejected)} rejected`)
  if (overruled > 0) words.push(`${count(overruled)} set above the service`)
  if (agreed > 0) words.push(`${count(agreed)} found by the service too`)
  if (learned > 0) words.push(`${count(learned)} more learned from them`)
  if (expired > 0) words.push(`${counted(expired, 'line')} past its last day`)
  if (undone > 0) words.push(`${counted(undone, 'decision')} undone`)
  if (unused > 0) words.push(`${counted(unused, 'row')} not in this input`)
  return ` Decisions${plan.decisions === null ? '' : ` of ${plan.decisions}`}: ${words.join(', ') || 'none yet'}.`
}

const NEAREST = HEAD.map(column => (column === 'Best candidate' ? 'Nearest in the register' : column))

export function unmatched(report: Report, result: Result): Markup | null {
  const groups = unmatchedGroups(result.reasons, result.unmatched)
  const file = result.outputs.find(output => output.kind === 'unmatched')?.path ?? null
  if (groups.length === 0) return null
  const tables = groups.map(({ heading, count: rows, samples }) => {
    const listed = samples.slice(0, OPEN)
    const rest = listed.length > 0 && rows > listed.length ? ` (the first ${count(listed.length)} below)` : ''
    const caption = `Unmatched rows: ${heading}`
    return html`<div class="group"><h3>${heading} <span class="soft">${count(rows)}${rest}</span></h3>${listed.length === 0 ? null : renderTable(caption, listed, BUDGET / groups.length, NEAREST)}</div>`
  })
  const where = file === null ? null : html` Every one is in ${fileLink(report, file)}.`
  return html`<section aria-labelledby="unmatched"><h2 id="unmatched">Unmatched</h2><p class="lead">${counted(report.totals.unmatched, 'row')} without a company, by reason.${where}</p>${tables}</section>`
}

export function duplicates(report: Report, result: Result): Markup | null {
  const { duplicates: samples } = result
  if (samples.length === 0) return null
  const rows = samples.map(({ row, key, name, company, first }) => [
    html`${count(row)}${key === null ? null : html`<span class="sub">${clip(key, CELL)}</span>`}`,
    html`<span class="name">${clip(name, CELL)}</span>`,
    html`<span class="name">${clip(company.name, CELL)}</span><span class="sub">${clip(company.id, CELL)}</span>`,
    first === null ? html`<span class="soft">–</span>` : count(first),
  ])
  const head = [{ figures: 'Row' }, 'Your row', 'Company', { figures: 'First in row' }]
  const lead = formatShown(samples.length, report.totals.duplicates, null)
  return html`<section aria-labelledby="duplicates"><h2 id="duplicates">Duplicates</h2><p class="lead">Rows whose company an earlier row has. ${lead}</p>${table('Rows whose company an earlier row has', head, rows)}</section>`
}

/** The counts of every kind, and rows. */
export function changes({ changes }: Result): Markup | null {
  if (changes === null) return null
  const lead = changes.rows.length === 0 ? null : html`<p class="lead">The first rows of each kind.</p>`
  return html`<section aria-labelledby="changes"><h2 id="changes">Changes</h2><p class="lead">Since the run ${changes.against}.</p>${table('Rows by kind of change', ['Change', { figures: 'Rows' }], kindCounts(changes.counts))}${lead}${changeTable(changes.rows)}</section>`
}

export function changeTable(rows: readonly RowChange[]): Markup | null {
  if (rows.length === 0) return null
  const head = CHANGE_HEAD.map((label, at) => (at === 0 ? { figures: label } : label))
  const shown = rows.slice(0, MOST).map(change => changeCells(change).map(text => clip(text, CELL)))
  const rest = rows.length > MOST ? html`<p class="lead">The first ${count(MOST)} of ${count(rows.length)} rows.</p>` : null
  return html`${table('Rows that changed', head, shown)}${rest}`
}

const formatShown = (shown: number, total: number | null, file: string | null): string => {
  const all = total !== null && total > shown ? `The first ${count(shown)} of ${count(total)}.` : `All ${count(shown)}.`
  return file === null ? all : `${all} Every one is in ${file}.`
}

function onDesk({ shown, all, unmatched }: Packed, name: string, what: 'rows' | 'hits' = 'rows'): Markup {
  const cut =
    shown < all ? `The first ${count(shown)} of ${count(all)} ${what}: more would make the page too large to mail. ` : null
  const file = what === 'rows' ? 'decisions.csv' : 'hits.csv'
  const later = what === 'rows' ? '; later runs apply it if the pipeline names the file, or if the list has no pipeline' : ''
  const command = shellCommand(action('review', name, '--unmatched'))
  const rest =
    unmatched.all === 0
      ? null
      : unmatched.shown === unmatched.all
        ? 'Unmatched rows can be decided too. '
        : prose(
            `${count(unmatched.shown)} of ${counted(unmatched.all, 'unmatched row')} can be decided here; \`${command}\` has more. `,
          )
  return html`${cut}${rest}What you decide stays in this browser until you download it; then ${prose(`\`${shellCommand(action('review', name, '--apply', file))}\``)} writes the corrected output${later}.`
}

function renderTable(caption: string, samples: readonly Sample[], budget: number, head = HEAD): Markup {
  const rows = samples.map(renderRow)
  const shown = countFitting(
    rows.map(cells => html`${cells.map(cell => html`${cell}`)}`),
    budget,
  )
  const cut =
    shown === rows.length
      ? null
      : html`<p class="small soft">${count(shown)} of ${count(rows.length)} rows; the rest would make the page too large.</p>`
  return html`${table(caption, head, rows.slice(0, shown), 'wide')}${cut}`
}

function renderRow({ row, line, key, cells, candidate, score, why, reason }: Sample): Value[] {
  const name = cells.name ?? ''
  const others = Object.entries(cells).filter(([mapping, text]) => mapping !== 'name' && text !== '')
  return [
    html`${count(row)}${line === null || line === row + 1 ? null : html`<span class="sub">line ${count(line)}</span>`}${key === null ? null : html`<span class="sub">${clip(key, CELL)}</span>`}`,
    html`<span class="name">${marked(name, candidate?.name ?? name)}</span>${others.length === 0 ? null : html`<span class="sub">${others.map(([mapping, text]) => html`<span class="cell"><span class="label">${mapping}</span> ${clip(text, CELL)}</span> `)}</span>`}`,
    candidate === null
      ? html`<span class="soft">none</span>`
      : html`<span class="name">${marked(candidate.name, name === '' ? candidate.name : name)}</span><span class="sub">${clip(candidate.id, CELL)}</span>`,
    score === null ? html`<span class="soft">–</span>` : meter(score),
    html`${reviewWords(reason) === '' ? null : html`<span class="sub">${reviewWords(reason)}</span>`}<ul class="why">${reasonsOf(clip(why, 4 * CELL)).map(reason => html`<li class="${reason.kind}">${reason.text}</li>`)}</ul>`,
  ]
}

const meter = (score: number): Markup =>
  html`<span class="score">${score.toFixed(2)}</span><svg class="meter" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/><rect class="column" width="${(Math.max(0, Math.min(1, score)) * 100).toFixed(0)}" height="8"/></svg>`

const marked = (text: string, other: string): Markup =>
  html`${wordsBeside(clip(text, CELL), other).map(word => (word.differs ? html`<em class="differs">${word.text}</em>` : html`${word.text}`))}`
