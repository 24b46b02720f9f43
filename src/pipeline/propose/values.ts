/**
 * Judges a column by its distinct values: kinds of values that are hardly anything else, and forms that the values of a mapping
 * must have.
 */
import type { Target } from './claims.ts'
import { digitsOf, isBritishLettered, isIban, isVat, SCHEMES } from './numbers.ts'

export interface Knowledge {
  readonly isCountry: (text: string) => boolean
  readonly hasLegalForm: (text: string) => boolean
}

/** Distinct values, and how many cells have each of them. */
type Seen = Pick<SeenColumn, 'values'> & Partial<Pick<SeenColumn, 'counts'>>

interface Evidence {
  readonly target: Target
  readonly weight: number
  readonly why: string
}

const EMAIL = /^[^\s@,;]+@[^\s@,;]+\.[^\s@,;.]{2,}$/
const WEB = /^(https?:\/\/\S+|www\.\S+)$/i
const DATE = /^(\d{4}-\d{1,2}-\d{1,2}([T ].*)?|\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2}))$/
const MONEY = /^[€$£]?\s?-?\d{1,3}([., ]\d{3})*[.,]\d{1,2}\s?[€$£]?$/
const DIALLED = /^(\+|00|\(|0)[\d\s()./-]{6,24}$/
const POSTCODES: readonly (readonly [string, RegExp])[] = [
  ['British postcodes', /^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/i],
  ['Dutch postcodes', /^[1-9]\d{3} ?[A-Z]{2}$/i],
  ['Irish postcodes', /^[AC-FHKNPRTV-Y]\d[\dW] ?[0-9AC-FHKNPRTV-Y]{4}$/i],
  ['Polish postcodes', /^\d{2}-\d{3}$/],
  ['Portuguese postcodes', /^\d{4}-\d{3}$/],
  ['Swedish postcodes', /^\d{3} \d{2}$/],
  ['Canadian postcodes', /^[A-Z]\d[A-Z] ?\d[A-Z]\d$/i],
]
const STREET =
  /(stra(ß|ss)e|str\.|weg|platz|allee|gasse|road|street|avenue|\brd\b|\bst\b|lane|drive|\brue\b|boulevard|\bplace\b|\bvia\b|viale|piazza|calle|avenida|plaza|straat|laan|plein|gata|gatan|v[aä]gen|vej|gade|gate|veien|katu|\btie\b|\bul\.|ulica|\b(unit|house|floor|suite|p ?o box)\b)/i

const digitCount = (text: string): number => text.replace(/\D/g, '').length
const isPhone = (text: string): boolean => DIALLED.test(text) && digitCount(text) >= 7 && digitCount(text) <= 15

const KINDS: readonly {
  readonly target: Target
  readonly weight: number
  readonly what: string
  readonly is: (text: string, known: Knowledge) => boolean
}[] = [
  { target: 'email', weight: 0.95, what: 'are e-mail addresses', is: text => EMAIL.test(text) },
  { target: 'other', weight: 0.95, what: 'are web addresses', is: text => WEB.test(text) },
  { target: 'other', weight: 0.95, what: 'are IBANs', is: isIban },
  { target: 'other', weight: 0.9, what: 'are dates', is: text => DATE.test(text) },
  { target: 'other', weight: 0.8, what: 'are amounts', is: text => MONEY.test(text) },
  { target: 'vatNumber', weight: 0.9, what: 'are VAT numbers', is: isVat },
  { target: 'phone', weight: 0.72, what: 'can be dialled', is: text => isPhone(text) && /^[+(]|^00|^0\d*[ /.-]/.test(text) },
  { target: 'address1', weight: 0.5, what: 'are streets', is: text => /\d/.test(text) && STREET.test(text) },
  ...POSTCODES.map(([what, form]) => ({
    target: 'postcode' as const,
    weight: 0.85,
    what: `are ${what}`,
    is: (text: string) => form.test(text),
  })),
]

/** Two-letter codes that do not stand for countries, though many are written like one: languages, states, cantons, provinces. */
const OTHER_CODES: readonly ReadonlySet<string>[] = [
  'ar bg bs cs cy da de el en es et fi fr ga he hr hu is it ja ko lt lv mk mt nb nl no pl pt ro ru sk sl sq sr sv tr zh',
  'al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok or pa ri sc sd tn tx ut vt va wa wv wi wy dc pr',
  'bw by be bb hb hh he mv ni nw rp sl sn st sh th',
  'ag ai ar be bl bs fr ge gl gr ju lu ne nw ow sg sh so sz tg ti ur vd vs zg zh',
  'ab bc mb nb nl ns nt nu on pe qc sk yt',
  'ac al ap am ba ce df es go ma mt ms mg pa pb pr pe pi rj rn rs ro rr sc sp se to',
  'nt sa wa',
  'ag al an ao ap aq ar at av ba bg bi bl bn bo br bs bt bz ca cb ce ch cl cn co cr cs ct cz en fc fe fg fi fm fr ge go gr im is kr lc le li lo lt lu mb mc me mi mn mo ms mt na no nu og or pa pc pd pe pg pi pn po pr pt pu pv pz ra rc re rg ri rm rn ro sa si so sp sr ss su sv ta te tn to tp tr ts tv ud va vb vc ve vi vr vt vv',
].map(codes => new Set(codes.split(' ')))

/** Every value is a code of one such system, so that the values do not show that they are countries. */
const mayBeOtherCodes = (values: readonly string[]): boolean =>
  OTHER_CODES.some(codes => values.every(text => codes.has(text.trim().toLowerCase())))

/** Distinct values for full confidence, and the least for a column of numbers that are all different. */
const ENOUGH = 10
const FEW = 3
/** A share of legal forms that hardly anything but company names has. */
const FORMS = 0.4
/** What proves a country in nine of ten cells, and what a person has to confirm. */
const OF_COUNTRIES = 0.88
const OF_OTHERS = 0.6
const SHARE = 0.5

const countShare = (values: readonly string[], is: (text: string) => boolean): number =>
  values.length === 0 ? 0 : values.filter(is).length / values.length

/** The share of values, or of cells for countries, since one `n/a` in a column of one country would be half of its values. */
function shareFor(target: Target, { values, counts }: Seen, is: (text: string) => boolean): number {
  const isCounted = counts !== undefined && (target === 'country' || target === 'countryCode')
  if (!isCounted) return countShare(values, is)
  const all = counts.reduce((sum, count) => sum + count, 0)
  return all === 0 ? 0 : counts.reduce((sum, count, at) => sum + (is(values[at]!) ? count : 0), 0) / all
}

const percent = (share: number): string => `${Math.floor(share * 100)}% of the values`

export function evidenceOf(seen: Seen, known: Knowledge): Evidence[] {
  const { values } = seen
  const sure = Math.min(1, values.length / ENOUGH)
  const found: Evidence[] = KINDS.flatMap(({ target, weight, what, is }) => {
    const share = shareFor(target, seen, text => is(text, known))
    return share < SHARE ? [] : [{ target, weight: weight * share * share * sure, why: `${percent(share)} ${what}` }]
  })
  // `1000 AB` is a postcode.
  const forms = countShare(values, text => /\p{L}{3}/u.test(text) && known.hasLegalForm(text))
  if (forms >= FORMS / 4)
    found.push({
      target: 'name',
      weight: 0.85 * Math.min(1, forms / FORMS) ** 2 * sure,
      why: `${percent(forms)} have a legal form`,
    })
  return [...found, ...countryEvidence(seen, known), ...numberEvidence(values, sure)]
}

/** Nine of ten cells of ten are enough: most lists have few countries. Codes that may be something else are for a person to confirm. */
function countryEvidence(seen: Seen, known: Knowledge): Evidence[] {
  const { values, counts } = seen
  const share = shareFor('country', seen, text => text.length > 1 && known.isCountry(text))
  if (share < SHARE) return []
  const cells = counts?.reduce((sum, count) => sum + count, 0) ?? values.length
  const named = values.filter(text => text.length > 1 && known.isCountry(text))
  const isOther = mayBeOtherCodes(named)
  const sure = Math.min(1, cells / ENOUGH)
  const why = `${percent(share)} name countries${isOther ? ', or are codes of something else' : ''}`
  return [{ target: 'country', weight: (isOther ? OF_OTHERS : OF_COUNTRIES) * share * share * sure, why }]
}

function numberEvidence(values: readonly string[], sure: number): Evidence[] {
  const british = countShare(values, isBritishLettered)
  const eight = countShare(values, text => isBritishLettered(text) || /^\d{7,8}$/.test(text.trim()))
  const companies: Evidence[] =
    british > 0.005 && eight > 0.9
      ? [{ target: 'orgNumber', weight: 0.75 * sure, why: `${percent(eight)} are British company numbers, some with letters` }]
      : []
  const digits = values.map(digitsOf)
  const proven = SCHEMES.flatMap(({ name, target, form, isRight }): Evidence[] => {
    const share = countShare(digits, number => form.test(number) && isRight(number))
    return share < 0.9
      ? []
      : [{ target, weight: 0.85 * share * share * sure, why: `${percent(share)} pass the check of a ${name}` }]
  })
  return [...companies, ...proven]
}

const hasLetters = (text: string): boolean => /\p{L}{2}/u.test(text)
const isNumberLike = (text: string): boolean => /\d/.test(text) && text.length <= 25 && !EMAIL.test(text)
const isPlace = (text: string, { isCountry }: Knowledge): boolean =>
  hasLetters(text) &&
  digitCount(text) <= 3 &&
  !text.includes('@') &&
  text.length <= 60 &&
  !isCountry(text) &&
  !POSTCODES.some(([, form]) => form.test(text))

const isAddressLine = (text: string): boolean => hasLetters(text) && !EMAIL.test(text)
const isCode = (text: string): boolean => /\d/.test(text) && !/\s/.test(text) && text.length <= 30 && !EMAIL.test(text)

/** The form of a value under a mapping; where most values differ, the header is wrong or means something else. */
const FORM: Readonly<Partial<Record<Target, (text: string, known: Knowledge) => boolean>>> = {
  companyId: isNumberLike,
  orgNumber: text => isNumberLike(text) && digitCount(text) >= 4 && !DATE.test(text),
  vatNumber: text => isNumberLike(text) && digitCount(text) >= 5,
  taxCode: text => isNumberLike(text) && digitCount(text) >= 4,
  name: (text, known) => hasLetters(text) && !EMAIL.test(text) && !isCode(text) && !known.isCountry(text),
  tradingName: hasLetters,
  aliasName: hasLetters,
  previousName: hasLetters,
  phone: text => /^[\d\s()+./-]{6,30}(?:\s?(?:ext|x)\.?\s?\d+)?$/i.test(text) && digitCount(text) >= 6,
  email: text => EMAIL.test(text),
  ...{ address1: isAddressLine, address2: isAddressLine, address3: isAddressLine },
  town: isPlace,
  region: (text, known) => isPlace(text, known) || /^\p{Lu}{2,3}$/u.test(text),
  postcode: text => /\d/.test(text) && text.length <= 12 && !EMAIL.test(text),
  country: (text, known) => known.isCountry(text),
  countryCode: (text, known) => known.isCountry(text) && text.trim().length <= 3,
  key: isCode,
}
const FITTING = 0.6

/** Why the values contradict a meaning, null when they do not. */
export function whyNot(target: Target, seen: Seen, known: Knowledge): string | null {
  const form = FORM[target]
  const { values } = seen
  if (form === undefined || values.length === 0) return null
  const share = shareFor(target, seen, text => form(text, known))
  return share >= FITTING ? null : `but only ${percent(share)} look like it`
}

/** What the form of the values adds to a header's claim: countries, numbers of one width, names of several words. Nothing by itself. */
export function support(target: Target, seen: Seen, known: Knowledge): number {
  const { values } = seen
  if (target === 'country' || target === 'countryCode') return 0.5 * shareFor(target, seen, known.isCountry) ** 2
  if (target === 'key') return values.length < FEW ? 0 : 0.5 * countShare(values, isCode)
  if (values.length < ENOUGH) return 0
  if (['orgNumber', 'vatNumber', 'taxCode', 'postcode'].includes(target)) return 0.35 * widths(values)
  return target === 'name' ? 0.2 * countShare(values, hasSeveralWords) : 0
}

/** Word by word: one pattern over it all would take time by the square. */
function hasSeveralWords(text: string): boolean {
  const words = text.split(/\s+/)
  const first = words.findIndex(word => /\p{L}{2}/u.test(word))
  return first !== -1 && words.slice(first + 1).some(word => /\p{L}/u.test(word))
}

function widths(values: readonly string[]): number {
  const counts = new Map<number, number>()
  for (const text of values) counts.set(text.trim().length, (counts.get(text.trim().length) ?? 0) + 1)
  const [first = 0, second = 0] = [...counts.values()].sort((a, b) => b - a)
  return (first + second) / values.length
}

/** A column with its distinct values, the first thousand at most. */
export interface SeenColumn {
  readonly index: number
  readonly header: string | null
  readonly filled: number
  readonly distinct: number
  readonly values: readonly string[]
  /** The number of cells with each of `values`. */
  readonly counts: readonly number[]
  readonly examples: readonly string[]
}

/** Fewer rows prove nothing: the values of most columns differ. */
const LEAST_ROWS = 5
/** Distinct values of longer lists are estimated. */
const EXACT_ROWS = 10_000
const OF_ONE_FORM = 0.95

/** Digits and letters: a number alone may be an amount. */
const CODE = /^(?=.*\d)(?=.*\p{L})[\p{L}\p{N}:/_.-]{2,40}$/u

/** Recognises a list's own id by its values alone: different in every row, and of one form. */
export function isOwnId({ filled, distinct, values }: SeenColumn, rows: number): boolean {
  const isDifferent = rows > EXACT_ROWS ? distinct >= rows * OF_ONE_FORM : distinct === rows
  return rows >= LEAST_ROWS && filled === rows && isDifferent && values.every(text => CODE.test(text)) && isOfOneForm(values)
}

/** One width, or numbers behind one prefix (`Q95`, `Q1047`). */
function isOfOneForm(values: readonly string[]): boolean {
  const isUsual = (formOf: (text: string) => string): boolean => {
    const counts = new Map<string, number>()
    for (const text of values) counts.set(formOf(text), (counts.get(formOf(text)) ?? 0) + 1)
    return Math.max(...counts.values()) >= values.length * OF_ONE_FORM
  }
  return isUsual(text => String(text.length)) || isUsual(text => text.replace(/(?<!\d)\d+$/, '9'))
}
