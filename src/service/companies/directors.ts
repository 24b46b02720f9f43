/**
 * Converts officers of the register to the interface's records: directors of a company, directorships of a person (contract §9.3,
 * §11.2).
 */
import type { CompanyAddress, CompanyReport, Director, FoundPerson } from '../../contract/index.ts'
import { safeNumber } from '../enrichment/tags.ts'
import type { Company } from '../matching/types.ts'
import type { Officer } from '../registers/officers.ts'
import { readAddress as companyAddressOf, oneLine, readStatus, readType, splitStreet, withoutEmpty } from './facts.ts'

function readAddress({ address1, address2, town, postcode }: Officer): CompanyAddress {
  return withoutEmpty({
    simpleValue: oneLine([address1, address2, town, postcode]),
    ...splitStreet(address1),
    city: town,
    postalCode: postcode,
  })
}

const readKind = ({ type }: Officer): string => {
  if (type === '' || /person|individual|natural/i.test(type)) return 'Person'
  return /compan|corporat|legal|firm/i.test(type) ? 'Company' : 'Other'
}

const IS_DAY = /^\d{4}-\d{2}-\d{2}$/

/** Days as the date-times that the interface declares. Months and years, which are none, are in `additionalData` as the register has them. */
function readDates<Name extends string>(dates: Readonly<Record<Name, string>>) {
  const entries = Object.entries<string>(dates)
  const days = entries.flatMap(([name, date]) => (IS_DAY.test(date) ? [[name, `${date}T00:00:00Z`] as const] : []))
  const others = entries.filter(([, date]) => date !== '' && !IS_DAY.test(date))
  return {
    ...(Object.fromEntries(days) as Partial<Record<Name, string>>),
    additionalData: others.length === 0 ? undefined : Object.fromEntries(others),
  }
}

const GENDERS: Readonly<Record<string, string>> = { '': '', male: 'Male', m: 'Male', female: 'Female', f: 'Female' }

const readGender = (text: string): string => GENDERS[text.trim().toLowerCase()] ?? 'Unknown'

const details = (officer: Officer) =>
  withoutEmpty({
    name: officer.name,
    title: officer.title,
    firstNames: [officer.firstName, officer.middleName].filter(name => name !== '').join(' '),
    firstName: officer.firstName,
    middleName: officer.middleName,
    surname: officer.lastName,
    gender: readGender(officer.gender),
    placeOfBirth: officer.placeOfBirth,
    nationality: officer.nationality,
    countryOfResidence: officer.countryOfResidence,
    country: officer.country,
    directorType: readKind(officer),
  })

function makeDirector(positions: readonly [Officer, ...Officer[]]): Director {
  const [first] = positions
  const resigned = positions.map(({ resigned }) => resigned).sort()
  return {
    id: first.peopleId,
    idType: 'Other',
    ...details(first),
    ...readDates({ dateOfBirth: first.dateOfBirth, resignationDate: resigned.at(-1) ?? '' }),
    address: readAddress(first),
    positions: positions.map(({ appointed, position }) => ({
      ...readDates({ dateAppointed: appointed }),
      ...withoutEmpty({ positionName: position }),
    })),
  }
}

function byPerson(officers: readonly Officer[]): Director[] {
  const people = new Map<string, [Officer, ...Officer[]]>()
  for (const officer of officers) {
    const earlier = people.get(officer.peopleId)
    if (earlier === undefined) people.set(officer.peopleId, [officer])
    else earlier.push(officer)
  }
  return [...people.values()].map(makeDirector)
}

/** A person is a previous director in each position that they resigned from. */
export const listDirectors = (officers: readonly Officer[]): NonNullable<CompanyReport['directors']> => ({
  currentDirectors: byPerson(officers.filter(({ resigned }) => resigned === '')),
  previousDirectors: byPerson(officers.filter(({ resigned }) => resigned !== '')),
})

/** A position of a person and the company it is in. */
export type Appointment = { readonly officer: Officer; readonly company: Company }

export const foundPerson = ({ officer, company }: Appointment): FoundPerson => ({
  peopleId: officer.peopleId,
  ...withoutEmpty({
    firstName: [officer.firstName, officer.middleName].filter(name => name !== '').join(' '),
    lastName: officer.lastName || officer.name,
    country: officer.country || company.country,
    position: officer.position,
  }),
  ...readDates({ dateOfBirth: officer.dateOfBirth }),
  company: { id: company.connectId },
  companyName: company.name,
  companyType: readType(company),
  ...withoutEmpty({ companyRegistrationNumber: company.orgNumber }),
  status: officer.resigned === '' ? 'Current' : 'Previous',
  address: readAddress(officer),
})

const directorship = ({ officer, company }: Appointment) => ({
  id: company.connectId,
  companyName: company.name,
  ...withoutEmpty({
    companyNumber: safeNumber(company),
    companyRegistrationNumber: company.orgNumber,
    status: readStatus(company),
  }),
  address: companyAddressOf(company),
  position: {
    ...withoutEmpty({ positionName: officer.position }),
    ...readDates({ dateAppointed: officer.appointed, resignationDate: officer.resigned }),
  },
})

export function personReport(appointments: readonly [Appointment, ...Appointment[]]) {
  const [{ officer }] = appointments
  const previous = appointments.filter(appointment => appointment.officer.resigned !== '')
  const current = appointments.filter(appointment => appointment.officer.resigned === '')
  const isInactive = ({ company }: Appointment): boolean => readStatus(company) === 'NonActive'
  const inactive = current.filter(isInactive)
  const active = current.filter(appointment => !isInactive(appointment))
  return {
    directorId: officer.peopleId,
    directorSummary: {
      currentAppointments: active.length,
      inactiveAppointments: inactive.length,
      previousAppointments: previous.length,
    },
    directorDetails: { ...details(officer), ...readDates({ dateOfBirth: officer.dateOfBirth }), address: readAddress(officer) },
    directorships: {
      current: active.map(directorship),
      inactive: inactive.map(directorship),
      previous: previous.map(directorship),
    },
  }
}
