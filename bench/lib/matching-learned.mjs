/**
 * What twenty decisions teach: some rows of each review pile are decided by their labels, and the others by what these teach. `in order` are
 * the first rows that a review asks about; `any` is the mean of ten choices; `half` decides each half by the other.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Decisions } from '../../build/results/decisions/decisions.js'
import { LearnedNames, orderForTeaching } from '../../build/results/decisions/learned-names.js'
import { buildIndex, match } from '../../build/service/matching/index.js'
import { companyOf, queryOf, randomNumbers, readCsv } from './matching-data.mjs'
import { SHOWN } from './matching-precision.mjs'
import { absentRows, factsOf } from './matching-sets.mjs'

const DECIDED = 20
const DRAWS = 10

/** The rows of the review of a list, with what a person who knows the labels decides. */
function reviewOf(index, rows, facts) {
  return rows.flatMap(({ query, expected }, at) => {
    const { decision, reason, candidates } = match(index, query, undefined, facts)
    if (decision !== 'review') return []
    const ids = candidates.map(({ company }) => index.companies.id(company))
    const isRight = expected !== '' && ids.includes(expected)
    const fingerprint = `r${at.toString(16).padStart(32, '0')}`
    const common = { fingerprint, name: query.name, companyName: '', by: '', at: '', expires: '' }
    const line = isRight ? { ...common, decision: 'accept', company: expected } : { ...common, decision: 'reject', company: '' }
    const isSettled = reason === 'number-and-name-disagree' || /(?:number|vat|postcode|town|country) ≠/.test(candidates[0].why)
    const isPlaced = /\b(?:postcode|town|address)\b/.test(candidates[0].why)
    const listed = isPlaced
      ? []
      : candidates.map(({ company, score }) => ({ name: index.companies.at(company).name, score: Number(score.toFixed(3)) }))
    return [{ name: query.name, listed, best: ids[0], isRight: ids[0] === expected, isSettled, line }]
  })
}

/** How many of the other rows these decisions move, and how many wrongly. */
function teach(pile, decided) {
  const known = new Set(decided)
  const names = new LearnedNames(
    new Decisions(
      decided.map(({ line }) => line),
      '2000-01-01',
    ),
  )
  const moved = pile.filter(row => !known.has(row) && !row.isSettled && names.find(row.name, [row.best], row.listed) !== null)
  return { moved: moved.length, wrong: moved.filter(row => !row.isRight).length }
}

export function measureLearned(folder, split, print) {
  const results = {}
  const random = randomNumbers()
  print(
    `| list | review | ${DECIDED} decisions in order: moved, wrong; left | any ${DECIDED}: moved, wrong | half: moved, wrong |`,
  )
  print('|---|---|---|---|---|')
  for (const { set, view, ignored } of SHOWN.filter(one => existsSync(join(folder, one.set)))) {
    const index = buildIndex(readCsv(join(folder, set, 'register.csv')).map(companyOf))
    const rows = readCsv(join(folder, set, 'queries.csv'))
      .filter(row => split === '' || row.split === split)
      .map(row => ({ index, query: queryOf(row, ignored), expected: row.expected, weight: 1 }))
    const absent = absentRows(
      index,
      rows.map(row => row.query),
    )
    const pile = reviewOf(index, rows, factsOf(rows, absent))
    const ordered = teach(pile, orderForTeaching(pile, row => row.best).slice(0, DECIDED))
    const any = Array.from({ length: DRAWS }, () => {
      const chosen = pile.map(row => [random(), row]).sort(([a], [b]) => a - b)
      return teach(
        pile,
        chosen.slice(0, DECIDED).map(([, row]) => row),
      )
    })
    const halves = [0, 1].map(odd =>
      teach(
        pile,
        pile.filter((_, at) => at % 2 === odd),
      ),
    )
    const half = { moved: halves[0].moved + halves[1].moved, wrong: halves[0].wrong + halves[1].wrong }
    const mean = name => any.reduce((sum, one) => sum + one[name], 0) / DRAWS
    const left = Math.max(0, pile.length - DECIDED - ordered.moved)
    results[set] = { review: pile.length, ordered, left, any: { moved: mean('moved'), wrong: mean('wrong') }, half }
    print(
      `| ${set}, ${view} | ${pile.length} | ${ordered.moved}, ${ordered.wrong}; ${left} | ${mean('moved').toFixed(1)}, ${mean('wrong').toFixed(1)} | ${half.moved}, ${half.wrong} |`,
    )
  }
  return results
}
