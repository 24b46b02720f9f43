/** Dates of birth, nationalities and Arabic names of the entries of OFAC's sdn.csv and the UN's consolidated XML, by the ids of the lists of names. */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { normaliseCountry } from '../../build/normalise/country.js'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const day = text => {
  const [, date, month, year] = /^(?:circa )?(?:(\d{1,2}) )?(?:([A-Z][a-z]{2}) )?(\d{4})/.exec(text) ?? []
  if (year === undefined || date === undefined) return year
  return `${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, '0')}-${date.padStart(2, '0')}`
}
const filled = (texts, read) => [...new Set(texts.map(read).filter(text => text !== undefined && text !== ''))]

function* ofSdn(file) {
  for (const cells of parse(readFileSync(file), { relax_column_count: true, relax_quotes: true })) {
    const remarks = cells[11] ?? ''
    const all = pattern => [...remarks.matchAll(pattern)].map(([, text]) => text.trim())
    const born = filled(all(/\bDOB ([^;.]+)/g), day)
    const countries = filled(all(/\b(?:nationality|citizen) ([^;.]+)/g), normaliseCountry)
    yield [`SDN:${cells[0]}`, { born, countries }]
  }
}

function* ofUn(file) {
  for (const [, text] of readFileSync(file, 'utf8').matchAll(/<INDIVIDUAL>([\s\S]*?)<\/INDIVIDUAL>/g)) {
    const all = pattern => [...text.matchAll(pattern)].map(([, value]) => value.trim())
    const [id] = all(/<DATAID>(\d+)/g)
    const dates = all(/<INDIVIDUAL_DATE_OF_BIRTH>([\s\S]*?)<\/INDIVIDUAL_DATE_OF_BIRTH>/g)
    const born = filled(dates, date => /<DATE>([\d-]{10})/.exec(date)?.[1] ?? /<YEAR>(\d{4})/.exec(date)?.[1])
    const countries = filled(all(/<NATIONALITY>\s*<VALUE>([^<]*)/g), normaliseCountry)
    const arabic = all(/<NAME_ORIGINAL_SCRIPT>([^<]*)/g).flatMap(names =>
      names.split(/[;\n]/).filter(name => /\p{Script=Arabic}/u.test(name)),
    )
    yield [`UN:${id}`, { born, countries, arabic }]
  }
}

/** Null for files that are not named. */
export const readFacts = ({ sdn, un }) =>
  new Map([...(sdn === undefined ? [] : ofSdn(sdn)), ...(un === undefined ? [] : ofUn(un))])
