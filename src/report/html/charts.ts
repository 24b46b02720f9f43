/** Charts: outcomes as a bar, scores as a histogram. SVG with attributes only, since the policy of the page forbids inline styles. */
import { counted } from '../../counted.ts'
import type { OutcomeName } from '../../model/results.ts'
import type { Report, Result } from '../schema.ts'
import { readShare } from '../totals.ts'
import { OUTCOMES, outcomeWord, shownOutcomes } from '../verdict.ts'
import { count, percent } from '../words.ts'
import { html, type Markup } from './markup.ts'

/** Patterns over the colours, in tiles of 8 × 8, so that outcomes differ without colour. */
const GRAIN: Readonly<Record<OutcomeName, Markup | null>> = {
  matched: null,
  manualMatched: html`<path class="grain" d="M4 0v8"/>`,
  duplicates: html`<path class="grain" d="M0 4h8"/>`,
  review: html`<path class="grain" d="M-2 2l4-4M0 8l8-8M6 10l4-4"/>`,
  unmatched: html`<circle class="dot" cx="4" cy="4" r="1.5"/>`,
  failed: html`<path class="grain" d="M0 0l8 8M8 0l-8 8"/>`,
  skipped: null,
}

/** Fills of the outcomes; required once on a page with a bar. */
export const patterns = (names: readonly OutcomeName[]): Markup =>
  html`<svg width="0" height="0" aria-hidden="true" focusable="false"><defs>${names.map(
    name =>
      html`<pattern id="p-${name}" width="8" height="8" patternUnits="userSpaceOnUse"><rect class="f-${name}" width="8" height="8"/>${GRAIN[name]}</pattern>`,
  )}</defs></svg>`

/** Outcome bar with its legend, and the histogram when there are scores. Null before the rows are counted. */
export function charts(report: Report, result: Result): Markup | null {
  const names = shownOutcomes(report)
  if (listKnown(report).length === 0) return null
  const hasScores = result.scores.some(rows => rows > 0)
  return html`<section aria-label="Charts">${patterns(names)}<div class="charts${hasScores ? ' two' : ''}">${outcomes(report, names)}${hasScores ? histogram(result) : null}</div></section>`
}

const listKnown = ({ totals }: Report): OutcomeName[] => OUTCOMES.filter(name => (totals[name] ?? 0) > 0)

/** Empty rows have no part in the bar, which shows the shares of the others. */
export function bar(report: Report): Markup | null {
  const { totals, ledger } = report
  const known = listKnown(report).filter(name => name !== 'skipped')
  if (known.length === 0) return null
  const whole = Math.max(totals.rows, ledger.sum) - (totals.skipped ?? 0)
  let x = 0
  const rects = known.map((name, i) => {
    const width = ((totals[name] ?? 0) / whole) * 100
    const gap = i > 0 ? html`<rect class="cut" x="${x.toFixed(3)}%" width="2" height="30"/>` : null
    const rect = html`<rect x="${x.toFixed(3)}%" width="${width.toFixed(3)}%" height="30" fill="url(#p-${name})"><title>${outcomeWord(name, totals)}: ${count(totals[name])}</title></rect>${gap}`
    x += width
    return rect
  })
  const label = known.map(name => `${outcomeWord(name, totals)} ${count(totals[name])}`).join(', ')
  return html`<svg class="outcomes" role="img" aria-label="${label}">${rects}</svg>`
}

function outcomes(report: Report, names: readonly OutcomeName[]): Markup {
  const { totals } = report
  const formatShare = (share: number | null): string => (share === null ? '' : percent(share))
  return html`<figure class="card"><figcaption>Outcome</figcaption>
${bar(report)}
<ul class="legend">${names.map(
    name =>
      html`<li><svg viewBox="0 0 14 14" aria-hidden="true"><rect width="14" height="14" fill="url(#p-${name})"/></svg>${outcomeWord(name, totals)}<b>${count(totals[name])}</b><span class="soft">${formatShare(readShare(name, totals))}</span></li>
`,
  )}</ul>${sum(report)}</figure>`
}

const sum = ({ totals, ledger }: Report): Markup => {
  if (ledger.adds === true) return html`<p class="small soft">Every one of ${counted(totals.rows, 'row')} is accounted for.</p>`
  if (ledger.adds === null)
    return html`<p class="small soft">The service did not report all counts; the sum cannot be verified.</p>`
  return html`<p class="small bad"><b>✗ ${counted(totals.rows, 'row')} in the input, ${count(ledger.sum)} accounted for.</b></p>`
}

const HEIGHT = 120
/** Space above the columns for three lines of text: matched, review, and the highest column. */
const HEAD = 42

function histogram({ scores, lowestScores }: Result): Markup {
  const top = Math.max(...scores, 1)
  const step = 400 / scores.length
  const edge = (i: number): string => (i / scores.length).toFixed(2)
  const columns = scores.map((rows, i) => {
    const height = rows === 0 ? 0 : Math.max(2, (rows / top) * HEIGHT)
    return html`<rect class="column" x="${(i * step + 1).toFixed(1)}" y="${(HEIGHT + HEAD - height).toFixed(1)}" width="${(step - 2).toFixed(1)}" height="${height.toFixed(1)}" rx="1.5"><title>${edge(i)} to ${edge(i + 1)}: ${count(rows)}</title></rect>`
  })
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(
    at =>
      html`<text class="tick" x="${at * 400}" y="${HEIGHT + HEAD + 16}" text-anchor="${at === 0 ? 'start' : at === 1 ? 'end' : 'middle'}">${String(at)}</text>`,
  )
  const lines = (['matched', 'review'] as const).flatMap((word, i) => {
    const score = lowestScores?.[word] ?? null
    return score === null ? [] : [{ text: `${word} from ${score.toFixed(2)}`, score, y: 10 + i * 14 }]
  })
  const highest = scores.indexOf(Math.max(...scores))
  const side = highest === 0 ? 'start' : highest === scores.length - 1 ? 'end' : 'middle'
  const peak = html`<text class="tick strong" x="${(highest + { start: 0, middle: 0.5, end: 1 }[side]) * step}" y="${HEAD - 4}" text-anchor="${side}">${count(top)}</text>`
  const all = scores.reduce((total, rows) => total + rows, 0)
  const rows = scores.flatMap((value, i) =>
    value === 0 ? [] : [html`<tr><th scope="row">${edge(i)} to ${edge(i + 1)}</th><td class="r">${count(value)}</td></tr>`],
  )
  const peakText = `the highest has ${counted(top, 'row')}`
  const label = ['Columns of rows by match score', peakText, ...lines.map(({ text }) => text)].join('; ')
  return html`<figure class="card"><figcaption>Match scores <span class="soft">of ${counted(all, 'row')}</span></figcaption>
<svg class="histogram" viewBox="0 0 400 ${HEIGHT + HEAD + 20}" role="img" aria-label="${label}">${columns}<path class="axis" d="M0 ${HEIGHT + HEAD + 0.5}h400"/>${ticks}${lines.map(threshold)}${peak}</svg>
<details class="small"><summary>As a table</summary><table><caption>Rows by match score</caption><thead><tr><th scope="col">Score</th><th scope="col" class="r">Rows</th></tr></thead><tbody>${rows}</tbody></table></details></figure>`
}

function threshold({ text, score, y }: { text: string; score: number; y: number }): Markup {
  const x = score * 400
  const [side, anchor] = x > 200 ? [-5, 'end'] : [5, 'start']
  return html`<path class="threshold" d="M${x.toFixed(1)} ${y - 8}V${HEIGHT + HEAD}"/><text class="tick strong" x="${(x + side).toFixed(1)}" y="${y}" text-anchor="${anchor}">${text}</text>`
}
