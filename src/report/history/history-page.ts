/** The page about earlier runs: the nights of every pipeline with match rate, cost, duration, drift and events, and links to the reports. */
import { html, type Markup } from '../html/markup.ts'
import { shell } from '../html/shell.ts'
import { table } from '../html/table.ts'
import { badge } from '../html/verdict.ts'
import type { Report } from '../schema.ts'
import { worst } from '../verdict.ts'
import { count, counted, duration, more, percent, points, time } from '../words.ts'
import { type DriftedNight, type Night, type Series, seriesOf } from './night.ts'
import { type Figure, nightChart } from './night-chart.ts'

/** Nights in the charts and the table of a pipeline: the newest. */
const SHOWN = 100

const FIGURES: readonly Figure[] = [
  { label: 'Match rate', figureOf: ({ matchRate }) => matchRate, format: percent, scale: [0, 1] },
  { label: 'Change of the match rate', figureOf: ({ drift }) => drift, format: points },
  { label: 'Credits', figureOf: ({ credits }) => credits, format: count },
  { label: 'Duration', figureOf: ({ elapsedMs }) => elapsedMs, format: duration },
  { label: 'Events', figureOf: ({ events }) => events, format: count },
]

export interface HistoryOptions {
  readonly tool: Report['metadata']['tool']
  /** The folder of the runs, as shown. */
  readonly folder: string
  /** Runs whose journal cannot be read. */
  readonly unread: readonly string[]
  /** UTC. */
  readonly at: string
}

export function renderHistory(nights: readonly Night[], { tool, folder, unread, at }: HistoryOptions): string {
  const all = seriesOf(nights)
  const newest = all.map(({ nights: own }) => own.at(-1)!.status)
  const title = nights.length === 0 ? 'No runs' : `${counted(nights.length, 'run')} of ${counted(pipelines(all), 'pipeline')}`
  const body = html`<header>
<p class="eyebrow">Runs of fettle</p>
<h1>${title}${newest.length === 0 ? null : html` ${badge(worst(newest))}`}</h1>
<p class="message">${nights.length === 0 ? `There is no run in ${folder}.` : `The runs in ${folder} at ${time(at)} UTC. The status is that of the newest runs.`}</p>
${unread.length === 0 ? null : html`<div class="note warn"><p>${counted(unread.length, 'run')} cannot be read: ${unread.slice(0, 5).join(', ')} ${more(unread.length, 5)}</p></div>`}
</header>
<main id="main">
${all.map((one, index) => section(one, `s${index}`))}
</main>`
  return shell({ title: `Runs of fettle: ${title}`, tool, hasScript: false }, body)
}

const pipelines = (all: readonly Series[]): number => new Set(all.map(({ pipeline }) => pipeline)).size

function section({ pipeline, target, limit, nights }: Series, id: string): Markup {
  const shown = nights.slice(-SHOWN)
  const last = shown.at(-1)!
  const name = [
    pipeline,
    ...(target === null ? [] : [`target ${target}`]),
    ...(limit === null ? [] : [`the first ${counted(limit, 'row')}`]),
  ].join(', ')
  const about = [counted(nights.length, 'run'), ...(nights.length > SHOWN ? [`the newest ${SHOWN} are shown`] : [])]
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${name} ${badge(last.status)}</h2>
<p class="lead">${about.join(' · ')}. ${last.message}</p>
<div class="charts nights">${FIGURES.map(figure => nightChart(figure, shown)).filter(chart => chart !== null)}</div>
<details${shown.length <= 10 ? html` open` : null}><summary>${counted(shown.length, 'run')} as a table</summary>${nightTable(shown, name)}</details></section>
`
}

function nightTable(nights: readonly DriftedNight[], name: string): Markup {
  const hasEvents = nights.some(({ events }) => events !== null)
  const right = { figures: true }
  return table(
    `Runs of ${name}, the newest first`,
    [
      { label: 'Started, UTC' },
      { label: 'Status' },
      ...['Rows', 'Matched', 'Change', 'Credits', 'Requests', 'Duration'].map(label => ({ label, ...right })),
      ...(hasEvents ? [{ label: 'Events', ...right }] : []),
    ],
    [...nights]
      .reverse()
      .map(night => [
        night.href === null ? time(night.startedAt) : html`<a href="${night.href}">${time(night.startedAt)}</a>`,
        badge(night.status),
        count(night.rows),
        night.matchRate === null ? '–' : percent(night.matchRate),
        night.drift === null ? '–' : points(night.drift),
        night.credits === null ? '–' : count(night.credits),
        count(night.requests),
        duration(night.elapsedMs),
        ...(hasEvents ? [night.events === null ? '–' : count(night.events)] : []),
      ]),
  )
}
