/**
 * Converts officers of the register to the interface's records: directors of a company, directorships of a person (contract §9.3,
 * §11.2).
 */
import type { CompanyAddress, CompanyReport, Director, FoundPerson } from '../../contract/index.ts'
import { safeNumber } from '../enrichment/tags.ts'
import type { Company } from '../matching/types.ts'
import type { Officer } from '../registers/officers.ts'
import { addressOf as companyAddressOf, oneLine, splitStreet, statusOf, typeOf, withoutEmpty } from './facts.ts'

function addressOf({ address1, address2, town, postcode }: Officer): CompanyAddress {
  return withoutEmpty({
    simpleValue: oneLine([address1, address2, town, postcode]),
    ...splitStreet(address1),
    city: town,
    postalCode: postcode,
  })
}

const kindOf = ({ type }: Officer): string => {
  if (type === '' || /person|individual|natural/i.test(type)) return 'Person'
  return /compan|corporat|legal|firm/i.test(type) ? 'Company' : 'Other'
}

const IS_DAY = /^\d{4}-\d{2}-\d{2}$/

/** Days as the date-times that the interface declares. Months and years, which are none, are in `additionalData` as the register has them. */
function datesOf<Name extends string>(dates: Readonly<Record<Name, string>>) {
  const entries = Object.entries<string>(dates)
  const days = entries.flatMap(([name, date]) => (IS_DAY.test(date) ? [[name, `${date}T00:00:00Z`] as const] : []))
  const others = entries.filter(([, date]) => date !== '' && !IS_DAY.test(date))
  return {
    ...(Object.fromEntries(days) as Partial<Record<Name, string>>),
    additionalData: others.length === 0 ? undefined : Object.fromEntries(others),
  }
}

const GENDERS: Readonly<Record<string, string>> = { '': '', male: 'Male', m: 'Male', female: 'Female', f: 'Female' }

const genderOf = (text: string): string => GENDERS[text.trim().toLowerCase()] ?? 'Unknown'

const details = (officer: Officer) =>
  withoutEmpty({
    name: officer.name,
    title: officer.title,
    firstNames: [officer.firstName, officer.middleName].filter(name => name !== '').join(' '),
    firstName: officer.firstName,
    middleName: officer.middleName,
    surname: officer.lastName,
    gender: genderOf(officer.gender),
    placeOfBirth: officer.placeOfBirth,
    nationality: officer.nationality,
    countryOfResidence: officer.countryOfResidence,
    country: officer.country,
    directorType: kindOf(officer),
  })

function directorOf(positions: readonly [Officer, ...Officer[]]): Director {
  const [first] = positions
  const resigned = positions.map(one => one.resigned).sort()
  return {
    id: first.peopleId,
    idType: 'Other',
    ...details(first),
    ...datesOf({ dateOfBirth: first.dateOfBirth, resignationDate: resigned.at(-1) ?? '' }),
    address: addressOf(first),
    positions: positions.map(({ appointed, position }) => ({
      ...datesOf({ dateAppointed: appointed }),
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
  return [...people.values()].map(directorOf)
}

/** A person is a previous director in each position that they resigned from. */
export const directorsOf = (officers: readonly Officer[]): NonNullable<CompanyReport['directors']> => ({
  currentDirectors: byPerson(officers.filter(one => one.resigned === '')),
  previousDirectors: byPerson(officers.filter(one => one.resigned !== '')),
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
  ...datesOf({ dateOfBirth: officer.dateOfBirth }),
  company: { id: company.connectId },
  companyName: company.name,
  companyType: typeOf(company),
  ...withoutEmpty({ companyRegistrationNumber: company.orgNumber }),
  status: officer.resigned === '' ? 'Current' : 'Previous',
  address: addressOf(officer),
})

const directorship = ({ officer, company }: Appointment) => ({
  id: company.connectId,
  companyName: company.name,
  ...withoutEmpty({
    companyNumber: safeNumber(company),
    companyRegistrationNumber: company.orgNumber,
    status: statusOf(company),
  }),
  address: companyAddressOf(company),
  position: {
    ...withoutEmpty({ positionName: officer.position }),
    ...datesOf({ dateAppointed: officer.appointed, resignationDate: officer.resigned }),
  },
})

export function personReport(appointments: readonly [Appointment, ...Appointment[]]) {
  const [{ officer }] = appointments
  const previous = appointments.filter(one => one.officer.resigned !== '')
  const current = appointments.filter(one => one.officer.resigned === '')
  const isInactive = ({ company }: Appointment): boolean => statusOf(company) === 'NonActive'
  const inactive = current.filter(isInactive)
  const active = current.filter(one => !isInactive(one))
  return {
    directorId: officer.peopleId,
    directorSummary: {
      currentAppointments: active.length,
      inactiveAppointments: inactive.length,
      previousAppointments: previous.length,
    },
    directorDetails: { ...details(officer), ...datesOf({ dateOfBirth: officer.dateOfBirth }), address: addressOf(officer) },
    directorships: {
      current: active.map(directorship),
      inactive: inactive.map(directorship),
      previous: previous.map(directorship),
    },
  }
}
