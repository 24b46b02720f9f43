/**
 * Converts country names and codes to ISO 3166-1 alpha-2. countries.json has, by alpha-2 code, the alpha-3 code and the names in
 * English, the local language and seven further languages (ISO and Unicode CLDR) and usual short names, in normalised spelling.
 */
import countries from './countries.json' with { type: 'json' }
import { normaliseText } from './text.ts'

/** Alpha-2 code to the alpha-3 code and the names, separated by `|`. */
export const COUNTRIES: Readonly<Record<string, string>> = countries

const BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries(COUNTRIES).flatMap(([code, names]) => [code.toLowerCase(), ...names.split('|')].map(name => [name, code])),
)

/** Names and codes in normalised spelling. */
export const COUNTRY_NAMES: readonly string[] = [...BY_NAME.keys()]

/** The country of a name or code that is normalised already; '' for any other text. */
export const countryNamed = (normalised: string): string => BY_NAME.get(normalised) ?? ''

/**
 * The ISO 3166-1 alpha-2 code of a country given as alpha-2, alpha-3, English or local name or a usual short name (contract §5.4);
 * '' for any other text.
 */
export function normaliseCountry(text: string): string {
  if (text === '') return ''
  const known = BY_NAME.get(text.toLowerCase())
  if (known !== undefined) return known
  // `Korea, North` of an index is `North Korea`.
  const [, last = '', first = ''] = /^([^,]+),([^,]+)$/.exec(text) ?? []
  for (const name of [text, `${first} ${last}`]) {
    const normalised = normaliseText(name)
    const code = BY_NAME.get(normalised) ?? BY_NAME.get(normalised.replace(/^(?:the|republic of|kingdom of) /, ''))
    if (code !== undefined) return code
  }
  return ''
}
