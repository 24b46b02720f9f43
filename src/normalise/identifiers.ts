/**
 * Normalises identifiers to one canonical spelling: organisation and VAT numbers, phone digits, mail and web domains, postcodes.
 */

/** Number of digits of an all-digit organisation number by country. A shorter one has lost leading zeros, usually in a spreadsheet. */
// biome-ignore format: a table reads better in rows
const NUMBER_LENGTHS: Readonly<Record<string, number>> = {
  AT: 6, AU: 9, BE: 10, BG: 9, BR: 14, CZ: 8, DK: 8, EE: 8, FI: 8, FR: 9, GB: 8, GR: 12, HR: 8, HU: 10, IE: 6, IL: 9, IT: 11,
  LT: 9, LV: 11, NL: 8, NO: 9, NZ: 7, PL: 10, PT: 9, RU: 13, SE: 10, SI: 10, SK: 8, TW: 8, UA: 8, US: 9,
}

/** The digits of an all-digit organisation number of this country; null where it has no one length, or is unknown. */
export const numberLength = (country: string): number | null => NUMBER_LENGTHS[country] ?? null

/** Labels before a number: `Reg. 13697141`, `Company No: 13697141`, `KvK 12345678`. */
const LABELS =
  /^(?:(?:company|co|reg|regd|registration|registered|registry|number|no|nr|num|crn|siren|siret|kvk|cvr|ein|krs|nip|ico|vat|ust|idnr|tva|btw|mwst|org)[\s.:#°-]{1,3}){1,3}(?=[A-Z]{0,2}\s?\d)/i

/** Letters and digits in upper case, without a spreadsheet's trailing `.0` or `.00`; '' for placeholders such as `n/a`, `-`, `0000`. */
function stripPunctuation(text: string): string {
  if (text.length > 60) return ''
  const plain = text
    .normalize('NFKC')
    .trim()
    .replace(LABELS, '')
    .replace(/^(\d+)[.,]00?$/, '$1')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '')
  return /[1-9]/.test(plain) ? plain : ''
}

/**
 * An organisation number as the country's register writes it: without punctuation and country prefix, with its leading zeros (GB: eight
 * characters, also after `SC`, `NI`, `OC` …), a SIRET without its establishment. '' for a text without a number.
 */
export function normaliseOrgNumber(text: string, country: string): string {
  let number = stripPunctuation(text)
  if (number === '') return ''
  if (country === 'GB') {
    const lettered = /^([A-Z]{1,2})(\d{1,7})$/.exec(number)
    if (lettered?.[1] !== undefined && lettered[2] !== undefined && lettered[1] !== 'GB') {
      return lettered[1] + lettered[2].padStart(8 - lettered[1].length, '0')
    }
  }
  if (country === 'AT') number = number.replace(/^FN/, '')
  if (country === 'NO') number = number.replace(/MVA$/, '')
  if (country !== '' && number.startsWith(country) && /^\d+$/.test(number.slice(2))) number = number.slice(2)
  if (country === 'FR' && /^\d{14}$/.test(number)) return number.slice(0, 9)
  if (country === 'SE' && /^16\d{10}$/.test(number)) return number.slice(2)
  const digits = NUMBER_LENGTHS[country]
  // A list padded to the width of one country has too many zeros for the others.
  return digits !== undefined && /^\d+$/.test(number) ? number.replace(/^0+/, '').padStart(digits, '0') : number
}

/** A VAT number with its two-letter prefix, taken from the country when it is missing; Greek `EL` becomes `GR`. */
export function normaliseVat(text: string, country: string): string {
  const number = stripPunctuation(text)
  if (number === '') return ''
  const prefixed = /^[A-Z]{2}/.test(number) ? number : country + number
  const same = prefixed.startsWith('EL') ? `GR${prefixed.slice(2)}` : prefixed
  return /^GB\d{12}$/.test(same) ? same.slice(0, 11) : same
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
  const labels = (host ?? '').split('.').filter(label => label !== '')
  if (labels.length < 2 || !labels.every(label => /^[\p{L}\p{N}-]+$/u.test(label))) return ''
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
