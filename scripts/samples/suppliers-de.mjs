/** The German ERP extract: which dirt in which amount, and how a row is written down. windows-1252, semicolon, CRLF, no register number. */
import { expectedRows, makeExtract, national } from './extract.mjs'
import { respell, shortenStreet } from './spelling.mjs'

const plan = [
  ['clean', 40],
  ['typo', 45],
  ['transposed', 22],
  ['abbreviation', 35],
  ['legal-form', 50],
  ['upper-case', 20],
  ['truncated', 18],
  ['trading-name', 24],
  ['previous-name', 24],
  ['lost-zeros', 14],
  ['wrong-number', 8],
  ['moved', 28],
  ['accents', 35],
  ['whitespace', 7],
  ['punctuation', 8],
  ['ambiguous', 9],
  ['dissolved', 8],
  ['duplicate', 22],
  ['exact-duplicate', 8],
  ['absent', 45],
  ['absent-lookalike', 30],
]
const countries = [
  [70, 'DE'],
  [9, 'AT'],
  [5, 'CH'],
  [4, 'NL'],
  [3, 'FR'],
  [3, 'IT'],
  [2, 'PL'],
  [2, 'CZ'],
  [1, 'BE'],
  [1, 'DK'],
]
const header = ['Lieferant', 'Firma', 'Straße', 'PLZ', 'Ort', 'Land', 'USt-IdNr', 'Telefon']
const countryNames = {
  DE: ['DE', 'DE', 'D', 'Deutschland', 'Deutschland', '', ''],
  AT: ['AT', 'A', 'Österreich', ''],
  CH: ['CH', 'Schweiz'],
  NL: ['NL', 'Niederlande'],
  FR: ['FR', 'F', 'Frankreich'],
  IT: ['IT', 'Italien'],
  PL: ['PL', 'Polen'],
  CZ: ['CZ', 'Tschechien'],
  BE: ['BE', 'Belgien'],
  DK: ['DK', 'Dänemark'],
}

const special = {
  'lost-zeros': ({ company }) =>
    company.country === 'DE' && company.postcode.startsWith('0') ? { postcode: company.postcode.slice(1) } : undefined,
  'wrong-number': ({ random, company, register }) => ({
    vat: random.pick(register.filter(other => other.country === company.country && other !== company && other.vatNumber !== ''))
      .vatNumber,
  }),
  punctuation: ({ random, company }) => {
    const [first, ...rest] = company.stem.split(' ')
    if (rest.length === 0 || !/^[\p{L}-]{4,}$/u.test(first)) return undefined
    return {
      name: random.pick([
        `${first} – ${rest.join(' ')} ${company.form}`,
        `„${first}“ ${rest.join(' ')} ${company.form}`,
        `Fa. ${company.name}`,
        `${company.name}; z. Hd. Einkauf`,
      ]),
    }
  },
}

function phoneCell(random, phone) {
  if (phone === '' || random.chance(0.15)) return ''
  const own = national(phone)
  return random.pick([
    phone,
    own,
    own.replace(' ', '/'),
    own.replace(' ', '/').replace(/ (?=\d{2,4}$)/, '-'),
    phone.replace(/^(\+\d\d) /, '$1 (0)'),
    own.replaceAll(' ', ''),
  ])
}

function vatCell(random, row, vat) {
  if (row.fields.vat !== undefined) return row.fields.vat
  if (vat === '' || row.fields.bare || random.chance(0.2)) return ''
  return row.kind !== 'clean' && random.chance(0.25) ? vat.replace(/^([A-Z]{2})(\d{3})(\d{3})(\d{3})$/, '$1 $2 $3 $4') : vat
}

function write(random, row) {
  const from = { ...row.company, ...row.fields }
  const tidy = row.kind === 'clean'
  const street = [from.address1, from.address2].filter(Boolean).join(', ')
  const shortForm = !tidy && !row.fields.name && from.form !== '' && !from.formFirst && random.chance(0.35)
  return [
    shortForm ? `${from.stem} ${respell(random, from.form)}` : from.name,
    !tidy && random.chance(0.45) ? shortenStreet(random, street) : street,
    !tidy && random.chance(0.06) ? (from.country === 'DE' ? `D-${from.postcode}` : '') : from.postcode,
    !tidy && random.chance(0.1) ? from.town.toUpperCase() : from.town,
    tidy ? from.country : random.pick(countryNames[from.country]),
    vatCell(random, row, row.company.vatNumber),
    phoneCell(random, from.phone),
  ]
}

/** Returns the extract's rows with header, and the answers to them. */
export function makeGermanSuppliers(random, made) {
  const rows = makeExtract(random.fork('rows'), made, { plan, countries, special })
  const cells = random.fork('cells')
  const written = new Map()
  for (const row of rows) written.set(row, row.kind === 'exact-duplicate' ? written.get(row.original) : write(cells, row))
  let next = 70010
  const keys = rows.map(() => {
    next += cells.int(1, 27)
    return String(next)
  })
  return { rows: [header, ...rows.map((row, i) => [keys[i], ...written.get(row)])], expected: expectedRows(rows, keys) }
}
