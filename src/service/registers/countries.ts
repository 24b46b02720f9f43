/** Validates the countries in requests against the ISO list and names them. */
import { COUNTRIES } from '../../normalise/country.ts'
import { badRequest } from '../refusal.ts'

const NAMES = new Intl.DisplayNames(['en'], { type: 'region' })

/** The English name of an alpha-2 code. */
export const countryName = (code: string): string => NAMES.of(code) ?? code

/** Returns the code in upper case. Throws a 400 for any other text than an alpha-2 code or one of `also`. */
export function requireCountry(text: string, parameter: string, also: readonly string[] = []): string {
  // Not ß, whose capitals are SS.
  const code = text.replace(/[a-z]/g, letter => letter.toUpperCase())
  if (Object.hasOwn(COUNTRIES, code) || also.includes(code)) return code
  throw badRequest(
    'The request is not acceptable',
    `${parameter}: ${JSON.stringify(text.slice(0, 80))} is not an ISO 3166 alpha-2 code`,
  )
}
