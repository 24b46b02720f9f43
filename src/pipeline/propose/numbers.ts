/**
 * Recognises numbers of companies: VAT numbers by country, and registration numbers with a check digit, by the published rules of
 * the registers.
 */

/** VAT numbers behind their country's letters (the member states' formats of VIES, and the formats of GB, CH and NO). */
// biome-ignore format: a table reads better in rows
const VAT: Readonly<Record<string, RegExp>> = {
  AT: /^U\d{8}$/, BE: /^[01]?\d{9}$/, BG: /^\d{9,10}$/, CH: /^E\d{9}(MWST|TVA|IVA)?$/, CY: /^\d{8}[A-Z]$/, CZ: /^\d{8,10}$/,
  DE: /^\d{9}$/, DK: /^\d{8}$/, EE: /^\d{9}$/, EL: /^\d{9}$/, ES: /^[A-Z0-9]\d{7}[A-Z0-9]$/, FI: /^\d{8}$/, FR: /^[A-Z0-9]{2}\d{9}$/,
  GB: /^(\d{9}|\d{12}|GD\d{3}|HA\d{3})$/, GR: /^\d{9}$/, HR: /^\d{11}$/, HU: /^\d{8}$/, IE: /^\d[A-Z0-9+*]\d{5}[A-Z]{1,2}$/,
  IT: /^\d{11}$/, LT: /^(\d{9}|\d{12})$/, LU: /^\d{8}$/, LV: /^\d{11}$/, MT: /^\d{8}$/, NL: /^\d{9}B\d{2}$/,
  NO: /^\d{9}(MVA)?$/, PL: /^\d{10}$/, PT: /^\d{9}$/, RO: /^\d{2,10}$/, SE: /^\d{12}$/, SI: /^\d{8}$/, SK: /^\d{10}$/, XI: /^\d{9}$/,
}

const bare = (text: string): string => text.toUpperCase().replace(/[\s.\-/]/g, '')

export function isVat(text: string): boolean {
  const number = bare(text)
  return VAT[number.slice(0, 2)]?.test(number.slice(2)) === true
}

const sum = (digits: string, weights: readonly number[]): number =>
  weights.reduce((total, weight, at) => total + weight * Number(digits[at]), 0)

function luhn(digits: string): boolean {
  let total = 0
  for (const [at, digit] of [...digits].reverse().entries()) {
    const value = Number(digit) * (at % 2 === 1 ? 2 : 1)
    total += value > 9 ? value - 9 : value
  }
  return total % 10 === 0
}

const mod11 = (digits: string, weights: readonly number[]): boolean => sum(digits, weights) % 11 === 0

/** Numbers that prove themselves; one taken at random passes in one of ten cases at most. */
export const SCHEMES: readonly {
  readonly name: string
  readonly target: 'orgNumber' | 'vatNumber'
  readonly form: RegExp
  readonly isRight: (digits: string) => boolean
}[] = [
  { name: 'SIREN', target: 'orgNumber', form: /^\d{9}$/, isRight: luhn },
  { name: 'SIRET', target: 'orgNumber', form: /^\d{14}$/, isRight: luhn },
  { name: 'organisationsnummer', target: 'orgNumber', form: /^(16)?\d{10}$/, isRight: digits => luhn(digits.slice(-10)) },
  {
    name: 'organisasjonsnummer',
    target: 'orgNumber',
    form: /^[89]\d{8}$/,
    isRight: digits => mod11(digits, [3, 2, 7, 6, 5, 4, 3, 2, 1]),
  },
  { name: 'CVR', target: 'orgNumber', form: /^[1-9]\d{7}$/, isRight: digits => mod11(digits, [2, 7, 6, 5, 4, 3, 2, 1]) },
  { name: 'Y-tunnus', target: 'orgNumber', form: /^\d{8}$/, isRight: digits => mod11(digits, [7, 9, 10, 5, 8, 4, 2, 1]) },
  {
    name: 'KBO',
    target: 'orgNumber',
    form: /^[01]\d{9}$/,
    isRight: digits => 97 - (Number(digits.slice(0, 8)) % 97) === Number(digits.slice(8)),
  },
  { name: 'IČO', target: 'orgNumber', form: /^\d{8}$/, isRight: isIco },
  {
    name: 'NIP',
    target: 'vatNumber',
    form: /^[1-9]\d{9}$/,
    isRight: letters => sum(letters, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === Number(letters[9]),
  },
  { name: 'partita IVA', target: 'vatNumber', form: /^\d{11}$/, isRight: luhn },
]

function isIco(digits: string): boolean {
  const rest = sum(digits, [8, 7, 6, 5, 4, 3, 2]) % 11
  return (11 - rest) % 10 === Number(digits[7])
}

/** A number without its separators and the suffix of Norway; '' when something else than digits is left. */
export const digitsOf = (text: string): string => {
  const plain = bare(text).replace(/^NO(?=\d{9})|MVA$/g, '')
  return /^\d+$/.test(plain) ? plain : ''
}

/** A British number of those that are not all digits: Scotland, Northern Ireland, partnerships … */
export const isBritishLettered = (text: string): boolean =>
  /^(SC|NI|OC|SO|NC|LP|SL|NL|FC|IP|RS|R0|GE|CE)\d{6}$/i.test(text.trim())

/** IBAN, by its own check; it must not be taken for a number of the company. */
export function isIban(text: string): boolean {
  const plain = bare(text)
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(plain)) return false
  const moved = plain.slice(4) + plain.slice(0, 4)
  let rest = 0
  for (const char of moved) {
    const value = Number.parseInt(char, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}
