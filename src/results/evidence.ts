/** Names, numbers, places and countries of a company, from the cells of a row or the tags of an answer, in the forms of matching. */
import { parseCompanyName } from '../normalise/company-name.ts'
import { normaliseCountry } from '../normalise/country.ts'
import { splitWords } from '../normalise/text.ts'

/** `id`: begins with the country, and ends with a number of the company, as in GB-0-01234567. */
export type Kind = 'name' | 'number' | 'place' | 'country' | 'id'

export interface Evidence {
  /** The core words of each name. */
  readonly names: readonly (readonly string[])[]
  readonly numbers: ReadonlySet<string>
  readonly places: ReadonlySet<string>
  readonly countries: ReadonlySet<string>
}

/** The kind of evidence in the cells of a mapping. */
export function kindOfMapping(mapping: string): Kind | null {
  if (/countr/i.test(mapping)) return 'country'
  if (/name/i.test(mapping)) return 'name'
  if (/number|companyid|tax|lei$|safe|duns/i.test(mapping)) return 'number'
  return /address|street|town|city|region|state|province|post|zip/i.test(mapping) ? 'place' : null
}

/** The kind of evidence in a column of the service, about the company itself. */
export const kindOfTag = (tag: string): Kind | null => {
  if (/connectId$/i.test(tag)) return 'id'
  if (/^contact\.country$/i.test(tag)) return 'country'
  if (/^contact\./i.test(tag)) return /address|street|city|region|state|province|post(?:al)?code|zip/i.test(tag) ? 'place' : null
  if (!/^general\./i.test(tag) || /row ?number$/i.test(tag)) return null
  if (/(?:company|legal|trading|trade|alias)Name/i.test(tag) || /acronym$/i.test(tag)) return 'name'
  return /(?:number|companyId|siren|siret|rsin|taxCode|\blei)$/i.test(tag) && !/safeNumber$/i.test(tag) ? 'number' : null
}

export function evidenceIn(columns: readonly (readonly [Kind, number])[], row: readonly string[]): Evidence {
  const names: (readonly string[])[] = []
  const numbers = new Set<string>()
  const places = new Set<string>()
  const countries = new Set<string>()
  for (const [kind, at] of columns) {
    const cell = row[at] ?? ''
    if (cell.trim() === '') continue
    const [, country = '', end = ''] = kind === 'id' ? (/^([A-Z]{2})-(?:.*-)?([^-]+)$/.exec(cell) ?? []) : []
    const number = numberIn(kind === 'id' ? end : cell)
    if (kind === 'id' || kind === 'country') {
      const code = kind === 'id' ? country : normaliseCountry(cell)
      if (code !== '') countries.add(code)
    }
    if (kind === 'name') {
      const { words } = parseCompanyName(cell)
      if (words.length > 0) names.push(words)
    } else if (kind === 'number' || kind === 'id') {
      if (number.length > 3) numbers.add(number)
    } else if (kind === 'place') for (const word of splitWords(cell)) if (word.length > 2) places.add(word)
  }
  return { names, numbers, places, countries }
}

/** Letters and digits, without leading zeros. */
const numberIn = (cell: string): string =>
  cell
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .replace(/^0+/, '')

export const hasShared = (values: ReadonlySet<string>, others: ReadonlySet<string>): boolean => {
  for (const value of values) if (others.has(value)) return true
  return false
}
