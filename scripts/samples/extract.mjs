/**
 * Makes a dirty extract of the register: which company stands behind each row, and what has happened to it. How a row is written down
 * (headers, formats of numbers, encoding) is the business of the two files that use it.
 */
import { nameKey, withForm } from './company.mjs'
import { makers } from './locales.mjs'
import { abbreviate, blanks, mojibake, plain, punctuate, respell, transpose, typo } from './spelling.mjs'

const name = (company, form = company.form) => withForm(company.stem, form, company.formFirst)
const renamed =
  change =>
  ({ random, company }) => ({ name: change(random, company) })

const formClass = form =>
  form
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/^(limited|ltd)$/, 'ltd')
    .slice(0, 2)

/** A legal form of another class from the same country, so that the wrong one is plausible. */
const wrongForm = (random, company) =>
  random.weighted(company.locale.forms.filter(([, form]) => form !== '' && formClass(form) !== formClass(company.form)))[1]

/** What each kind of dirt does to a row: the changed fields, or nothing when the company does not lend itself to it. */
const dirt = {
  clean: () => ({}),
  typo: renamed((random, company) => withForm(typo(random, company.stem), company.form, company.formFirst)),
  transposed: renamed((random, company) => withForm(transpose(random, company.stem), company.form, company.formFirst)),
  abbreviation: renamed((random, company) =>
    withForm(abbreviate(random, company.stem, company.country), company.form, company.formFirst),
  ),
  'legal-form': renamed((random, company) =>
    company.form === ''
      ? company.name
      : random.chance(0.5)
        ? company.stem
        : name(company, random.chance(0.4) ? wrongForm(random, company) : respell(random, company.form)),
  ),
  'upper-case': renamed((random, company) => (random.chance(0.85) ? company.name.toUpperCase() : company.name.toLowerCase())),
  truncated: ({ company }) => (company.name.length > 32 ? { name: company.name.slice(0, 30) } : undefined),
  'trading-name': ({ random, company }) => {
    const brand = company.tradingNames[0]
    return brand && { name: random.chance(0.25) ? `${company.stem} t/a ${brand}` : brand }
  },
  'previous-name': ({ company }) => company.previousNames[0] && { name: company.previousNames.at(-1) },
  moved: ({ company, companies }) => companies.address(company.locale),
  accents: ({ random, company }) => ({ name: random.chance(0.15) ? mojibake(company.name) : plain(random, company.name) }),
  whitespace: renamed((random, company) => blanks(random, company.name)),
  punctuation: renamed((random, company) => withForm(punctuate(random, company.stem), company.form, company.formFirst)),
  dissolved: ({ company }) => (company.status === 'dissolved' ? {} : undefined),
  ambiguous: ({ random, company }) =>
    company.group && {
      name: random.pick([company.group, `${company.group} Group`, `${company.group} ${company.locale.forms[0][1]}`]),
      address1: '',
      address2: '',
      postcode: '',
      phone: '',
      bare: true,
    },
}
const renaming = new Set([
  'typo',
  'transposed',
  'abbreviation',
  'legal-form',
  'upper-case',
  'accents',
  'whitespace',
  'punctuation',
])

/** A company that is not in the register but shares its most telling word with one that is. */
function lookalike(random, companies, original) {
  const { parts, locale, stem } = original
  const options = []
  if (parts.trade) options.push(stem.replace(parts.trade, random.pick(locale.words.trade)))
  if (parts.surname) options.push(stem.replace(parts.surname, random.pick(locale.surnames)))
  if (original.group)
    options.push(`${original.group} ${random.pick(['Chemicals', 'Aviation', 'Foods', 'Textiles', 'Energy', 'Software'])}`)
  if (parts.place) options.push(stem.replace(parts.place, companies.address(locale).town.replace(/ .*/, '')))
  const changed = options.length > 0 ? random.pick(options) : stem
  if (changed === stem || companies.used.has(nameKey(changed)) || changed.includes('{')) return undefined
  companies.used.add(nameKey(changed))
  return companies.make(locale, { stem: changed, form: original.form, formFirst: original.formFirst, parts })
}

/** Draws companies by country, each at most once. */
function createDraw(random, register, countries) {
  const piles = new Map(
    countries.map(([, country]) => [country, random.shuffle(register.filter(company => company.country === country))]),
  )
  return accepts => {
    for (;;) {
      const pile = piles.get(random.weighted(countries)[1])
      const at = pile.findIndex(accepts)
      if (at >= 0) return pile.splice(at, 1)[0]
    }
  }
}

/**
 * Returns the rows in file order: `{ company, kind, expected, duplicateOf, fields }`. `plan` lists kinds and counts, `countries` weights;
 * `special` adds the kinds only one of the files knows.
 */
export function makeExtract(random, { register, companies }, { plan, countries, special }) {
  const kinds = { ...dirt, ...special }
  const draw = createDraw(random.fork('draw'), register, countries)
  const owners = new Map()
  for (const company of register) {
    for (const text of [company.name, company.stem, ...company.tradingNames, ...company.previousNames]) {
      owners.set(nameKey(text), (owners.get(nameKey(text)) ?? new Set()).add(company.id))
    }
  }
  const isOthers = (text, company) => [...(owners.get(nameKey(text)) ?? [])].some(id => id !== company.id)

  /** The changed fields, or nothing when the dirt leaves the name alone or makes it another company's. */
  function soil(kind, company) {
    const changed = kinds[kind]({ random, company, companies, register })
    if (!changed || (renaming.has(kind) && changed.name === company.name)) return undefined
    return kind !== 'ambiguous' && changed.name && isOthers(changed.name, company) ? undefined : changed
  }

  function present(kind) {
    let fields
    const company = draw(candidate => {
      if (kind !== 'dissolved' && candidate.status !== 'active') return false
      fields = soil(kind, candidate)
      return Boolean(fields)
    })
    return { company, kind, expected: company.id, fields }
  }

  function absent(kind) {
    for (;;) {
      const country = random.weighted(countries)[1]
      const original = random.pick(register.filter(company => company.country === country))
      const company = kind === 'absent' ? companies.make(original.locale) : lookalike(random, companies, original)
      if (company) return { company, kind, expected: '', fields: {} }
    }
  }

  const count = kind => plan.find(([name]) => name === kind)?.[1] ?? 0
  const first = plan
    .filter(([kind]) => !kind.endsWith('duplicate'))
    .flatMap(([kind, rows]) => Array.from({ length: rows }, () => (kind.startsWith('absent') ? absent(kind) : present(kind))))
  const rows = random.shuffle(first)
  const originals = random.shuffle(rows.filter(row => row.expected !== '' && row.kind !== 'ambiguous'))
  const insert = (original, row) => rows.splice(random.int(rows.indexOf(original) + 1, rows.length), 0, row)
  for (const original of originals.slice(0, count('duplicate'))) {
    let fields
    while (!fields)
      fields = soil(random.pick(['typo', 'transposed', 'abbreviation', 'legal-form', 'upper-case', 'accents']), original.company)
    insert(original, { ...original, kind: 'duplicate', fields, original })
  }
  for (const original of originals.slice(count('duplicate'), count('duplicate') + count('exact-duplicate'))) {
    insert(original, { ...original, kind: 'exact-duplicate', original })
  }
  return rows
}

/** The answers: one row per data row, counted from 1, `duplicateOf` being the first row of the same company. */
export function expectedRows(rows, keys) {
  const header = ['row', 'key', 'expected', 'kind', 'duplicateOf']
  return [
    header,
    ...rows.map((row, i) => [i + 1, keys[i], row.expected, row.kind, row.original ? rows.indexOf(row.original) + 1 : '']),
  ]
}

/** A telephone number as written in its own country: `+44 113 496 0123` gives `0113 496 0123`. */
export const national = phone =>
  phone.replace(/^\+(1|[2-9]\d{1,2}) /, (_, code) => (code === '1' ? '' : '0')).replace(/^0(?=0)/, '')

/** A made-up e-mail address of a person or desk at the company. */
export const mailbox = (random, company) =>
  company.email !== ''
    ? company.email
    : company.website !== ''
      ? `${random.pick(['accounts', 'orders', 'sales', makers.initial(random).toLowerCase() + random.pick(['marsh', 'novak', 'leroy', 'berg', 'patel'])])}@${company.website.slice(4)}`
      : ''
