/** Values of the enrichment tags from the register. Tags without a source stay empty (contract §5.7, §14.1). */
import { hash } from 'node:crypto'
import { type Product, TAGS } from '../../contract/index.ts'
import type { Company, Figure } from '../matching/types.ts'
import COLUMNS from './company-columns.json' with { type: 'json' }
import type { RowResult } from './row-results.ts'

const BANDING: Readonly<Record<string, string>> = {
  A: 'certain',
  B: 'very likely',
  C: 'likely',
  D: 'possible',
  E: 'weak',
  F: 'none',
}

/**
 * The service's number of a company: a country prefix as in the vendor's numbers (`UK` for GB), and digits derived from the
 * connectId.
 */
export const safeNumber = ({ connectId, country, safeDigits = 15 }: Company): string => {
  const digest = hash('sha256', connectId, 'buffer').readBigUInt64BE()
  const digits = (digest % 10n ** BigInt(safeDigits)).toString().padStart(safeDigits, '0')
  return `${country === 'GB' ? 'UK' : country || 'XX'}${digits}`
}

function readText(company: Company, key: string): string {
  const value = company[key as keyof Company] ?? ''
  return Array.isArray(value) ? value.join(' | ') : String(value)
}

const ofCountry =
  (country: string) =>
  (company: Company): string =>
    company.country === country ? company.orgNumber : ''

const ACTIVE = /^(?:active|aktiv|open|live|registered|current)/i

export const isActiveStatus = (status: string): boolean => ACTIVE.test(status)

/** Y for a company that trades, N for any other status, '' without a status. */
const active = ({ status }: Company): string => (status === '' ? '' : isActiveStatus(status) ? 'Y' : 'N')

/** Code and description of an activity: `62012 Business and domestic software development`. */
export const splitActivity = (activity: string): { readonly code: string; readonly description: string } => {
  const [code = '', ...words] = activity.split(' ')
  return /^[0-9.]+$/.test(code) ? { code, description: words.join(' ') } : { code: '', description: activity }
}

const activity =
  (at: number, part: 'code' | 'description') =>
  ({ activities = [] }: Company): string =>
    splitActivity(activities[at] ?? '')[part]

/** Tags of the first activity have no number. */
const ACTIVITIES: Readonly<Record<string, (company: Company) => string>> = Object.fromEntries([
  ...['', '2', '3', '4', '5'].map((number, at) => [`general.principalActivity${number}`, activity(at, 'description')] as const),
  ...['', '2', '3'].flatMap((number, at) => [
    [`general.activityCode${number}`, activity(at, 'code')] as const,
    [`general.activityCode${number}Desc.en`, activity(at, 'description')] as const,
  ]),
])

const OF_COMPANY: Readonly<Record<string, (company: Company) => string>> = {
  ...Object.fromEntries(Object.entries(COLUMNS.tags).map(([tag, key]) => [tag, (company: Company) => readText(company, key)])),
  ...ACTIVITIES,
  ...Object.fromEntries(
    Object.entries(COLUMNS.figures).map(([tag, name]) => [tag, ({ figures = {} }: Company) => figures[name as Figure] ?? '']),
  ),
  'general.safeNumber': safeNumber,
  'general.siren': ofCountry('FR'),
  'general.kvkNumber': ofCountry('NL'),
  'general.tradingName': company => company.tradingNames[0] ?? '',
  'general.tradeName': company => company.tradingNames[0] ?? '',
  'general.active': active,
  ...Object.fromEntries(
    (['parent', 'ultimate'] as const).flatMap(step => {
      const name = step === 'parent' ? 'group.parent' : 'group.ultimateParent'
      return (['id', 'name', 'country'] as const).map(
        part => [`${name}.${part}`, ({ group }: Company) => group?.[step]?.[part] ?? ''] as const,
      )
    }),
  ),
  'contact.eircode': company => (company.country === 'IE' ? company.postcode : ''),
}

const OF_ROW: Readonly<Record<string, (result: RowResult) => string>> = {
  'general.rowNumber': result => String(result.row),
  'general.duplicate': result => (result.outcome === 'duplicate' ? 'Y' : 'N'),
  'general.duplicateId': result => (result.first === null ? '' : String(result.first)),
  'general.pattern': result => result.pattern,
  'general.banding': result => result.banding,
  'general.bandingDesc': result => BANDING[result.banding] ?? '',
}

/** A director of a company by the columns of a file of officers. */
type Director = Readonly<Record<string, string>>
/** The current directors of a company, by its connectId. */
export type DirectorsOf = (connectId: string) => readonly Director[]

const NO_DIRECTORS: DirectorsOf = () => []

export const isOfDirectors = (tag: string): boolean => Object.hasOwn(COLUMNS.directors, tag)

/** One value for each director, in one order for all tags: with empty ones, so that a date belongs to the name at its place. */
function readDirectors(tag: string, directors: readonly Director[]): string {
  const column = COLUMNS.directors[tag as keyof typeof COLUMNS.directors]
  const values = directors.map(director => (director[column] ?? '').replace(/[|;\s]+/g, ' ').trim())
  return values.every(value => value === '') ? '' : values.join(' | ')
}

const readTag = (tag: string, company: Company, directorsOf: DirectorsOf): string =>
  isOfDirectors(tag) ? readDirectors(tag, directorsOf(company.connectId)) : (OF_COMPANY[tag]?.(company) ?? '')

/** The value of a tag for a row; '' without a company or a value. */
export function tagValue(tag: string, result: RowResult, company: Company | null, directorsOf: DirectorsOf): string {
  const row = OF_ROW[tag]
  if (row !== undefined) return row(result)
  return company === null ? '' : readTag(tag, company, directorsOf)
}

/** The non-empty values of the tags that depend on the company alone. */
export function readTags(company: Company, tags: readonly string[], directorsOf = NO_DIRECTORS): Record<string, string> {
  const values = tags.map(tag => [tag, readTag(tag, company, directorsOf)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== ''))
}

/** The non-empty fields of a company under the mapping names (contract §5.4), and its status. */
export const readFields = (company: Company): Record<string, string> =>
  Object.fromEntries(
    Object.entries(COLUMNS.fields)
      .map(([name, key]) => [name, readText(company, key)] as const)
      .filter(([, value]) => value !== ''),
  )

/** Sorts tags into the order of the service. */
export const inListOrder = (tags: readonly string[]): string[] => TAGS.standard.filter(tag => tags.includes(tag))

const PRODUCTS = ['basic', 'basicPlus', 'standard'] as const satisfies readonly Product[]

/** The smallest product that contains all tags; null for an unknown tag. */
export const findProduct = (tags: readonly string[]): Product | null =>
  PRODUCTS.find(product => tags.every(tag => TAGS[product].includes(tag))) ?? null
