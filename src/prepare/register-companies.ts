/** The companies in the registers of a plan, on this machine and without a service: by id, by name, and with their tags. */
import { type Env, registersOf } from '../env/environment.ts'
import { FettleError } from '../errors.ts'
import type { RowCandidate } from '../model/results.ts'
import { normaliseCountry } from '../normalise/country.ts'
import type { Plan } from '../pipeline/index.ts'
import { wantedTags } from '../pipeline/model/wanted-tags.ts'
import type { CompanyTags } from '../results/output/writers.ts'
import { registersHere } from './registers.ts'

/** Companies that a search shows: each has a key. */
const MOST = 9

/** Registers that are open. Close them. */
export interface RegisterCompanies {
  readonly names: readonly string[]
  /** The companies with this id, here or in their register, or with this number in the country of a row. */
  named(text: string, country: string): RowCandidate[]
  /** The companies whose names are nearest, the best first. */
  search(name: string, country: string): RowCandidate[]
  /** The tags of the company with this id; null when the registers do not have it. */
  tags(id: string, wanted: readonly string[]): Readonly<Record<string, string>> | null
  close(): void
}

/** Throws as registersHere does, and FETTLE_INPUT_READ for a damaged register. */
export async function openCompanies(plan: Plan, env: Env): Promise<RegisterCompanies> {
  const { openForLists } = await import('../service/data-cleaning/processing/list-sample.ts')
  const { companiesNamed, match, registerOf } = await import('../service/matching/index.ts')
  const { readFields, readTags } = await import('../service/enrichment/tags.ts')
  const register = plan.register === undefined ? registersOf(env) : null
  const { index, registers, close } = await openForLists(await registersHere(plan, { env, register }))
  const names = registers.map(({ name }) => name)
  const registerAt = (at: number): string => (names.length < 2 ? '' : (names[registerOf(index, at)] ?? ''))
  const show = (at: number, found: Pick<RowCandidate, 'score' | 'why'>): RowCandidate => {
    const company = index.companies.at(at)
    const own = registerAt(at)
    const fields = { ...readFields(company), ...(own !== '' && { register: own }) }
    return { id: company.connectId, name: company.name, ...found, parts: {}, fields }
  }
  return {
    names,
    close,
    named(text, country) {
      const found = companiesNamed(index, text, normaliseCountry(country))
      const exact = found.filter(at => index.companies.at(at).connectId === text)
      return (exact.length > 0 ? exact : found).map(at => show(at, { score: null, why: '' }))
    },
    search(name, country) {
      const query = country === '' ? { name } : { name, country }
      return match(index, query, MOST).candidates.map(({ company, score, why }) => show(company, { score, why }))
    },
    tags(id, wanted) {
      const found = companiesNamed(index, id, '').find(at => index.companies.at(at).connectId === id)
      if (found === undefined) return null
      const own = registerAt(found)
      return { ...readTags(index.companies.at(found), wanted), ...(own !== '' && { 'match.register': own }) }
    },
  }
}

/** The tags of accepted companies for the outputs of a run. A register that cannot be opened is a warning of the run that needs it. */
export async function openCompanyTags(plan: Plan, env: Env): Promise<CompanyTags> {
  const missing = new Set<string>()
  const wanted = wantedTags(plan)
  let companies: RegisterCompanies | null = null
  let why: string | null = null
  try {
    companies = await openCompanies(plan, env)
  } catch (error) {
    if (!FettleError.is(error)) throw error
    why = error.message
  }
  return {
    get(id, candidate) {
      if (Object.keys(candidate?.tags ?? {}).length > 0) return undefined
      const tags = companies?.tags(id, wanted) ?? null
      if (tags === null) missing.add(id)
      return tags ?? undefined
    },
    unknown: () => (missing.size === 0 ? null : { ids: [...missing], why }),
    close: () => companies?.close(),
  }
}
