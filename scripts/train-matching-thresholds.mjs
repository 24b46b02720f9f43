/**
 * Chooses the least scores for `matched` on out-of-fold answers: of all points on a grid the one of highest recall, summed over views and
 * shares, at which every view keeps its precision however much of the list is absent, and every kind of evidence its own over all views.
 * Knows the engine's decision, no weights.
 */
import { decide, evidenceClassOf } from '../build/service/matching/decide/decide.js'
import { AT } from '../build/service/matching/features.js'
import { startingOddsOf } from '../build/service/matching/weights.js'

/** Share of a list that is absent from the register, and the least precision there. */
const PRECISION = { 0.15: 0.98, 0.5: 0.97, 0.8: 0.95, 0.95: 0.9 }
const USUAL = 0.15
/** Least precision of each kind of evidence over the views, by the share of a list that is absent. */
const KIND_PRECISION = {
  sameName: { [USUAL]: 0.985 },
  partName: { [USUAL]: 0.915, 0.5: 0.86 },
  partNameAddress: { [USUAL]: 0.95 },
}
const GRID = Array.from({ length: 33 }, (_, at) => (at + 15) / 50)
const KINDS = Object.keys(KIND_PRECISION)
/** Log-odds that are enough for any threshold: what is not matched then is held back by a rule. */
const CERTAIN = 40

const moved = (scored, by) => scored.map(one => ({ ...one, logOdds: one.logOdds + by }))

/** The rule about a word that one name lacks is to prevent wrong matches, not to make room for a lower threshold. */
const withoutSisterExtra = vector => vector.with(AT.sisterExtra, 0)

/** The candidates of a choice with their log-odds, best first. */
const scoredOf = ({ rows, ids, odds, right }) =>
  rows
    .map((vector, at) => ({ company: at, vector: withoutSisterExtra(vector), logOdds: odds[at], isRight: at === right }))
    .sort((a, b) => b.logOdds - a.logOdds || (ids[a.company] < ids[b.company] ? -1 : 1))

/** The best candidate of a choice, in a list whose share in the register moves the odds; null where no score makes it a match. */
function answerOf({ names, scored }, shift) {
  if (scored.length === 0) return null
  const query = { names }
  if (decide(query, moved(scored, CERTAIN)).decision !== 'matched') return null
  const { score } = decide(query, moved(scored, shift))
  return { kind: evidenceClassOf(scored[0].vector), score, right: scored[0].isRight }
}

/** Counts by kind of evidence and threshold in a list of which this share is absent, and is known to be. */
function listOf(choices, absent) {
  const parts = [
    { rows: choices.filter(one => one.known), weight: 1 - absent },
    { rows: choices.filter(one => !one.known), weight: absent },
  ]
  const shift = startingOddsOf(1 - absent)
  const answers = parts.flatMap(({ rows, weight }) =>
    rows.flatMap(row => {
      const answer = answerOf(row, shift)
      return answer === null ? [] : [{ ...answer, weight: weight / rows.length }]
    }),
  )
  const sum = list => list.reduce((total, one) => total + one.weight, 0)
  const counts = KINDS.map(kind =>
    GRID.map(cut => {
      const given = answers.filter(one => one.kind === kind && one.score >= cut)
      return { given: sum(given), right: sum(given.filter(one => one.right)) }
    }),
  )
  return { absent, counts, known: 1 - absent, least: PRECISION[absent] }
}

/** What one kind gives at a threshold over lists. */
function kindFigures(lists, kind, cut) {
  let given = 0
  let right = 0
  for (const { counts } of lists) {
    given += counts[kind][cut].given
    right += counts[kind][cut].right
  }
  return { given, precision: right / given }
}

function figuresAt({ counts, known }, at) {
  let given = 0
  let right = 0
  for (const [kind, cut] of at.entries()) {
    given += counts[kind][cut].given
    right += counts[kind][cut].right
  }
  return { precision: right / given, recall: right / known }
}

/** The chosen scores, and what they give on each view in lines to print. */
export function chooseThresholds(views) {
  const lists = views
    .filter(view => view.main)
    .flatMap(({ set, without, choices }) => {
      const scored = choices.map(choice => ({ ...choice, scored: scoredOf(choice) }))
      const name = `${set} without ${without.join(', ') || 'nothing'}`
      return Object.keys(PRECISION).map(absent => ({ name, ...listOf(scored, Number(absent)) }))
    })
  const usual = lists.filter(list => list.absent === USUAL)
  const keeps = (kind, cut, absent, least) =>
    kindFigures(
      lists.filter(list => list.absent === Number(absent)),
      kind,
      cut,
    ).precision >= least
  const cutsOf = kind =>
    [...GRID.keys()].filter(cut =>
      Object.entries(KIND_PRECISION[KINDS[kind]]).every(([absent, least]) => keeps(kind, cut, absent, least)),
    )
  const [same, part, partAddress] = [...KINDS.keys()].map(cutsOf)
  let best = null
  for (const a of same)
    for (const b of part)
      for (const c of partAddress) {
        const at = [a, b, c]
        // Of two points that find as much the stricter one is taken.
        let gain = (a + b + c) * 1e-6
        const isKept = lists.every(list => {
          const { precision, recall } = figuresAt(list, at)
          gain += recall
          return precision >= list.least
        })
        if (isKept && (best === null || gain > best.gain)) best = { gain, at }
      }
  if (best === null) throw new Error('no point keeps the precision: the features or the data have changed')
  return {
    thresholds: Object.fromEntries(KINDS.map((kind, index) => [kind, GRID[best.at[index]]])),
    lines: [
      ...lists.map(list => {
        const { precision, recall } = figuresAt(list, best.at)
        const absent = `${Math.round(list.absent * 100)} % absent`.padStart(12)
        return `${list.name.padEnd(56)}${absent}: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`
      }),
      ...KINDS.map((kind, at) => {
        const { given, precision } = kindFigures(usual, at, best.at[at])
        const share = given / usual.length
        return `${kind.padEnd(56)}${'15 % absent'.padStart(12)}: precision ${precision.toFixed(3)}, ${share.toFixed(3)} of the rows`
      }),
    ],
  }
}
