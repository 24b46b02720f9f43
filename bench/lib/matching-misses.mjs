/**
 * The rows that were not answered right, counted by cause and kind: what is left to be had, and from where. Names no row; `--list`
 * of bench/matching.mjs does, for the split that one may look at.
 */
import { nameAgrees } from '../../build/service/matching/decide/decide.js'
import { scoreCompanies } from '../../build/service/matching/decide/score.js'
import { prepareQuery } from '../../build/service/matching/query.js'

const CAUSES = {
  renamed: 'renamed: the register has a name that is nothing like the one asked for',
  missed: 'not selected, although the names are alike',
  behind: 'another company came first, not matched',
  wrong: 'another company was matched',
  ambiguous: 'first, but another company fits as well',
  weak: 'first, but too little speaks for it',
  absent: 'the company is absent, and another one was matched',
}

function causeOf(index, query, expected, { right, held, decision, reason }) {
  if (right === null) return decision === 'matched' ? 'absent' : null
  if (decision === 'matched') return right ? null : 'wrong'
  const [own] = scoreCompanies(index, prepareQuery(index, query), [expected])
  if (!nameAgrees(own.vector)) return 'renamed'
  if (!held) return 'missed'
  if (!right) return 'behind'
  return reason === 'ambiguous' ? 'ambiguous' : 'weak'
}

/** Prints how often each cause was met, by kind, and with `list` every row with its cause. */
export function printMisses(index, companies, rows, queries, answers, list, print) {
  const positions = new Map(companies.map(({ id }, at) => [id, at]))
  const nameOf = position => companies[position]?.name ?? '–'
  const found = rows.flatMap((row, at) => {
    const cause = causeOf(index, queries[at], positions.get(row.expected), answers[at])
    return cause === null ? [] : [{ row, cause, answer: answers[at] }]
  })
  const kinds = [...new Set(rows.map(row => row.kind))].sort()
  print(`${'not answered right, by cause'.padEnd(74)}${kinds.map(kind => kind.padStart(17)).join('')}${'rows'.padStart(6)}`)
  for (const [cause, meaning] of Object.entries(CAUSES)) {
    const those = found.filter(one => one.cause === cause)
    const counts = kinds.map(kind => String(those.filter(one => one.row.kind === kind).length).padStart(17))
    print(`${meaning.padEnd(74)}${counts.join('')}${String(those.length).padStart(6)}`)
  }
  print(
    `${'of'.padEnd(74)}${kinds.map(kind => String(rows.filter(row => row.kind === kind).length).padStart(17)).join('')}${String(rows.length).padStart(6)}`,
  )
  if (!list) return
  for (const { row, cause, answer } of found) {
    const expected = row.expected === '' ? 'absent' : nameOf(positions.get(row.expected))
    const first = answer.candidates[0]
    print(
      `${cause}: ${row.name} | ${expected} | got ${nameOf(first?.company)} ${answer.score.toFixed(2)} ${answer.reason ?? ''} ${answer.why}`,
    )
  }
}
