/** The sections of evidence: bands and patterns, columns, timeline, files, and the data to reproduce the run. */
import { clip } from '../formats/escape.ts'
import { repeatCommand, spentWords } from '../message.ts'
import type { Report, Result } from '../schema.ts'
import { auditWords } from '../sections/audit.ts'
import { decisionWords, ruleWords, unreachedWords } from '../sections/decide.ts'
import { bandName, shownMatches } from '../sections/matches.ts'
import { STATUS } from '../verdict.ts'
import { about, bytes, clockTime, count, counted, duration, more, percent, time } from '../words.ts'
import { html, type Markup, type Value } from './markup.ts'
import { table } from './table.ts'
import { fileLink } from './verdict.ts'

/** Entries of one list: a service that alternates between statuses must not make the page endless. */
const SHOWN = 200

const EXAMPLE = 60

export function columns(result: Result): Markup {
  const keys = result.profile.filter(({ mapping }) => mapping === null)
  const key = keys.map(column => ({ ...column, pad: null, value: null, trim: false }))
  const rows = [...result.mappings, ...key].map(column => [
    column.header ?? html`<span class="soft">${column.value === null ? 'no header' : 'no column'}</span>`,
    column.mapping === null ? html`<span class="soft">key</span>` : html`<code>${column.mapping}</code>`,
    String(column.index),
    ...profileCells(result.profile.find(({ mapping }) => mapping === column.mapping)),
    changes(column) ?? html`<span class="soft">unchanged</span>`,
  ])
  const used = new Set(result.mappings.map(column => column.index))
  const unused = (result.input.header ?? []).filter((_, index) => !used.has(index))
  const note =
    unused.length === 0 ? null : html`<p class="small soft">Not sent for matching: ${clip(unused.join(', '), 2000)}</p>`
  const head = ['Header', 'Mapping', { figures: 'Index' }, { figures: 'Filled' }, { figures: 'Different' }, 'Such as', 'Sent']
  return html`<section aria-labelledby="columns"><h2 id="columns">Columns</h2>${table('Which column is sent as what, and what it holds', head, rows, 'columns')}${note}</section>`
}

function profileCells(profile: Result['profile'][number] | undefined): Value[] {
  const none = html`<span class="soft">–</span>`
  if (profile === undefined) return [none, none, none]
  const examples = profile.examples.map(text => html`<span class="sub">${clip(text, EXAMPLE)}</span>`)
  return [percent(profile.fillRate), about(profile.distinct, profile.estimated), examples.length === 0 ? none : html`${examples}`]
}

function changes({ pad, trim, value }: Pick<Result['mappings'][number], 'pad' | 'trim' | 'value'>): string | null {
  if (value !== null) return `“${value}” in every row`
  const done = [pad === null ? [] : `padded to ${pad} digits`, trim ? 'trimmed' : []].flat()
  return done.length === 0 ? null : done.join(', ')
}

export function timeline(result: Result): Markup {
  const longest = Math.max(...result.stages.map(stage => stage.elapsedMs), 1)
  const rows = result.stages.map(stage => {
    const { sign, word, tone } = STATUS[stage.status]
    const width = stage.elapsedMs === 0 ? 0 : Math.max(1, (stage.elapsedMs / longest) * 100)
    const bad = stage.status === 'error' ? ' bad' : ''
    return [
      stage.name,
      html`<span class="${tone} nowrap"><span aria-hidden="true">${sign}</span> ${word}</span>${stage.note === null ? null : html`<span class="sub">${clip(stage.note, 500)}</span>`}`,
      stage.startedAt === null ? html`<span class="soft">–</span>` : clockTime(stage.startedAt),
      stage.startedAt === null
        ? html`<span class="soft">–</span>`
        : html`${duration(stage.elapsedMs)}<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/><rect class="span${bad}" width="${width.toFixed(1)}" height="8"/></svg>`,
      stage.attempts === 0 ? html`<span class="soft">–</span>` : String(stage.attempts),
    ]
  })
  const head = ['Stage', 'Status', { figures: 'Began (UTC)' }, { figures: 'Took' }, { figures: 'Attempts' }]
  const { requests, retries, throttledMs } = result.http
  const http = `${counted(requests, 'request')}, ${retries === 0 ? 'none' : count(retries)} of them repeated${throttledMs > 0 ? `, ${duration(throttledMs)} held back by the service` : ''}.`
  return html`<section aria-labelledby="timeline"><h2 id="timeline">Timeline</h2><p class="lead">${http}</p>${table('Stages of the run', head, rows)}<div class="stack">${result.jobs
    .filter(job => job.id !== null || job.history.length > 0)
    .slice(0, SHOWN)
    .map(jobCard)}</div></section>`
}

function jobCard(job: Result['jobs'][number]): Markup {
  const summary = Object.entries(job.jobSummary ?? {}).flatMap(([name, value]) =>
    typeof value === 'number' ? [html`<dt>${name}</dt><dd>${count(value)}</dd>`] : [],
  )
  const path = job.history
    .slice(0, SHOWN)
    .map(entry => html`<li><b>${entry.status}</b> <span class="soft">${clockTime(entry.at)}</span></li>`)
  const rest = more(job.history.length, SHOWN)
  const ids = job.correlations
    .slice(0, SHOWN)
    .map(request => [request.operation, html`<code data-copy>${request.correlationId}</code>`])
  return html`<div class="card"><h3>Remote job <code>${job.name}</code></h3>
<p class="small soft">${job.id === null ? 'no id yet' : html`id <code>${job.id}</code>`}${job.adopted ? ' · found, made by an earlier attempt' : null}${job.polls > 0 ? ` · asked ${counted(job.polls, 'time')}` : null}</p>
${path.length === 0 ? null : html`<ol class="path" aria-label="Statuses">${path}${rest === '' ? null : html`<li>${rest}</li>`}</ol>`}
${summary.length === 0 ? null : html`<details class="small"><summary>The service's own counts</summary><dl class="pairs">${summary}</dl></details>`}
${ids.length === 0 ? null : html`<details class="small"><summary>${counted(ids.length, 'correlation id')}</summary>${table('Correlation ids, for the service’s support', ['Operation', 'Correlation id'], ids)}</details>`}</div>
`
}

export function outputs(report: Report, result: Result): Markup | null {
  if (result.outputs.length === 0) return null
  const rows = result.outputs.map(({ path, kind, rows, bytes: size, sha256 }) => {
    return [fileLink(report, path), kind, count(rows), bytes(size), html`<code>${sha256}</code>`]
  })
  return html`<section aria-labelledby="files"><h2 id="files">Files</h2>${table('Files of this run', ['Path', 'Kind', { figures: 'Rows' }, { figures: 'Size' }, 'SHA-256'], rows)}</section>`
}

const pair = (name: string, value: Markup | string | null): Markup | null =>
  value === null ? null : html`<dt>${name}</dt><dd>${value}</dd>`

export function reproduce(report: Report, result: Result): Markup {
  const { plan, input } = result
  const { tool, traceId, ci, runId } = report.metadata
  const limits = [plan.limit === null ? [] : `the first ${counted(plan.limit, 'row')}`, plan.preparation].flat()
  const { rows, credits } = plan.budget
  const budget = [rows === null ? [] : counted(rows, 'row'), credits === null ? [] : counted(credits, 'credit')].flat()
  const repeat = repeatCommand(report, result)
  const args = Object.entries(report.args).filter(
    ([, value]) => value !== null && value !== false && !(Array.isArray(value) && value.length === 0),
  )
  const delimiter = input.delimiter === '\t' ? 'tab' : `“${input.delimiter}”`
  return html`<section aria-labelledby="reproduce"><h2 id="reproduce">Reproduce</h2><div class="card">${repeat === null ? html`<p>A program ran a pipeline object: <code>run(pipeline)</code>.</p>` : html`<code class="command" data-copy>${repeat}</code>`}
<details open><summary>What exactly was run</summary><dl class="pairs">
${pair('Version', `${tool.name} ${tool.version}`)}
${pair('Run', html`<code>${runId}</code>`)}
${pair('Plan', html`<code>${plan.fingerprint}</code>`)}
${pair('Input', html`${input.path}, ${counted(input.rows, 'row')}, ${bytes(input.bytes)}`)}
${pair('Input SHA-256', html`<code>${input.sha256}</code>`)}
${pair('Read as', `${input.encoding}${input.bom ? ' with BOM' : ''}, delimiter ${delimiter}, ${counted(input.columns, 'column')}, line end ${input.lineEnd}`)}
${pair('Sent', limits.length === 0 ? 'byte for byte' : limits.join(', '))}
${pair('Enrichment', plan.enrich === null ? 'none' : `${plan.enrich.product}, ${counted(plan.enrich.tags.length, 'column')}`)}
${plan.jobs === 1 ? null : pair('Remote jobs', `${plan.jobs}, ${plan.concurrency} at a time`)}
${budget.length === 0 ? null : pair('Budget', budget.join(', '))}
${pair('Spent', spentWords(result))}
${pair('Waiting', `asked every ${duration(plan.poll.everyMs)} to ${duration(plan.poll.maxMs)}, for at most ${duration(plan.poll.timeoutMs)}`)}
${plan.report.mask.length === 0 ? null : pair('Masked', plan.report.mask.join(', '))}
${args.length === 0 ? null : pair('Asked for', args.map(([name, value]) => (value === true ? name : `${name} ${String(value)}`)).join(', '))}
${ci === null ? null : pair('CI', ci)}
${pair('Trace id', html`<code data-copy>${traceId}</code>`)}
${pair('Written', `${time(report.metadata.generatedAt)} UTC`)}
</dl></details></div></section>`
}

const BAND_CELL = 80
const OUTCOMES = ['Rows', 'Matched', 'Review', 'Unmatched'].map(figures => ({ figures }))
const CHOICES = ['Moved if accepted', 'Moved if for review', 'Moved if left out'].map(figures => ({ figures }))

type Matches = NonNullable<Result['matches']>

export function matches(result: Result): Markup | null {
  const found = shownMatches(result)
  if (found === null) return null
  const lead =
    result.plan.accept === null
      ? 'All matches of the service stand: accept in the pipeline can leave bands for review, or take them out.'
      : 'What accept in the pipeline makes of the matches of the service, before decisions.'
  const byPattern =
    found.byPattern === 0 ? null : html` Without accept.pattern ${counted(found.byPattern, 'row')} in review would be matched.`
  return html`<section aria-labelledby="bands"><h2 id="bands">Bands and patterns</h2><p class="lead">${lead}${byPattern}</p>
${table('Rows by band, and how many rows each choice would move', ['Band', ...OUTCOMES, ...CHOICES, 'Such as'], bandRows(found), 'groups')}${rest(found.others.bands, 'bands')}
<details><summary>By pattern</summary>${table('Rows by pattern', ['Pattern', ...OUTCOMES, 'Such as'], patternRows(found), 'groups')}${rest(found.others.patterns, 'patterns')}</details></section>`
}

/** What a second look at the matches found, and the first doubtful rows. */
export function audit({ audit }: Result): Markup | null {
  if (audit === null) return null
  const rows = audit.examples.map(({ row, name, company, differs }) => [
    count(row),
    clip(name, BAND_CELL),
    clip(company.name === '' ? company.id : company.name, BAND_CELL),
    differs.join(', '),
  ])
  return html`<section aria-labelledby="audit"><h2 id="audit">Audit of matches</h2><p class="lead">${auditWords(audit)}.</p>
${rows.length === 0 ? null : table('The first doubtful rows', [{ figures: 'Row' }, 'Name', 'Company', 'Differs'], rows)}</section>`
}

/** The table of rules: what each decided, and the first rows. */
export function decisions({ decide }: Result): Markup | null {
  if (decide === null) return null
  const rows = decide.rules.map(rule => [clip(ruleWords(rule), BAND_CELL), rule.decision, count(rule.rows), examples(rule)])
  const lead = `${decisionWords(decide)}, by ${decide.path} as of ${decide.asOf}. ${unreachedWords(decide)}`
  return html`<section aria-labelledby="decisions"><h2 id="decisions">Decisions</h2><p class="lead">${lead.trim()}</p>
${table('Rows by rule', ['Rule', 'Decision', { figures: 'Rows' }, 'Such as'], rows, 'groups')}</section>`
}

const figures = ({ rows, matched, review, unmatched }: Matches['patterns'][number]): string[] =>
  [rows, matched, review, unmatched].map(count)

const bandRows = ({ bands }: Matches) =>
  bands.map(band => [
    clip(bandName(band.value), BAND_CELL),
    ...figures(band),
    ...[band.moves.matched, band.moves.review, band.moves.unmatched].map(rows => (rows === 0 ? '–' : count(rows))),
    examples(band),
  ])

const patternRows = ({ patterns }: Matches) =>
  patterns.map(group => [group.value === '' ? 'no pattern' : clip(group.value, BAND_CELL), ...figures(group), examples(group)])

const examples = ({ examples: rows }: Pick<Matches['patterns'][number], 'examples'>): Markup =>
  html`${rows.map(
    ({ row, name, company }) =>
      html`<span class="sub">row ${count(row)}: ${clip(name, BAND_CELL)}${company.id === '' ? null : ` → ${clip(company.name === '' ? company.id : company.name, BAND_CELL)}`}</span>`,
  )}`

const rest = (rows: number, what: string): Markup | null =>
  rows === 0
    ? null
    : html`<p class="small soft">${counted(rows, 'row')} of other ${what} ${rows === 1 ? 'is' : 'are'} not listed.</p>`
