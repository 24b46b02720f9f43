/** Reads a register and labelled queries for the matching bench and the training; counts what was right. Knows no engine. */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'

/** Columns of a query row that are asked with; the rest is label. */
const ASKED = ['name', 'address1', 'town', 'postcode', 'country', 'orgNumber']

export const readCsv = path => parse(readFileSync(path), { columns: true, bom: true })

const several = text => (text ?? '').split('|').filter(name => name !== '')
const BLANK = Object.fromEntries(
  'country orgNumber vatNumber address1 address2 town postcode phone email website status'.split(' ').map(name => [name, '']),
)

/** A company of the engine from a row of the generic register CSV, or from its id and name alone. */
export const companyOf = row => ({
  ...BLANK,
  ...row,
  connectId: `${row.country || 'XX'}-X-${row.orgNumber || row.id}`,
  tradingNames: several(row.tradingNames),
  previousNames: several(row.previousNames),
})

/** What a labelled row asks, without the columns to ignore. */
export const queryOf = (row, ignored) =>
  Object.fromEntries(ASKED.filter(column => !ignored.includes(column) && row[column]).map(column => [column, row[column]]))

/** Quality of answers `{ right, decision }`; `right` is null for a row whose company is absent, else whether the first candidate is it. */
export function quality(answers) {
  const count = test => answers.filter(test).length
  const known = count(one => one.right !== null)
  const given = count(one => one.decision === 'matched')
  const right = count(one => one.decision === 'matched' && one.right === true)
  const precision = given === 0 ? null : right / given
  const recall = known === 0 ? null : right / known
  return {
    top1: known === 0 ? null : count(one => one.right === true) / known,
    precision,
    recall,
    f1: precision === null || recall === null || right === 0 ? null : (2 * precision * recall) / (precision + recall),
    reviewShare: answers.length === 0 ? null : count(one => one.decision === 'review') / answers.length,
  }
}

/** Quality when everything from `cut` on is called matched. */
export const qualityAt = (answers, cut) =>
  quality(answers.map(one => ({ right: one.right, decision: one.score >= cut ? 'matched' : 'unmatched' })))

/** The cut with the best F1; of those with at least `precision` the one of highest recall (null when there is none). */
export function bestCut(answers, precision = null) {
  const cuts = [...new Set(answers.map(one => one.score))].sort((a, b) => b - a)
  let best = null
  for (const cut of cuts) {
    const one = { cut, ...qualityAt(answers, cut) }
    if (precision !== null && (one.precision ?? 0) < precision) continue
    const gain = precision === null ? 'f1' : 'recall'
    if ((one[gain] ?? 0) > (best?.[gain] ?? 0)) best = one
  }
  return best
}

/** A figure in a column of twelve. */
export const figure = value => (value === null || value === undefined ? '–' : value.toFixed(3)).padStart(12)

const RESAMPLES = 400

/** The same numbers between 0 and 1 each time. */
export function randomNumbers() {
  let state = 12345
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** The middle 95 % of a figure over resampled rows; the same rows give the same interval. */
export function interval(answers, figureOf) {
  const random = randomNumbers()
  const found = []
  for (let round = 0; round < RESAMPLES; round++) {
    const sample = answers.map(() => answers[Math.floor(random() * answers.length)])
    found.push(figureOf(sample) ?? 0)
  }
  found.sort((a, b) => a - b)
  return [found[Math.floor(RESAMPLES * 0.025)], found[Math.floor(RESAMPLES * 0.975)]]
}
