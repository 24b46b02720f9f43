/**
 * Converts a company of the register to the interface's terms: address, status, type, search record. Missing values are omitted
 * (contract §9.1, §14.3).
 */
import type { Activity, CompanyAddress, FoundCompany } from '../../contract/index.ts'
import { parseCompanyName } from '../../normalise/company-name.ts'
import { safeNumber, splitActivity } from '../enrichment/tags.ts'
import type { Company } from '../matching/types.ts'

export const withoutEmpty = <T extends Record<string, string>>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')) as Partial<T>

const STATUSES = [
  ['Pending', /liquidat|insolv|administrat|receiver|bankrupt|strike|winding|pending|proposal/i],
  ['NonActive', /dissol|inactive|non.?active|closed|struck|cancel|ceased|delet|remov|expired|converted/i],
  ['Active', /^(?:active|aktiv|open|live|registered|current)/i],
] as const

/** The interface's status; '' when the register has none. */
export function readStatus({ status }: Company): '' | 'Active' | 'NonActive' | 'Pending' | 'Other' {
  if (status.trim() === '') return ''
  return STATUSES.find(([, pattern]) => pattern.test(status))?.[0] ?? 'Other'
}

const LIMITED: ReadonlySet<string> = new Set(['private', 'gmbh', 'public', 'ag', 'corporation', 'llc'])

/** The type by the legal form in the name; `NotSet` without one. */
export function readType({ name }: Company): 'NotSet' | 'Ltd' | 'NonLtd' {
  const { legal } = parseCompanyName(name)
  if (legal === null) return 'NotSet'
  return LIMITED.has(legal) ? 'Ltd' : 'NonLtd'
}

export const isPublic = ({ name }: Company): boolean => parseCompanyName(name).legal === 'public'

/** Industry codes of the register, the main one first. */
export const listActivities = ({ activities = [] }: Company): Activity[] =>
  activities.map(text => withoutEmpty({ ...splitActivity(text) }))

export const OFFICE = 'registered'

const NUMBER_FIRST = /^(\d{1,6}[a-z]?(?:[-/]\d{1,6}[a-z]?)?)[, ]+(?=.*\p{L})(.+)$/iu
const NUMBER_LAST = /(?<=[, ])\d{1,6} ?[a-z]?(?:[-/]\d{1,6}[a-z]?)?$/iu
const GAP_AT_END = /(?<![, ])[, ]+$/
const MAX_LINE = 200
/** `Unit 31`, `Flat 2`: a number, but not a house number. */
const UNIT = /^(?:unit|suite|flat|floor|room|apt|apartment|po box|postfach)\b/i

/** Street and house number of an address line: `12a High Street`, `Hauptstr. 5`; a line of another form is all street. */
export function splitStreet(line: string): { readonly street: string; readonly houseNumber: string } {
  if (line.length <= MAX_LINE && !UNIT.test(line)) {
    const first = NUMBER_FIRST.exec(line)
    if (first !== null) return { street: first[2] ?? '', houseNumber: first[1] ?? '' }
    const [houseNumber = ''] = NUMBER_LAST.exec(line) ?? []
    const street = line.slice(0, line.length - houseNumber.length).replace(GAP_AT_END, '')
    // `Platz des 17. Juni 3` is ambiguous and is not split.
    if (houseNumber !== '' && /\p{L}/u.test(street) && !/\d/.test(street)) return { street, houseNumber }
  }
  return { street: line, houseNumber: '' }
}

export const oneLine = (parts: readonly string[]): string => parts.filter(part => part !== '').join(', ')

export function readAddress(company: Company): CompanyAddress {
  const { address1, address2, town, postcode, phone, country } = company
  return withoutEmpty({
    simpleValue: oneLine([address1, address2, town, postcode]),
    ...splitStreet(address1),
    city: town,
    postalCode: postcode,
    telephone: phone,
    country,
  })
}

export function foundCompany(company: Company): FoundCompany {
  const { connectId: id, country, orgNumber, name, vatNumber, tradingNames, phone, legalForm = '' } = company
  const [activity] = listActivities(company)
  const address = readAddress(company)
  return {
    id,
    ...withoutEmpty({
      country,
      regNo: orgNumber,
      safeNo: safeNumber(company),
      idType: orgNumber === '' ? 'InternalID' : 'RegistrationNumber',
      name,
      type: readType(company),
      officeType: OFFICE,
      status: readStatus(company),
      statusDescription: company.status,
      legalForm,
      activityCode: activity?.code ?? '',
    }),
    activity,
    vatNo: vatNumber === '' ? undefined : [vatNumber],
    phoneNumbers: phone === '' ? undefined : [phone],
    tradingNames: tradingNames.length === 0 ? undefined : [...tradingNames],
    // Two fields have a second name in recorded answers, which clients read.
    address: { ...address, postCode: address.postalCode, houseNo: address.houseNumber },
  }
}
