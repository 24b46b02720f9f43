/** Routes of people and their reports, for registers with officers: contract §11.2. */
import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import type { OPERATIONS } from '../../contract/index.ts'
import type { AppDeps } from '../deps.ts'
import { createRouter, cutPage } from '../http/route.ts'
import { notFound } from '../refusal.ts'
import { requireCountry } from '../registers/countries.ts'
import { type Officer, tokenOfNumber } from '../registers/officers.ts'
import { peopleCriteria } from './criteria.ts'
import { type Appointment, foundPerson, personReport } from './directors.ts'
import { countReport } from './report.ts'
import { containsWords, isSameNumber, noResults, tooManyResults } from './search.ts'

type Query = z.infer<(typeof OPERATIONS)['searchPeople']['query']>

/** Criteria with an index of their own. */
const KEY_CRITERIA = ['peopleId', 'localDirectorNumber', 'lastName'] as const

const nameFits = (requested: string | undefined, name: string): boolean =>
  requested === undefined || containsWords(requested, name)

function matchesQuery({ officer, company }: Appointment, query: Query): boolean {
  const { countries, peopleId, localDirectorNumber, firstName, lastName, dateOfBirth = '', companyName, regNo, city } = query
  if (!countries.includes('PLC') && !countries.includes(officer.country) && !countries.includes(company.country)) return false
  if (peopleId !== undefined && officer.peopleId !== peopleId) return false
  if (localDirectorNumber !== undefined && officer.personId !== localDirectorNumber) return false
  const given = `${officer.firstName} ${officer.middleName}`
  if (!nameFits(firstName, given.trim() || officer.name) || !nameFits(lastName, officer.lastName || officer.name)) return false
  if (companyName !== undefined && ![company.name, ...company.tradingNames].some(name => containsWords(companyName, name)))
    return false
  if (regNo !== undefined && !isSameNumber(regNo, company)) return false
  if (city !== undefined && !containsWords(city, `${officer.town} ${company.town}`)) return false
  return officer.dateOfBirth.startsWith(dateOfBirth)
}

export function peopleRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { engine, officers, limits } = deps
  const listAppointments = (found: readonly Officer[]): Appointment[] =>
    found.flatMap(officer => {
      const company = engine.find(officer.connectId)
      return company === null ? [] : [{ officer, company }]
    })

  const candidates = ({ peopleId, localDirectorNumber, lastName, regNo, companyName }: Query): readonly Officer[] => {
    const most = limits.searchCandidates
    if (peopleId !== undefined) return officers.ofPerson(peopleId)
    if (localDirectorNumber !== undefined) return officers.ofPerson(`-${tokenOfNumber(localDirectorNumber)}`)
    if (lastName !== undefined) return officers.bySurname(lastName, most)
    const company = regNo !== undefined ? { orgNumber: regNo } : companyName !== undefined ? { name: companyName } : null
    if (company === null) return officers.first(most)
    const { candidates: companies } = engine.match(company, most)
    return companies.flatMap(({ company }) => officers.ofCompany(engine.at(company).connectId)).slice(0, most)
  }

  route('peopleSearchCriteria', ({ query, request }) => {
    const countries = query.countries?.map(country => requireCountry(country, 'countries', ['PLC'])) ?? engine.countries
    const schemas = peopleCriteria(KEY_CRITERIA)
    const countriesCriteria = countries.map(country => ({ country, schemas }))
    return { correlationId: request.id, countriesCriteria, customData: [], messages: [] }
  })

  route('searchPeople', ({ query, request }) => {
    for (const country of query.countries) requireCountry(country, 'countries', ['PLC'])
    const found = candidates(query)
    const people = listAppointments(found).filter(appointment => matchesQuery(appointment, query))
    const none = officers.size === 0 ? 'No register of this service holds officers.' : 'No person of the register is like this.'
    const messages = [
      ...(people.length === 0 ? [noResults(none)] : []),
      ...(found.length === limits.searchCandidates ? [tooManyResults(limits.searchCandidates)] : []),
    ]
    return { correlationId: request.id, totalSize: people.length, directors: cutPage(people, query).map(foundPerson), messages }
  })

  route('readPerson', ({ user, params, request }) => {
    const [first, ...others] = listAppointments(officers.ofPerson(params.peopleId ?? ''))
    if (first === undefined) throw notFound('Person')
    countReport(deps, user, 'person', first.officer.country || first.company.country)
    return { correlationId: request.id, report: personReport([first, ...others]), messages: [] }
  })
}
