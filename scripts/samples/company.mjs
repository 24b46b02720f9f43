/** Makes one company of a locale: name, numbers, address, contact. It knows nothing of groups, extracts or dirt. */
import { makers } from './locales.mjs'
import { createNumbers } from './numbers.mjs'

/** The key under which two spellings of a name count as the same: no accents, case or punctuation. */
export const nameKey = name =>
  fold(name)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

const special = { ß: 'ss', ø: 'o', Ø: 'O', æ: 'ae', Æ: 'Ae', œ: 'oe', Œ: 'Oe', ł: 'l', Ł: 'L', đ: 'd', Đ: 'D' }

/** Plain letters for accented ones (`Łódź` gives `Lodz`), as an old system writes them. */
export const fold = text =>
  text
    .replace(/[ßøØæÆœŒłŁđĐ]/g, c => special[c])
    .normalize('NFD')
    .replace(/\p{M}/gu, '')

const placeName = town =>
  town
    .replace(/ (\d+|[A-Z])$/, '')
    .replace(/ (am|im|an der|nad|de la|upon) .*$/, '')
    .replace(/[ /(].*\)$|\/.*$/, '')
    .trim()

/** Joins name and legal form; a form that starts with a comma, or `S.L.` after a person's name, brings its own. */
export const withForm = (stem, form, first) =>
  form === '' ? stem : form.startsWith(',') ? stem + form : first ? `${form} ${stem}` : `${stem} ${form}`

const umlauts = { ä: 'ae', ö: 'oe', ü: 'ue' }

/** The company's domain under `.example`, which is reserved for documentation; at most four words of the name. */
const domain = stem =>
  `${fold(stem.toLowerCase().replace(/[äöü]/g, c => umlauts[c]))
    .replace(/['.]/g, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .slice(0, 4)
    .join('-')}.example`

/** Returns a maker of companies; `used` keeps names apart across the register and everything made beside it. */
export function createCompanies(random) {
  const used = new Set()
  const phones = new Set()
  const numbers = createNumbers(random.fork('numbers'))

  /** One word for a slot; `home` is the town a `{place}` mostly means. */
  function word(slot, locale, parts, home) {
    if (slot === 'surname') return random.pick(locale.surnames)
    if (slot === 'given') return random.pick(locale.givens)
    if (slot === 'place' && home && random.chance(0.85)) return placeName(home)
    if (slot === 'place' || slot === 'elsewhere') return placeName(random.pick(locale.towns).split(':')[0])
    return locale.words[slot] ? expand(random.pick(locale.words[slot]), locale, parts, home) : makers[slot](random)
  }

  /** Fills the `{slots}` of a template from the locale's words; `parts` collects what was chosen. */
  function expand(template, locale, parts, home) {
    const text = template.replace(/\{(\w+)\}/g, (_, slot) => {
      const kind = slot.replace(/^(surname|initial)2$/, '$1')
      let value = word(kind, locale, parts, home)
      while (slot !== kind && value === parts[kind]) value = word(kind, locale, parts, home)
      parts[slot] = value
      return value
    })
    return locale.words.thing ? text.replace(/\bde (?=[AEIOUÉÈÂÎ])/g, "d'").replace(/\bde Le /, 'du ') : text
  }

  function name(locale, home) {
    for (;;) {
      const [, template, ownForm] = random.weighted(locale.names)
      const parts = {}
      const filled = expand(template, locale, parts, home)
      const stem = filled[0].toUpperCase() + filled.slice(1)
      const words = stem.toLowerCase().split(/[ ']/)
      const repeats = new Set(words).size < words.length && !/ (&|et|y|e|i|de|of) /.test(stem)
      if (used.has(nameKey(stem)) || repeats || stem.length > 58) continue
      used.add(nameKey(stem))
      return { stem, form: ownForm ?? random.weighted(locale.forms)[1], formFirst: random.chance(locale.formFirst ?? 0), parts }
    }
  }

  function phone(locale, own) {
    const patterns = own ? [own] : locale.phone
    for (let attempt = 0; attempt < 12 && patterns.length > 0; attempt++) {
      const number = random.fill(random.pick(patterns))
      if (phones.has(number)) continue
      phones.add(number)
      return `${locale.dial} ${number.replace(/^0/, '')}`
    }
    return ''
  }

  function address(locale) {
    const [town, pattern, ownPhone] = random.pick(locale.towns).split(':')
    const [, first, second = ''] = random.weighted(locale.lines)
    return {
      address1: expand(first, locale, {}, town),
      address2: second && expand(second, locale, {}, town),
      town,
      postcode: postcode(locale, pattern),
      ownPhone,
    }
  }

  function postcode(locale, pattern) {
    if (locale.postcode === 'fill') return random.fill(pattern)
    const [, area, from, to] = /^([A-Z]+)(\d+)-(\d+)$/.exec(pattern)
    return `${area}${random.int(Number(from), Number(to))} ${random.fill('#??')}`
  }

  const mailboxes = country =>
    /GB|IE|US/.test(country)
      ? ['info', 'office', 'sales', 'accounts', 'hello', 'enquiries']
      : ['info', 'info', 'office', 'contact', 'mail']

  /** Makes a company; `given` overrides any field, as groups and near-collisions do. */
  function make(locale, given = {}) {
    const place = given.address1 ? given : address(locale)
    const made = given.stem ? { formFirst: false, parts: {}, ...given } : name(locale, place.town)
    const company = {
      locale,
      country: locale.country,
      tradingNames: [],
      previousNames: [],
      email: '',
      website: '',
      vatNumber: '',
      status: 'active',
      ...place,
      ...made,
      ...given,
    }
    company.name = withForm(company.stem, company.form, company.formFirst)
    company.orgNumber = numbers.org(company)
    if (random.chance(0.33)) company.vatNumber = numbers.vat(company)
    company.phone = random.chance(0.5) ? phone(locale, place.ownPhone) : ''
    const host = given.domain ?? domain(company.stem)
    if (random.chance(0.3)) company.website = `www.${host}`
    if (random.chance(0.18)) company.email = `${random.pick(mailboxes(company.country))}@${host}`
    const fate = random.int(0, 999)
    if (!given.status) company.status = fate < 60 ? 'dissolved' : fate < 70 ? 'liquidation' : 'active'
    return company
  }

  return { make, name, address, used }
}
