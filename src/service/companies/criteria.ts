/**
 * What searches take, told in the interface's form: read from the very schemas that check them, so that the two cannot differ
 * (contract §9.4, §9.5, §11.2).
 */
import { z } from 'zod'
import { type Criterion, OPERATIONS } from '../../contract/index.ts'

/** Languages that names and reports are there in. */
export const LANGUAGES = ['EN'] as const

type Set = Record<string, Criterion | Record<string, Criterion>>

interface Told {
  readonly minLength?: number
  readonly maxLength?: number
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly anyOf?: readonly Told[]
}

function criterionOf(told: Told | undefined, isRequired: boolean): Criterion {
  // Of several forms the first is the single one.
  const { minLength, maxLength, enum: allowed, pattern } = told?.anyOf?.[0] ?? told ?? {}
  return {
    ...(isRequired ? { required: true } : { optional: true }),
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(allowed === undefined ? {} : { allowedValues: [...allowed] }),
    ...(pattern === undefined ? {} : { validationRegExp: pattern }),
  }
}

const propertiesOf = (schema: z.ZodType): Record<string, Told> =>
  (z.toJSONSchema(schema, { io: 'input' }) as { properties: Record<string, Told> }).properties

/** Where each parameter of the company search stands among its criteria. */
const COMPANY: Readonly<Record<string, string>> = {
  id: 'id',
  safeNo: 'safeNo',
  regNo: 'regNo',
  vatNo: 'vatNo',
  name: 'name',
  tradeName: 'tradeName',
  acronym: 'acronym',
  type: 'type',
  officeType: 'officeType',
  status: 'status',
  address: 'address.simpleValue',
  street: 'address.street',
  houseNo: 'address.houseNo',
  city: 'address.city',
  postCode: 'address.postCode',
  province: 'address.province',
  phoneNo: 'phoneNumber',
  website: 'website',
}

const PERSON: Readonly<Record<string, string>> = Object.fromEntries(
  ['peopleId', 'localDirectorNumber', 'lastName', 'firstName', 'dateOfBirth'].map(name => [name, name]),
)

/** One set of criteria for every parameter that leads anywhere by itself: it is required there, the others are optional. */
function setsOf(schema: z.ZodType, places: Readonly<Record<string, string>>, leads: readonly string[]): Set[] {
  const told = propertiesOf(schema)
  return leads.map(lead => {
    const set: Set = {}
    for (const [parameter, place] of Object.entries(places)) {
      const [outer = '', inner] = place.split('.')
      const criterion = criterionOf(told[parameter], parameter === lead)
      set[outer] = inner === undefined ? criterion : { ...(set[outer] as Record<string, Criterion>), [inner]: criterion }
    }
    return set
  })
}

/** The criteria of companies; `leads` are the parameters of which one is needed. */
export const companyCriteria = (leads: readonly string[]): Set[] => setsOf(OPERATIONS.searchCompanies.query, COMPANY, leads)

/** The criteria of people. */
export const peopleCriteria = (leads: readonly string[]): Set[] => setsOf(OPERATIONS.searchPeople.query, PERSON, leads)

/** The JSON schema of a report. */
export const reportSchema = (section: 'CompanyReportResponse' | 'DirectorReportResponse'): object =>
  z.toJSONSchema(OPERATIONS[section === 'CompanyReportResponse' ? 'readReport' : 'readPerson'].reply, { io: 'input' })
