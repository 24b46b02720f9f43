/** Makes the register: single companies, groups, near-collisions, trading and previous names. It knows nothing of the extracts. */
import { createCompanies, nameKey, withForm } from './company.mjs'
import { list } from './list.mjs'
import { localeOf, locales, makers } from './locales.mjs'

/** How many companies the register holds. */
const registerSize = 6000
const likenessCount = 160

const columns = list(
  'id|name|country|orgNumber|vatNumber|tradingNames|previousNames|address1|address2|town|postcode|phone|email|website|status',
)

// Each entry: country, what follows the group's word, legal form.
const members = [
  ['GB', 'Holdings', 'plc'],
  ['GB', 'Group', 'Limited'],
  ['GB', 'Logistics (UK)', 'Ltd'],
  ['GB', 'Services', 'Limited'],
  ['GB', 'Property', 'Limited'],
  ['GB', 'Finance', 'PLC'],
  ['GB', 'Engineering (Northern)', 'Ltd'],
  ['GB', 'Trading', 'Ltd'],
  ['GB', 'UK', 'Limited'],
  ['GB', 'Pension Trustees', 'Limited'],
  ['GB', 'Investments No. 2', 'Limited'],
  ['GB', 'Partners', 'LLP'],
  ['DE', 'Services', 'GmbH'],
  ['DE', 'Deutschland', 'GmbH'],
  ['DE', 'Holding', 'AG'],
  ['DE', 'Verwaltungs', 'GmbH'],
  ['DE', 'Logistik', 'GmbH & Co. KG'],
  ['FR', 'France', 'SAS'],
  ['FR', 'Distribution', 'SA'],
  ['NL', 'Nederland', 'B.V.'],
  ['NL', 'International Finance', 'B.V.'],
  ['IT', 'Italia', 'S.r.l.'],
  ['ES', 'Ibérica', 'S.L.'],
  ['SE', 'Sverige', 'AB'],
  ['DK', 'Danmark', 'A/S'],
  ['DK', 'Nordic', 'ApS'],
  ['PL', 'Polska', 'Sp. z o.o.'],
  ['IE', 'Ireland', 'DAC'],
  ['IE', '(Ireland)', 'Limited'],
  ['BE', 'Belgium', 'NV'],
  ['US', 'North America', 'Inc.'],
  ['US', 'USA', 'LLC'],
  ['CZ', 'Česká republika', 's.r.o.'],
  ['AT', 'Österreich', 'GmbH'],
  ['CH', 'Schweiz', 'AG'],
]

function makeGroups(random, companies, count) {
  const made = []
  for (let group = 0; group < count; group++) {
    const word = random.chance(0.6) ? makers.coined(random) : makers.compound(random)
    if (companies.used.has(nameKey(word))) continue
    companies.used.add(nameKey(word))
    const home = {}
    const own = random.shuffle(members).slice(0, random.int(3, 9))
    for (const [country, rest, form] of random.chance(0.7)
      ? [members[group % 2], ...own.filter(m => m !== members[group % 2])]
      : own) {
      home[country] ??= companies.address(localeOf(country))
      const shared = random.chance(0.7) ? home[country] : {}
      made.push(
        companies.make(localeOf(country), {
          stem: `${word} ${rest}`,
          form,
          group: word,
          domain: `${word.toLowerCase()}.example`,
          ...shared,
        }),
      )
    }
  }
  return made
}

const singular = stem => (/[^s]s$/.test(stem) ? stem.slice(0, -1) : `${stem}s`)

/** Companies that resemble another one of the register on purpose: they are what a matcher must not confuse. */
const likenesses = [
  company => ({ stem: `${company.stem} (${company.town.replace(/ (upon|am|an) .*/, '')})`, form: company.form }),
  company => ({ stem: `${company.stem} (2019)`, form: company.form }),
  company => ({ stem: `${company.stem} II`, form: company.form }),
  company => ({ stem: singular(company.stem), form: company.form }),
  (company, random) => ({
    stem: `${company.stem} ${random.pick(['Group', 'Holdings', 'Services', 'International'])}`,
    form: company.form,
  }),
  // The same name registered a second time under another form, or after the first one was dissolved.
  (company, random) => ({
    stem: company.stem,
    form: random.pick(company.locale.forms.filter(([, form]) => form !== company.form))[1],
  }),
]

function makeLikenesses(random, companies, originals, count) {
  return random
    .shuffle(originals.filter(c => /^(GB|IE|DE|NL|FR)$/.test(c.country) && c.stem.length < 34 && c.form !== ''))
    .slice(0, count)
    .map((original, i) => {
      const given = likenesses[i % likenesses.length](original, random)
      companies.used.add(nameKey(given.stem))
      return companies.make(original.locale, given)
    })
}

function brand(random, company) {
  const { parts, locale } = company
  if (company.group) return random.pick([company.group, `${company.group} Direct`, makers.coined(random)])
  const english = /GB|IE|US/.test(company.country)
  const options = [
    makers.coined(random),
    `${makers.coined(random)} ${random.pick(['Direct', 'Express', 'Plus', 'Pro', 'Online'])}`,
  ]
  if (parts.trade && english)
    options.push(
      `${makers.compound(random)} ${parts.trade}`,
      `${random.pick(locale.words.creature)} ${parts.trade}`,
      `${company.town} ${parts.trade}`,
    )
  if (parts.trade && !english) options.push(`${parts.trade} ${makers.coined(random)}`)
  const initials = company.stem
    .replace(/[^\p{L} ]/gu, '')
    .split(' ')
    .filter(word => /^\p{Lu}/u.test(word))
    .map(word => word[0])
    .join('')
  if (new Set(initials).size >= 3) options.push(initials)
  return random.pick(options)
}

function former(random, companies, company) {
  const { locale } = company
  if (company.country === 'GB' && random.chance(0.25)) return `${makers.compound(random)} (${random.int(100, 2999)}) Limited`
  if (company.parts.surname && company.parts.trade && random.chance(0.5)) {
    return withForm(
      `${company.parts.surname} & ${random.pick(locale.surnames)} ${company.parts.trade}`,
      locale.forms[0][1],
      false,
    )
  }
  const { stem, form } = companies.name(locale, company.town)
  return withForm(stem, form, false)
}

/** Returns the 6,000 companies, shuffled and with ids, and the maker that goes on making others with names of their own. */
export function makeRegister(random) {
  const companies = createCompanies(random.fork('companies'))
  const groups = makeGroups(random.fork('groups'), companies, 112)
  const singles = locales.flatMap(locale => Array.from({ length: locale.count }, () => companies.make(locale)))
  const rest = locales.find(locale => locale.rest)
  while (groups.length + singles.length < registerSize - likenessCount) singles.push(companies.make(rest))
  const near = makeLikenesses(random.fork('near'), companies, singles, likenessCount)
  const all = random.fork('order').shuffle([...groups, ...near, ...singles])
  const aliases = random.fork('aliases')
  for (const company of all) {
    if (aliases.chance(0.1))
      company.tradingNames = Array.from({ length: aliases.chance(0.15) ? 2 : 1 }, () => brand(aliases, company))
    if (aliases.chance(0.1))
      company.previousNames = Array.from({ length: aliases.chance(0.15) ? 2 : 1 }, () => former(aliases, companies, company))
  }
  const register = all.map((company, i) => Object.assign(company, { id: `R${String(i + 1).padStart(5, '0')}` }))
  return { register, companies }
}

/** The register as rows of the documented columns, header first. */
export const registerRows = register => [
  columns,
  ...register.map(company => columns.map(column => [company[column]].flat().join('|'))),
]
