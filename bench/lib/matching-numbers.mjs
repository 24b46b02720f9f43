/**
 * Lists in which a part of the company numbers is that of a neighbour at the same postcode: what is falsely matched when numbers are relied
 * on, when they are not, and as the list itself is judged.
 */
import { ALONE, estimateFacts, match, rowEvidence } from '../../build/service/matching/index.js'

const PARTS = [0, 0.02, 0.05, 0.1, 0.2, 0.5, 1]

function groupedBy(list, keyOf) {
  const groups = new Map()
  for (const one of list) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return groups
}

/** `labelled`: rows of a list as the sets have them, each `{ index, query, expected }`. Prints a table. */
export function measureWrongNumbers(companies, labelled, print) {
  const byId = new Map(companies.map(company => [company.id, company]))
  const byPostcode = groupedBy(companies, company => company.postcode)
  const rows = labelled.flatMap(row => {
    const own = byId.get(row.expected)
    const [other] = (byPostcode.get(own?.postcode ?? '') ?? []).filter(one => one.id !== own?.id && one.orgNumber !== '')
    return own === undefined || own.postcode === '' || other === undefined ? [] : [{ ...row, wrong: other.orgNumber }]
  })
  print(
    `\n${rows.length} rows whose company has a neighbour at its postcode; the number of the neighbour is given to a part of them`,
  )
  const columns = ['relied on', 'not relied on', 'as judged'].map(name => name.padStart(24)).join('')
  print(`${'wrong numbers'.padEnd(15)}${'judged'.padEnd(12)}${columns}   falsely matched, recall`)
  for (const part of PARTS) {
    // Spread evenly over the rows.
    const isWrong = at => Math.floor((at + 1) * part) > Math.floor(at * part)
    const list = rows.map((row, at) => (isWrong(at) ? { ...row, query: { ...row.query, orgNumber: row.wrong } } : row))
    const facts = estimateFacts(
      list.map(({ index, query }) => rowEvidence(index, query)),
      [],
    )
    const figures = ['reliable', 'unreliable', facts.companyNumbers].map(companyNumbers => {
      const given = list.map(({ index, query, expected }) => {
        const found = match(index, query, undefined, { ...ALONE, companyNumbers })
        return found.decision === 'matched' ? index.companies.id(found.candidates[0].company) === expected : null
      })
      const right = given.filter(one => one === true).length
      return `${given.filter(one => one === false).length}, ${(right / list.length).toFixed(3)}`.padStart(24)
    })
    print(`${`${part * 100} %`.padEnd(15)}${facts.companyNumbers.padEnd(12)}${figures.join('')}`)
  }
}
