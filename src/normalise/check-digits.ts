/**
 * Check digits of organisation numbers and VAT numbers, by country. They show that a number has a typing error (nearly every wrong or swapped
 * digit makes the check fail), and which of the two it is, where a country keeps them apart.
 */
import { normaliseVat } from './identifiers.ts'

type Check = (digits: readonly number[]) => boolean

const weigh = (digits: readonly number[], weights: readonly number[]): number =>
  weights.reduce((sum, weight, at) => sum + weight * digits[at]!, 0)

/** The last digit completes the weighted sum to a multiple of 11, or to one and `rest`. Ten, which is not a digit, is written as `ten`. */
const eleven =
  (weights: readonly number[], { rest = 0, ten = 10 } = {}): Check =>
  digits => {
    const last = (11 + rest - (weigh(digits, weights) % 11)) % 11
    return (last === 10 ? ten : last) === digits.at(-1)
  }

/** As `eleven`, but a sum that is a multiple of 11 has the check digit 1 (Czech Republic, Slovakia). */
const elevenOrOne: Check = digits => (11 - (weigh(digits, [8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === digits.at(-1)

/** Rising weights; if ten remains, the weights start two higher. */
const rising: Check = digits => {
  const body = digits.slice(0, -1)
  const rest = (first: number): number => body.reduce((sum, digit, at) => sum + digit * (at + first), 0) % 11
  return (rest(1) === 10 ? rest(3) % 10 : rest(1)) === digits.at(-1)
}

/** Every second digit from the right is doubled. */
const luhnSum = (digits: readonly number[]): number =>
  digits.reduce((sum, digit, at) => {
    const value = (digits.length - at) % 2 === 0 ? digit * 2 : digit
    return sum + (value > 9 ? value - 9 : value)
  }, 0)

const luhn: Check = digits => luhnSum(digits) % 10 === 0

/** ISO 7064, mod 11,10. */
const chained: Check = digits => {
  let rest = 10
  for (const digit of digits.slice(0, -1)) rest = (((rest + digit) % 10 || 10) * 2) % 11
  return (rest + digits.at(-1)!) % 10 === 1
}

const TWELVE = [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]
const cnpj = (weights: readonly number[]): Check => eleven(weights, { ten: 0 })

/** The number of digits and their check. The numbers of other countries have none, or none that all of them follow. */
const CHECKS: Readonly<Record<string, readonly [length: number, check: Check]>> = {
  AU: [9, digits => (10 - (weigh(digits, [8, 7, 6, 5, 4, 3, 2, 1]) % 10)) % 10 === digits[8]],
  BE: [10, digits => 97 - (Number(digits.slice(0, 8).join('')) % 97) === digits[8]! * 10 + digits[9]!],
  BG: [9, rising],
  BR: [14, digits => cnpj(TWELVE)(digits.slice(0, 13)) && cnpj([6, ...TWELVE])(digits)],
  CH: [9, eleven([5, 4, 3, 2, 7, 6, 5, 4])],
  CZ: [8, elevenOrOne],
  DK: [8, eleven([2, 7, 6, 5, 4, 3, 2])],
  EE: [8, rising],
  FI: [8, eleven([7, 9, 10, 5, 8, 4, 2])],
  FR: [9, luhn],
  HR: [11, chained],
  IL: [9, luhn],
  IT: [11, luhn],
  LV: [11, eleven([9, 1, 4, 8, 3, 10, 2, 5, 7, 6], { rest: 3 })],
  NO: [9, eleven([3, 2, 7, 6, 5, 4, 3, 2])],
  PT: [9, eleven([9, 8, 7, 6, 5, 4, 3, 2], { ten: 0 })],
  RO: [10, eleven([7, 5, 3, 2, 1, 7, 5, 3, 2], { ten: 0 })],
  SE: [10, luhn],
  SK: [8, elevenOrOne],
}

/**
 * Whether the check digits of an organisation number in canonical form are right; null where the country has none, and for a number of
 * another kind.
 */
export function checkDigitsHold(number: string, country: string): boolean | null {
  if (country === 'ES') {
    // A letter, seven digits, and a digit or the letter for it.
    const [, body, last] = /^[A-Z](\d{7})([\dA-J])$/.exec(number) ?? []
    if (body === undefined || last === undefined) return null
    const digit = 'JABCDEFGHI'.indexOf(last)
    return luhn([...`${body}${digit < 0 ? last : digit}`].map(Number))
  }
  const [length, check] = CHECKS[country] ?? []
  const digits = country === 'CH' ? number.replace(/^CHE/, '') : country === 'RO' ? number.padStart(10, '0') : number
  if (check === undefined || digits.length !== length || !/^\d+$/.test(digits)) return null
  return check([...digits].map(Number))
}

/** One digit or letter is another, is missing, or two neighbours are swapped. */
export function isOneSlipApart(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (long.length - short.length > 1 || a === b) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at++
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1)
  if (short.slice(at + 1) === long.slice(at + 1)) return true
  return short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2)
}

const readDigits = (text: string): number[] => [...text].map(Number)

/** The remainder of a long number of digits. */
const remainder = (digits: string, by: number): number => readDigits(digits).reduce((rest, digit) => (rest * 10 + digit) % by, 0)

/** Numbers from 100 million on may have a sum that is 42 or 55 too high. */
function britishHolds(number: string): boolean {
  const digits = readDigits(number.slice(0, 9))
  const rest = (weigh(digits, [8, 7, 6, 5, 4, 3, 2, 10]) + digits[8]!) % 97
  return rest === 0 || rest === 42 || rest === 55
}

const IRISH = 'WABCDEFGHIJKLMNOPQRSTUV'

/** `6433435OA`, and `9Y71814N` of former years, whose first digit counts last. */
function irishHolds(number: string): boolean {
  const isFormer = /^\d[A-Z]/.test(number)
  const digits = readDigits(isFormer ? `0${number.slice(2, 7)}${number[0]}` : number.slice(0, 7))
  const last = isFormer ? 0 : IRISH.indexOf(number[8] ?? 'W')
  return IRISH[(weigh(digits, [8, 7, 6, 5, 4, 3, 2]) + 9 * last) % 23] === number[7]
}

/** One number has the check digit of a person, a different number the check digit of the whole, where N and L are 23 and 21, and B is 11. */
const dutchHolds = (number: string): boolean =>
  eleven([-9, -8, -7, -6, -5, -4, -3, -2])(readDigits(number.slice(0, 9))) ||
  remainder(`2321${number.slice(0, 9)}11${number.slice(10)}`, 97) === 1

/** By country, without its prefix. A leading zero would make it an organisation number. */
const FORMS: Readonly<Record<string, readonly [form: RegExp, holds: (number: string) => boolean]>> = {
  AT: [/^U\d{8}$/, number => (luhnSum(readDigits(number.slice(1, 8))) + 4 + Number(number[8])) % 10 === 0],
  DE: [/^[1-9]\d{8}$/, number => chained(readDigits(number))],
  GB: [/^[1-9]\d{8}(?:\d{3})?$/, britishHolds],
  IE: [/^\d[A-Z\d]\d{5}[A-W][A-W]?$/, irishHolds],
  NL: [/^\d{9}B\d{2}$/, dutchHolds],
  PL: [/^[1-9]\d{9}$/, number => weigh(readDigits(number), [6, 5, 7, 2, 3, 4, 5, 6, 7, -1]) % 11 === 0],
}

/**
 * The canonical VAT number of a text that has the form of one and its prefix, or without a prefix the form and check digits of one of the
 * row's country; '' for another text, and for countries whose VAT number holds the organisation number.
 */
export function vatNumberIn(text: string, country: string): string {
  if (text === '') return ''
  const number = normaliseVat(text, country)
  const [form, holds] = FORMS[number.slice(0, 2)] ?? []
  if (form === undefined || holds === undefined || !form.test(number.slice(2))) return ''
  return normaliseVat(text, '') === number || holds(number.slice(2)) ? number : ''
}
