/**
 * Chooses the least scores for `matched` on out-of-fold answers: of all points on a grid the one of highest recall, summed over the sets,
 * at which every set keeps its precision. Knows the engine's kinds of evidence, no weights.
 */
import { evidenceClassOf, mayMatch } from '../build/service/matching/decide/decide.js'

/** Least precision of each set as it is measured; recall by address is dear, and a little more is risked for it. */
const PRECISION = { 'uk-gpg': 0.983, listed: 0.99, sec: 0.99 }
const GRID = Array.from({ length: 31 }, (_, at) => (at + 18) / 50)
const KINDS = ['sameName', 'partName', 'partNameAddress']

/** The best candidate of a query with its score. */
function answerOf({ rows, odds, right }) {
  if (rows.length === 0) return null
  const best = odds.indexOf(Math.max(...odds))
  const top = Math.max(0, odds[best])
  const all = odds.reduce((sum, one) => sum + Math.exp(one - top), Math.exp(-top))
  return {
    kind: evidenceClassOf(rows[best]),
    score: Math.exp(odds[best] - top) / all,
    right: best === right,
    may: mayMatch(rows[best]),
  }
}

/** The chosen scores, and what they give on each set in lines to print. */
export function chooseThresholds(views) {
  const sets = views
    .filter(view => PRECISION[view.set] !== undefined && view.main)
    .map(({ set, choices }) => {
      const answers = choices.map(answerOf).filter(answer => answer !== null)
      const counts = Object.fromEntries(
        KINDS.map(kind => [
          kind,
          GRID.map(cut => {
            const given = answers.filter(answer => answer.kind === kind && answer.may && answer.score >= cut)
            return { given: given.length, right: given.filter(answer => answer.right).length }
          }),
        ]),
      )
      return { set, counts, known: choices.filter(one => one.known).length }
    })
  let best = null
  for (const sameName of GRID.keys())
    for (const partName of GRID.keys())
      for (const partNameAddress of GRID.keys()) {
        const at = { sameName, partName, partNameAddress }
        const figures = sets.map(({ set, counts, known }) => {
          const sum = field => KINDS.reduce((total, kind) => total + counts[kind][at[kind]][field], 0)
          return { set, precision: sum('right') / sum('given'), recall: sum('right') / known }
        })
        if (figures.some(({ set, precision }) => precision < PRECISION[set])) continue
        // Of two points that find as much the stricter one is taken.
        const gain = figures.reduce((total, one) => total + one.recall, 0) + (sameName + partName + partNameAddress) * 1e-6
        if (best === null || gain > best.gain) best = { gain, at, figures }
      }
  if (best === null) throw new Error('no point keeps the precision: the features or the data have changed')
  return {
    thresholds: Object.fromEntries(KINDS.map(kind => [kind, GRID[best.at[kind]]])),
    lines: best.figures.map(
      ({ set, precision, recall }) =>
        `${set.padEnd(8)} at the chosen scores: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`,
    ),
  }
}
