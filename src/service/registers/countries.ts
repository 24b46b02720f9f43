/** Countries as requests name them: checked against the ISO list, and told in words. */
import { COUNTRIES } from '../../normalise/country.ts'
import { badRequest } from '../refusal.ts'

const NAMES = new Intl.DisplayNames(['en'], { type: 'region' })

/** The English name of an alpha-2 code. */
export const countryName = (code: string): string => NAMES.of(code) ?? code

/** The code in capitals. Throws a 400 naming the parameter when it is no alpha-2 code; `also` are words that may stand for one. */
export function requireCountry(text: string, parameter: string, also: readonly string[] = []): string {
  const code = text.toUpperCase()
  if (Object.hasOwn(COUNTRIES, code) || also.includes(code)) return code
  throw badRequest(
    'The request is not acceptable',
    `${parameter}: ${JSON.stringify(text.slice(0, 80))} is no ISO 3166 alpha-2 code`,
  )
}
