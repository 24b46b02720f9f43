/** The twenty tidy rows: eighteen companies written exactly as registered and two that are not in the register. */
import { expectedRows } from './extract.mjs'
import { localeOf } from './locales.mjs'

const header = ['id', 'name', 'orgNumber', 'address1', 'town', 'postcode', 'country']
const countries = ['GB', 'GB', 'DE', 'GB', 'FR', 'NL', 'GB', 'IE', 'SE', 'GB', 'IT', 'PL', 'GB', 'ES', 'DK', 'GB', 'BE', 'GB']

/** Returns the rows with header, and the answers to them. */
export function makeClean(random, { register, companies }) {
  const found = countries.map(country =>
    random.pick(register.filter(company => company.country === country && company.status === 'active' && !company.group)),
  )
  const rows = found.map(company => ({ company, kind: 'clean', expected: company.id }))
  for (const at of [7, 16]) rows.splice(at, 0, { company: companies.make(localeOf('GB')), kind: 'absent', expected: '' })
  const keys = rows.map((_, i) => `C${String(i + 1).padStart(2, '0')}`)
  return {
    rows: [header, ...rows.map(({ company }, i) => [keys[i], ...header.slice(1).map(column => company[column])])],
    expected: expectedRows(rows, keys),
  }
}
