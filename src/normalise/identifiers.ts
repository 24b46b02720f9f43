/** Normalises identifiers to one canonical spelling: organisation and VAT numbers, phone digits, mail and web domains, postcodes. */

/** Number of digits of an all-digit organisation number by country. A shorter one has lost leading zeros, usually in a spreadsheet. */
// biome-ignore format: a table reads better in rows
const NUMBER_LENGTHS: Readonly<Record<string, number>> = {
  AT: 6, AU: 9, BE: 10, BG: 9, BR: 14, CZ: 8, DK: 8, EE: 8, FI: 8, FR: 9, GB: 8, GR: 12, HR: 8, HU: 10, IE: 6, IL: 9, IT: 11,
  LT: 9, LV: 11, NL: 8, NO: 9, NZ: 7, PL: 10, PT: 9, RU: 13, SE: 10, SI: 10, SK: 8, TW: 8, UA: 8, US: 9,
}

/** The digits of an all-digit organisation number of this country; null where it has no one length, or is unknown. */
export const numberLength = (country: string): number | null => NUMBER_LENGTHS[country] ?? null

/** Letters that belong to the number behind them: British and German registers, Switzerland, and VAT prefixes. */
const PREFIXES = new Set(
  (
    'AC CE CS FC GE GN GS IC IP LP NC NF NI NL NP OC OE PC RC RS SA SC SF SI SL SO SP SR SZ ZC HRA HRB GNR CHE ' +
    'AT ATU BE BG CY CZ DE DK EE EL ES FI FR GB GR HR HU IE IT LT LU LV MT PL PT RO SE SK XI'
  ).split(' '),
)

/** Swiss and Norwegian numbers of companies that pay VAT, and what stands behind a number in other countries. */
const ENDING = /(?<=\d)(?:MVA|MWST|TVA|IVA|VAT)$/

/** Countries whose organisation numbers are digits alone: letters around them are labels, courts and registers. */
const DIGITS_ALONE = new Set('AU BE BG BR CZ DK EE FI FR HR HU IL IT LT LV NL NO PL PT SE SI SK UA'.split(' '))

const NOT_ASCII = /[^\x00-\x7f]/

const hasDigit = (text: string): boolean => /\d/.test(text)

/**
 * The words of a number in upper case without what is written around it: labels, courts, places (`Company No: 13697141`, `P.IVA`,
 * `KVK-nummer`, `Amtsgericht München HRB 12345`, `RCS Lyon B 484 073 842`, `… MWST`). `own` is the country, whose code is a prefix.
 */
function numberWords(text: string, own: string): string[] {
  const plain = NOT_ASCII.test(text) ? text.normalize('NFKD').replace(/\p{M}+/gu, '') : text
  const words = plain
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter(word => word !== '')
  const first = words.findIndex(hasDigit)
  const last = words.findLastIndex(hasDigit)
  if (first < 0) return []
  const [before = '', further = ''] = [words[first - 1], words[first - 2]]
  // `B 1234567 4` of Spain and `HRB 123 B` of Berlin; `P. I. 123` is a label.
  const isPrefix = PREFIXES.has(before) || (before !== '' && before === own) || (before.length === 1 && further.length !== 1)
  const behind = words[last + 1]?.length === 1 ? 1 : 0
  const number = words.slice(isPrefix ? first - 1 : first, last + 1 + behind)
  return isPrefix && before.length === 1 && PREFIXES.has(further) ? [further, ...number] : number
}

/** Letters and digits in upper case, without labels and a spreadsheet's trailing `.0` or `.00`; '' for placeholders such as `n/a`, `-`, `0000`. */
function stripPunctuation(text: string, country: string): string {
  if (text.length > 60 || text === '') return ''
  if (/^\d+$/.test(text)) return /[1-9]/.test(text) ? text : ''
  const plain = numberWords(text.trim().replace(/^(\d+)[.,]00?$/, '$1'), country)
    .join('')
    .replace(ENDING, '')
  return /[1-9]/.test(plain) ? plain : ''
}

/**
 * An organisation number as the country's register writes it: without punctuation, labels and country prefix, with its leading zeros (GB:
 * eight characters, also after `SC`, `NI`, `OC` …), a SIRET without its establishment. A VAT number becomes the organisation number that
 * it holds. '' for a text without a number.
 */
export function normaliseOrgNumber(text: string, country: string): string {
  let number = stripPunctuation(text, country)
  if (number === '') return ''
  if (country === 'GB') {
    const place = /^\d{1,6}$/.test(number) ? /scotland|northern ireland/i.exec(text)?.[0].toLowerCase() : undefined
    if (place !== undefined) number = (place === 'scotland' ? 'SC' : 'NI') + number
    const lettered = /^([A-Z]{1,2})(\d{1,7})$/.exec(number)
    if (lettered?.[1] !== undefined && lettered[2] !== undefined && lettered[1] !== 'GB') {
      return lettered[1] + lettered[2].padStart(8 - lettered[1].length, '0')
    }
  }
  if (country === 'AT') number = number.replace(/^FN/, '')
  if (country === 'DE') number = number.replace(/^(HR[AB]\d+)[A-Z]$/, '$1')
  if (country === 'CH' && /^\d{9}$/.test(number)) return `CHE${number}`
  if (country === 'FR') number = number.replace(/^FR[A-Z0-9]{2}(?=\d{9}$)/, '')
  if (country === 'RO' || country === 'ES') number = number.replace(country === 'RO' ? /^RO(?=\d)/ : /^ES(?=[A-Z]?\d)/, '')
  if (country === 'RO' && /^\d+$/.test(number)) return number.replace(/^0+/, '')
  const { digits: inner } = (DIGITS_ALONE.has(country) ? /^[A-Z]*(?<digits>\d+)[A-Z]*$/.exec(number)?.groups : null) ?? {}
  if (inner !== undefined) number = inner
  if (country !== '' && number.startsWith(country) && /^\d+$/.test(number.slice(2))) number = number.slice(2)
  if (country === 'FR' && /^\d{14}$/.test(number)) return number.slice(0, 9)
  if (country === 'SE') number = number.replace(/^16(?=\d{10}$)/, '').replace(/^(\d{10})01$/, '$1')
  if (country === 'AU' && /^\d{11}$/.test(number)) return number.slice(2)
  const digits = NUMBER_LENGTHS[country]
  // A list padded to the width of one country has too many zeros for the others.
  return digits !== undefined && /^\d+$/.test(number) ? number.replace(/^0+/, '').padStart(digits, '0') : number
}

/** A VAT number with its two-letter prefix, taken from the country when it is missing; Greek `EL` becomes `GR`. */
export function normaliseVat(text: string, country: string): string {
  // `No. 123` is a number of any country, `NO 123 MVA` a Norwegian one.
  const home = country === '' && /\dMVA$/.test(text.toUpperCase().replace(/[^A-Z0-9]+/g, '')) ? 'NO' : country
  const number = stripPunctuation(text, home === 'GR' ? 'EL' : home)
  if (number === '') return ''
  const prefixed = /^[A-Z]{2}/.test(number) ? number : home + number
  const same = prefixed.startsWith('EL') ? `GR${prefixed.slice(2)}` : prefixed
  return /^GB\d{12}$/.test(same) ? same.slice(0, 11) : same
}

/** Countries whose VAT number holds the organisation number, by law. */
const SAME_NUMBER = new Set('BE BG CH CZ DK ES FI FR HR IT LV NO PT RO SE'.split(' '))

/** Lengths of the number in a VAT number, where numbers of people are longer. */
const COMPANY_DIGITS: Readonly<Record<string, number>> = { BG: 9, CZ: 8 }

/** The organisation number in a canonical VAT number; '' where the law keeps the two apart. */
export function orgNumberOfVat(vatNumber: string): string {
  const country = vatNumber.slice(0, 2)
  if (!SAME_NUMBER.has(country)) return ''
  const length = COMPANY_DIGITS[country]
  if (length !== undefined && vatNumber.length !== length + 2) return ''
  return normaliseOrgNumber(country === 'CH' ? vatNumber.replace(/^CH(?:E)?/, '') : vatNumber, country)
}

/** The last eight digits of a phone number, which do not depend on the spelling of prefixes; '' for fewer than seven digits. */
export function phoneDigits(text: string): string {
  if (text.length > 60) return ''
  const digits = text.replace(/(?:ext|x)\.?\s?\d{1,6}$/i, '').replace(/\D+/g, '')
  return digits.length < 7 || /^(\d)\1*$/.test(digits) ? '' : digits.slice(-8)
}

const SHARED_HOSTS = new Set(
  (
    'gmail googlemail hotmail outlook live msn yahoo ymail aol icloud me mac gmx web t-online freenet arcor orange wanadoo free laposte sfr ' +
    'libero virgilio tin alice tiscali btinternet btconnect sky talktalk virginmedia ntlworld blueyonder protonmail proton zoho mail yandex ' +
    'rambler qq 163 126 sina naver daum hanmail seznam wp o2 onet interia bigpond optusnet comcast verizon att sbcglobal bellsouth shaw ' +
    'rogers telenet skynet planet kpnmail ziggo xs4all hetnet bluewin telia facebook linkedin twitter instagram x wixsite wordpress ' +
    'blogspot weebly google example'
  ).split(' '),
)

/** The registrable domain of a web or mail address, `acme.co.uk`; '' without a domain and for shared hosts. */
export function domainOf(text: string): string {
  if (text.length > 300) return ''
  const address = text.trim().toLowerCase()
  const host = (address.includes('@') ? address.slice(address.lastIndexOf('@') + 1) : address)
    .replace(/^[a-z]+:\/\//, '')
    .split(/[/?#:\s]/, 1)[0]
  if (host === undefined || !/^[\p{L}\p{N}.-]+$/u.test(host)) return ''
  const labels = host.split('.').filter(label => label !== '')
  if (labels.length < 2) return ''
  const last = labels.at(-1) ?? ''
  const second = labels.at(-2) ?? ''
  // `co.uk`, `com.au`, `org.br`: a short label below a country belongs to the registry.
  const kept = last.length === 2 && labels.length > 2 && (second.length <= 3 || second === 'gouv') ? 3 : 2
  const own = labels.slice(-kept)
  return SHARED_HOSTS.has(own[0] ?? '') ? '' : own.join('.')
}

/** A postcode in upper case without spaces or hyphens; '' for a text without a digit or longer than any postcode. */
export function normalisePostcode(text: string): string {
  if (text.length > 20) return ''
  const plain = text.toUpperCase().replace(/[^A-Z0-9]+/g, '')
  return /\d/.test(plain) && plain.length <= 10 ? plain : ''
}

/** The district of a canonical postcode: the outward part of a British one, the first three characters elsewhere. */
export const postcodeArea = (postcode: string): string =>
  /^[A-Z]{1,2}\d[A-Z0-9]?\d[A-Z]{2}$/.test(postcode) ? postcode.slice(0, -3) : postcode.slice(0, 3)
