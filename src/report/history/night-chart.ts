/** A small chart of one figure over the nights. SVG with attributes only, since the policy of the page forbids inline styles. */
import { html, type Markup } from '../html/markup.ts'
import { STATUS } from '../verdict.ts'
import type { DriftedNight } from './night.ts'

export interface Figure {
  readonly label: string
  readonly figureOf: (night: DriftedNight) => number | null
  readonly format: (value: number) => string
  /** A line between fixed values; columns from zero if absent. */
  readonly scale?: readonly [number, number]
}

const WIDTH = 280
const TOP = 24
const HEIGHT = 72
const BASE = TOP + HEIGHT

/** Null when no night has the figure. */
export function nightChart({ label, figureOf, format, scale }: Figure, nights: readonly DriftedNight[]): Markup | null {
  const values = nights.map(figureOf)
  const known = values.filter(value => value !== null)
  if (known.length === 0) return null
  const [low, high] = scale ?? [Math.min(0, ...known), Math.max(0, ...known)]
  const yOf = (value: number): number => BASE - ((value - low) / (high - low || 1)) * HEIGHT
  const step = WIDTH / nights.length
  const xOf = (at: number): number => (at + 0.5) * step
  const last = values.at(-1) ?? null
  const range = `lowest ${format(Math.min(...known))}, highest ${format(Math.max(...known))}`
  const summary = `${last === null ? 'last run: none' : `last ${format(last)}`}, ${range}`
  const marks =
    scale === undefined ? columns(values, nights, { xOf, yOf, step, format }) : line(values, nights, { xOf, yOf, format })
  // A counted run without the figure has nothing to show: the first one has no change.
  const missing = nights.flatMap((night, at) =>
    values[at] !== null || night.matchRate !== null
      ? []
      : [
          html`<path class="missing" d="M${(xOf(at) - 3).toFixed(1)} ${BASE - 9}l6 6m0 -6l-6 6"><title>${hintOf(night, 'no value')}</title></path>`,
        ],
  )
  return html`<figure class="card"><figcaption>${label} <span class="soft">${summary}</span></figcaption>
<svg viewBox="0 0 ${WIDTH} ${BASE + 18}" role="img" aria-label="${label} of ${nights.length} runs: ${summary}"><path class="axis" d="M0 ${yOf(Math.max(low, 0)).toFixed(1)}h${WIDTH}"/>${marks}${missing}${ticks(nights, high, format)}</svg></figure>`
}

const dateOf = ({ startedAt }: DriftedNight): string => startedAt.slice(0, 10)
const hintOf = (night: DriftedNight, value: string): string => `${dateOf(night)}, ${STATUS[night.status].word}: ${value}`

function ticks(nights: readonly DriftedNight[], high: number, format: (value: number) => string): Markup[] {
  const [first, last] = [nights[0]!, nights.at(-1)!]
  return [
    html`<text class="tick" x="0" y="${TOP - 10}">${format(high)}</text><text class="tick" x="0" y="${BASE + 15}">${dateOf(first)}</text>`,
    ...(nights.length === 1
      ? []
      : [html`<text class="tick" x="${WIDTH}" y="${BASE + 15}" text-anchor="end">${dateOf(last)}</text>`]),
  ]
}

interface Place {
  readonly xOf: (at: number) => number
  readonly yOf: (value: number) => number
  readonly format: (value: number) => string
}

function columns(
  values: readonly (number | null)[],
  nights: readonly DriftedNight[],
  { xOf, yOf, step, format }: Place & { readonly step: number },
): Markup[] {
  const width = Math.min(24, Math.max(0.5, step * 0.8))
  return values.flatMap((value, at) => {
    if (value === null) return []
    const [top, bottom] = [Math.min(yOf(value), yOf(0)), Math.max(yOf(value), yOf(0))]
    const height = value === 0 ? 0 : Math.max(1, bottom - top)
    return [
      html`<rect class="column" x="${(xOf(at) - width / 2).toFixed(1)}" y="${top.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}"><title>${hintOf(nights[at]!, format(value))}</title></rect>`,
    ]
  })
}

/** A line that ends where a night has no value, with a point for each that has one. */
function line(values: readonly (number | null)[], nights: readonly DriftedNight[], { xOf, yOf, format }: Place): Markup[] {
  const path = values
    .map((value, at) => {
      if (value === null) return ''
      const isNext = at > 0 && values[at - 1] !== null
      return `${isNext ? 'L' : 'M'}${xOf(at).toFixed(1)} ${yOf(value).toFixed(1)}`
    })
    .join('')
  const points = values.flatMap((value, at) =>
    value === null
      ? []
      : [
          html`<circle class="point" cx="${xOf(at).toFixed(1)}" cy="${yOf(value).toFixed(1)}" r="3"><title>${hintOf(nights[at]!, format(value))}</title></circle>`,
        ],
  )
  return [html`<path class="trend" d="${path}"/>`, ...points]
}
