/** What a wished precision gives on each labelled set: the precision that is reached, and the recall. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildIndex } from '../../build/service/matching/index.js'
import { companyOf, interval, queryOf, readCsv } from './matching-data.mjs'
import { absentRows, answersOf, factsOf, VIEWS, weighed } from './matching-sets.mjs'

const WISHED = [0.95, 0.98, 0.99]
/** One view of each set. */
export const SHOWN = VIEWS.filter(({ set, view }) => set !== 'uk-gpg' || view === 'name, address').filter(
  ({ set, view }) => set !== 'listed' || view === 'name, country',
)

const shown = value => (value === null ? '–' : value.toFixed(3).replace(/^0(?=\.)/, ''))

/** Prints a row for each set, as a table of Markdown; returns the figures by set. */
export function measurePrecision(folder, split, print) {
  const results = {}
  print(`| list | ${WISHED.map(wished => `wished ${shown(wished).replace(/0$/, '')}`).join(' | ')} |`)
  print(`|---|${'---|'.repeat(WISHED.length)}`)
  for (const { set, view, ignored } of SHOWN.filter(one => existsSync(join(folder, one.set)))) {
    const index = buildIndex(readCsv(join(folder, set, 'register.csv')).map(companyOf))
    const rows = readCsv(join(folder, set, 'queries.csv'))
      .filter(row => split === '' || row.split === split)
      .map(row => ({ index, query: queryOf(row, ignored), expected: row.expected, weight: 1 }))
    const absent = absentRows(
      index,
      rows.map(row => row.query),
    )
    results[set] = WISHED.map(wished => {
      const answers = answersOf(rows, factsOf(rows, absent, wished))
      const range = interval(answers, sample => weighed(sample).precision)
      return { wished, ...weighed(answers), range }
    })
    const cells = results[set].map(one => `${shown(one.precision)} (${one.range.map(shown).join('–')}), ${shown(one.recall)}`)
    print(`| ${set}, ${view} | ${cells.join(' | ')} |`)
  }
  return results
}
