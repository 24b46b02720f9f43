/** Parses cells of published lists: several values, dates, countries. */
import { normaliseCountry } from '../../../normalise/country.ts'

export const splitValues = (cell: string, separator: string | RegExp): string[] =>
  [...new Set(cell.split(separator).map(one => one.trim()))].filter(one => one !== '')

/** The alpha-2 codes of countries given by name or code; other texts are dropped. */
export const countriesOf = (texts: readonly string[]): string[] =>
  [...new Set(texts.map(text => normaliseCountry(text)))].filter(code => code !== '')

const isDay = (text: string): boolean => new Date(Date.parse(`${text}T00:00:00Z`) || 0).toISOString().startsWith(text)

/**
 * A date as `YYYY-MM-DD`, or `YYYY` if only the year is known; '' for any other text. Accepts ISO dates (a month is reduced to its year,
 * a time is cut off) and the British `31/01/1970`, whose day and month may be unknown (`dd/mm/1970`, `00/00/1970`).
 */
export function dateOf(text: string): string {
  const trimmed = text.trim()
  const [, isoYear, rest = ''] = /^(\d{4})(-\d{2}(?:-\d{2})?)?(?:[T ].*)?$/.exec(trimmed) ?? []
  const [, day = '', month = '', britishYear] = /^(\d{1,2}|dd)[/.](\d{1,2}|mm)[/.](\d{4})$/i.exec(trimmed) ?? []
  const year = isoYear ?? britishYear
  if (year === undefined) return ''
  const full = isoYear === undefined ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : year + rest
  return full.length === 10 && isDay(full) ? full : year
}

export const datesOf = (texts: readonly string[]): string[] => [...new Set(texts.map(dateOf))].filter(date => date !== '')

/** Joins the parts that are not empty. */
export const joined = (parts: readonly string[], separator = ' '): string =>
  parts
    .map(part => part.trim())
    .filter(part => part !== '')
    .join(separator)
