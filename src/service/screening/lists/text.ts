/** Cells of published lists read into what an entry holds: several values, dates, countries. Pure; it knows no list. */
import { normaliseCountry } from '../../../normalise/country.ts'

/** The values of a cell that holds several, trimmed, each once. */
export const several = (cell: string, separator: string | RegExp): string[] =>
  [...new Set(cell.split(separator).map(one => one.trim()))].filter(one => one !== '')

/** The alpha-2 codes of countries given in words or codes; what is no country goes. */
export const countriesOf = (texts: readonly string[]): string[] =>
  [...new Set(texts.map(text => normaliseCountry(text)))].filter(code => code !== '')

const isDay = (text: string): boolean => new Date(Date.parse(`${text}T00:00:00Z`) || 0).toISOString().startsWith(text)

/**
 * A date as `YYYY-MM-DD`, or `YYYY` where no more is known; '' for none. Read are ISO dates (a month alone counts as its year, a time
 * is cut off) and the British `31/01/1970`, whose day and month may be unknown (`dd/mm/1970`, `00/00/1970`).
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

/** The dates of several texts, each once. */
export const datesOf = (texts: readonly string[]): string[] => [...new Set(texts.map(dateOf))].filter(date => date !== '')

/** The parts of a text joined, those that are empty left out. */
export const joined = (parts: readonly string[], separator = ' '): string =>
  parts
    .map(part => part.trim())
    .filter(part => part !== '')
    .join(separator)
