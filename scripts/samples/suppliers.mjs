/** The British ERP extract: which dirt in which amount, and how a row is written down. UTF-8, comma, LF. */
import { expectedRows, mailbox, makeExtract, national } from './extract.mjs'
import { respell, shortenStreet } from './spelling.mjs'

const plan = [
  ['clean', 37],
  ['typo', 40],
  ['transposed', 22],
  ['abbreviation', 45],
  ['legal-form', 45],
  ['upper-case', 22],
  ['truncated', 22],
  ['trading-name', 26],
  ['previous-name', 26],
  ['lost-zeros', 30],
  ['wrong-number', 10],
  ['moved', 25],
  ['accents', 10],
  ['whitespace', 7],
  ['punctuation', 8],
  ['ambiguous', 12],
  ['dissolved', 8],
  ['duplicate', 22],
  ['exact-duplicate', 8],
  ['absent', 45],
  ['absent-lookalike', 30],
]
const countries = [
  [66, 'GB'],
  [8, 'IE'],
  [6, 'DE'],
  [5, 'FR'],
  [4, 'NL'],
  [3, 'IT'],
  [2, 'ES'],
  [2, 'BE'],
  [2, 'US'],
  [2, 'PL'],
  [1, 'SE'],
  [1, 'DK'],
  [1, 'CZ'],
  [1, 'AT'],
]
const header = ['Supplier No', 'Company Name', 'Reg No', 'Address', 'Town', 'Post Code', 'Country', 'Phone', 'Email']

const special = {
  'lost-zeros': ({ random, company }) =>
    /^0\d{7}$/.test(company.orgNumber) && company.country === 'GB'
      ? { number: company.orgNumber.replace(/^0+/, ''), name: random.chance(0.6) ? company.name : company.stem }
      : undefined,
  'wrong-number': ({ random, company, register }) => ({
    number: random.pick(register.filter(other => other.country === company.country && other !== company)).orgNumber,
  }),
}

/** About half of the rows carry a number, and spreadsheets have eaten the leading zeros of most British ones. */
function regNo(random, row) {
  if (row.fields.number !== undefined) return row.fields.number
  if (row.fields.bare || !random.chance(row.kind === 'clean' ? 0.7 : 0.44)) return ''
  const { orgNumber, country } = row.company
  if (row.kind === 'clean') return orgNumber
  if (country === 'FR' && random.chance(0.5)) return orgNumber.replace(/(\d{3})(?=\d)/g, '$1 ')
  if (country !== 'GB') return orgNumber
  return random.chance(0.6) ? orgNumber.replace(/^0+/, '') : random.chance(0.08) ? `Reg. ${orgNumber}` : orgNumber
}

function phoneCell(random, phone) {
  if (phone === '' || random.chance(0.2)) return ''
  const own = national(phone)
  return random.pick([
    phone,
    phone,
    own,
    own,
    own.replaceAll(' ', ''),
    own.replace(' ', '-'),
    phone.replace(/^(\+44) /, '$1 (0)'),
  ])
}

function write(random, row) {
  const from = { ...row.company, ...row.fields }
  const tidy = row.kind === 'clean'
  const address = [from.address1, from.address2].filter(Boolean).join(!tidy && random.chance(0.12) ? '\n' : ', ')
  const shortForm = !tidy && !row.fields.name && random.chance(0.4)
  const postcode =
    tidy || random.chance(0.8)
      ? from.postcode
      : random.pick([from.postcode.replace(' ', ''), from.postcode.toLowerCase(), '', ''])
  const country = tidy ? from.country : random.weighted(from.locale.spelt)[1]
  return [
    shortForm && from.form !== '' && !from.formFirst
      ? `${from.stem} ${respell(random, from.form)}`.replace(' ,', ',')
      : from.name,
    regNo(random, row),
    !tidy && random.chance(0.35) ? shortenStreet(random, address) : address,
    !tidy && random.chance(0.12) ? from.town.toUpperCase() : from.town,
    postcode,
    row.fields.bare && random.chance(0.5) ? '' : country,
    phoneCell(random, from.phone),
    random.chance(0.75) ? mailbox(random, row.company) : '',
  ]
}

/** Returns the extract's rows with header, and the answers to them. */
export function makeSuppliers(random, made) {
  const rows = makeExtract(random.fork('rows'), made, { plan, countries, special })
  const cells = random.fork('cells')
  const written = new Map()
  for (const row of rows) written.set(row, row.kind === 'exact-duplicate' ? [...written.get(row.original)] : write(cells, row))
  // A spreadsheet that was given +44 for a telephone number keeps it as a formula.
  const formula = rows.find(row => row.kind !== 'clean' && !row.original && written.get(row)[6].startsWith('+44 '))
  written.get(formula)[6] = `=${written.get(formula)[6].replaceAll(' ', '').replace('(0)', '')}`
  let next = 100017
  const keys = rows.map(() => {
    next += cells.int(1, 27)
    return `V${next}`
  })
  return { rows: [header, ...rows.map((row, i) => [keys[i], ...written.get(row)])], expected: expectedRows(rows, keys) }
}
