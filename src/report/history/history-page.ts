/** The page about earlier runs: the nights of every pipeline with match rate, cost, duration, drift and events, and links to the reports. */
import { html, type Markup } from '../html/markup.ts'
import { shell } from '../html/shell.ts'
import { table } from '../html/table.ts'
import { badge } from '../html/verdict.ts'
import type { Report } from '../schema.ts'
import { STATUS, type Verdict, worst } from '../verdict.ts'
import { count, counted, duration, more, percent, points, time } from '../words.ts'

/** Nights in the charts and the table of a pipeline: the newest. */
const SHOWN = 100

const FIGURES: readonly Figure[] = [
  { label: 'Match rate', read: ({ matchRate }) => matchRate, format: percent, scale: [0, 1] },
  { label: 'Change of the match rate', read: ({ drift }) => drift, format: points },
  { label: 'Credits', read: ({ credits }) => credits, format: count },
  { label: 'Duration', read: ({ elapsedMs }) => elapsedMs, format: duration },
  { label: 'Events', read: ({ events }) => events, format: count },
]

interface HistoryOptions {
  readonly tool: Report['metadata']['tool']
  /** The folder of the runs, as shown. */
  readonly folder: string
  /** Runs whose journal cannot be read. */
  readonly unread: readonly string[]
  /** UTC. */
  readonly at: string
}

export function renderHistory(nights: readonly Night[], { tool, folder, unread, at }: HistoryOptions): string {
  const all = groupSeries(nights)
  const newest = all.map(({ nights: own }) => own.at(-1)!.status)
  const pipelines = new Set(all.map(({ pipeline }) => pipeline)).size
  const title = nights.length === 0 ? 'No runs' : `${counted(nights.length, 'run')} of ${counted(pipelines, 'pipeline')}`
  const body = html`<header>
<p class="eyebrow">Runs of fettle</p>
<h1>${title}${newest.length === 0 ? null : html` ${badge(worst(newest))}`}</h1>
<p class="message">${nights.length === 0 ? `There is no run in ${folder}.` : `The runs in ${folder} at ${time(at)} UTC. The status is the status of the newest runs.`}</p>
${unread.length === 0 ? null : html`<div class="note warn"><p>${counted(unread.length, 'run')} cannot be read: ${unread.slice(0, 5).join(', ')} ${more(unread.length, 5)}</p></div>`}
</header>
<main id="main">
${all.map((series, index) => section(series, `s${index}`))}
</main>`
  return shell({ title: `Runs of fettle: ${title}`, tool, hasScript: false }, body)
}

function section({ pipeline, target, limit, nights }: Series, id: string): Markup {
  const shown = nights.slice(-SHOWN)
  const last = shown.at(-1)!
  const parts = [pipeline, target && `target ${target}`, limit === null ? null : `the first ${counted(limit, 'row')}`]
  const name = parts.filter(part => part !== null).join(', ')
  const about = counted(nights.length, 'run') + (nights.length > SHOWN ? ` · the newest ${SHOWN} are shown` : '')
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${name} ${badge(last.status)}</h2>
<p class="lead">${about}. ${last.message}</p>
<div class="charts nights">${FIGURES.map(figure => nightChart(figure, shown)).filter(chart => chart !== null)}</div>
<details${shown.length <= 10 ? html` open` : null}><summary>${counted(shown.length, 'run')} as a table</summary>${nightTable(shown, name)}</details></section>
`
}

function nightTable(nights: readonly DriftedNight[], name: string): Markup {
  const hasEvents = nights.some(({ events }) => events !== null)
  return table(
    `Runs of ${name}, the newest first`,
    [
      'Started, UTC',
      'Status',
      ...['Rows', 'Matched', 'Change', 'Credits', 'Requests', 'Duration'].map(figures => ({ figures })),
      ...(hasEvents ? [{ figures: 'Events' }] : []),
    ],
    nights
      .toReversed()
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

interface Figure {
  readonly label: string
  readonly read: (night: DriftedNight) => number | null
  readonly format: (value: number) => string
  /** A line between fixed values; columns from zero if absent. */
  readonly scale?: readonly [number, number]
}

const WIDTH = 280
const TOP = 24
const HEIGHT = 72
const BASE = TOP + HEIGHT

/** Null when no night has the figure. */
function nightChart({ label, read, format, scale }: Figure, nights: readonly DriftedNight[]): Markup | null {
  const values = nights.map(read)
  const known = values.filter(value => value !== null)
  if (known.length === 0) return null
  const [low, high] = scale ?? [Math.min(0, ...known), Math.max(0, ...known)]
  const scaleY = (value: number): number => BASE - ((value - low) / (high - low || 1)) * HEIGHT
  const step = WIDTH / nights.length
  const scaleX = (at: number): number => (at + 0.5) * step
  const last = values.at(-1) ?? null
  const range = `lowest ${format(Math.min(...known))}, highest ${format(Math.max(...known))}`
  const summary = `${last === null ? 'last run: none' : `last ${format(last)}`}, ${range}`
  const marks = (scale === undefined ? columns : line)(values, nights, { scaleX, scaleY, step, format })
  // A counted run without the figure has nothing to show: the first one has no change.
  const missing = nights.flatMap((night, at) =>
    values[at] !== null || night.matchRate !== null
      ? []
      : html`<path class="missing" d="M${(scaleX(at) - 3).toFixed(1)} ${BASE - 9}l6 6m0 -6l-6 6"><title>${formatTip(night, 'no value')}</title></path>`,
  )
  return html`<figure class="card"><figcaption>${label} <span class="soft">${summary}</span></figcaption>
<svg viewBox="0 0 ${WIDTH} ${BASE + 18}" role="img" aria-label="${label} of ${nights.length} runs: ${summary}"><path class="axis" d="M0 ${scaleY(Math.max(low, 0)).toFixed(1)}h${WIDTH}"/>${marks}${missing}${ticks(nights, high, format)}</svg></figure>`
}

const readDate = ({ startedAt }: DriftedNight): string => startedAt.slice(0, 10)
const formatTip = (night: DriftedNight, value: string): string => `${readDate(night)}, ${STATUS[night.status].word}: ${value}`

function ticks(nights: readonly DriftedNight[], high: number, format: (value: number) => string): Markup[] {
  const [first, last] = [nights[0]!, nights.at(-1)!]
  const start = html`<text class="tick" x="0" y="${TOP - 10}">${format(high)}</text><text class="tick" x="0" y="${BASE + 15}">${readDate(first)}</text>`
  if (nights.length === 1) return [start]
  return [start, html`<text class="tick" x="${WIDTH}" y="${BASE + 15}" text-anchor="end">${readDate(last)}</text>`]
}

type Values = readonly (number | null)[]

interface Place {
  readonly step: number
  readonly scaleX: (at: number) => number
  readonly scaleY: (value: number) => number
  readonly format: (value: number) => string
}

function columns(values: Values, nights: readonly DriftedNight[], { scaleX, scaleY, step, format }: Place): Markup[] {
  const width = Math.min(24, Math.max(0.5, step * 0.8))
  return values.flatMap((value, at) => {
    if (value === null) return []
    const [top, bottom] = [Math.min(scaleY(value), scaleY(0)), Math.max(scaleY(value), scaleY(0))]
    const height = value === 0 ? 0 : Math.max(1, bottom - top)
    return html`<rect class="column" x="${(scaleX(at) - width / 2).toFixed(1)}" y="${top.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}"><title>${formatTip(nights[at]!, format(value))}</title></rect>`
  })
}

/** A line that ends where a night has no value, with a point for each that has one. */
function line(values: Values, nights: readonly DriftedNight[], { scaleX, scaleY, format }: Place): Markup[] {
  const path = values
    .map((value, at) => {
      if (value === null) return ''
      const isNext = at > 0 && values[at - 1] !== null
      return `${isNext ? 'L' : 'M'}${scaleX(at).toFixed(1)} ${scaleY(value).toFixed(1)}`
    })
    .join('')
  const points = values.flatMap((value, at) =>
    value === null
      ? []
      : html`<circle class="point" cx="${scaleX(at).toFixed(1)}" cy="${scaleY(value).toFixed(1)}" r="3"><title>${formatTip(nights[at]!, format(value))}</title></circle>`,
  )
  return [html`<path class="trend" d="${path}"/>`, ...points]
}

export interface Night {
  readonly runId: string
  readonly pipeline: string
  /** What it is compared with: runs of the same series. */
  readonly series: string
  /** Of the project file. */
  readonly target: string | null
  /** Rows of a trial; null for the complete list. */
  readonly limit: number | null
  readonly status: Verdict
  /** UTC. */
  readonly startedAt: string
  readonly message: string
  readonly rows: number
  /** 0 to 1; null when it is unknown. */
  readonly matchRate: number | null
  readonly credits: number | null
  readonly requests: number
  readonly elapsedMs: number
  /** Events of the portfolio; null for a pipeline that reads none. */
  readonly events: number | null
  /** The report, relative to the page; null if it was not written. */
  readonly href: string | null
}

/** A night with the change of its match rate against the good one before it, null without one. */
interface DriftedNight extends Night {
  readonly drift: number | null
}

/** The runs of one series, oldest first: a trial is not compared with runs over the whole list. */
interface Series extends Pick<Night, 'pipeline' | 'target' | 'limit'> {
  readonly nights: readonly DriftedNight[]
}

const isGood = ({ status }: Night): boolean => status === 'success' || status === 'warn'

/** Nights by series, in the order of their names. */
export function groupSeries(nights: readonly Night[]): Series[] {
  const groups = new Map<string, Night[]>()
  for (const night of nights.toSorted((a, b) => (a.runId < b.runId ? -1 : 1)))
    groups.set(night.series, [...(groups.get(night.series) ?? []), night])
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => {
      const { pipeline, target, limit } = group[0]!
      return { pipeline, target, limit, nights: withDrift(group) }
    })
}

function withDrift(nights: readonly Night[]): DriftedNight[] {
  let before: number | null = null
  return nights.map(night => {
    const drift = before === null || night.matchRate === null ? null : night.matchRate - before
    if (isGood(night) && night.matchRate !== null) before = night.matchRate
    return { ...night, drift }
  })
}
