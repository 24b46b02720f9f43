/**
 * VAT numbers in the column of organisation numbers, of countries that keep the two apart: their form and check digits show which of the
 * two a number is.
 */
import { chained, eleven, luhnSum, weigh } from './check-digits.ts'
import { normaliseVat } from './identifiers.ts'

const digitsOf = (text: string): number[] => [...text].map(Number)

/** The remainder of a long number of digits. */
const remainder = (digits: string, by: number): number => digitsOf(digits).reduce((rest, digit) => (rest * 10 + digit) % by, 0)

/** Numbers from 100 million on may have a sum that is 42 or 55 too high. */
function britishHolds(number: string): boolean {
  const digits = digitsOf(number.slice(0, 9))
  const rest = (weigh(digits, [8, 7, 6, 5, 4, 3, 2, 10]) + digits[8]!) % 97
  return rest === 0 || rest === 42 || rest === 55
}

const IRISH = 'WABCDEFGHIJKLMNOPQRSTUV'

/** `6433435OA`, and `9Y71814N` of former years, whose first digit counts last. */
function irishHolds(number: string): boolean {
  const isFormer = /^\d[A-Z]/.test(number)
  const digits = digitsOf(isFormer ? `0${number.slice(2, 7)}${number[0]}` : number.slice(0, 7))
  const last = isFormer ? 0 : IRISH.indexOf(number[8] ?? 'W')
  return IRISH[(weigh(digits, [8, 7, 6, 5, 4, 3, 2]) + 9 * last) % 23] === number[7]
}

/** One number has the check digit of a person, another one for the whole number, in which N and L are 23 and 21, and B is 11. */
const dutchHolds = (number: string): boolean =>
  eleven([-9, -8, -7, -6, -5, -4, -3, -2])(digitsOf(number.slice(0, 9))) ||
  remainder(`2321${number.slice(0, 9)}11${number.slice(10)}`, 97) === 1

/** By country, without its prefix. A leading zero would make it an organisation number. */
const FORMS: Readonly<Record<string, readonly [form: RegExp, holds: (number: string) => boolean]>> = {
  AT: [/^U\d{8}$/, number => (luhnSum(digitsOf(number.slice(1, 8))) + 4 + Number(number[8])) % 10 === 0],
  DE: [/^[1-9]\d{8}$/, number => chained(digitsOf(number))],
  GB: [/^[1-9]\d{8}(?:\d{3})?$/, britishHolds],
  IE: [/^\d[A-Z\d]\d{5}[A-W][A-W]?$/, irishHolds],
  NL: [/^\d{9}B\d{2}$/, dutchHolds],
  PL: [/^[1-9]\d{9}$/, number => weigh(digitsOf(number), [6, 5, 7, 2, 3, 4, 5, 6, 7, -1]) % 11 === 0],
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
