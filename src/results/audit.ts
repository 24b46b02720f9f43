/** A second look at the matches of a service, by the tags of its answers: reasons of doubt, and their counts. */
import { EVIDENCE_TAGS, isAudited } from '../model/audit.ts'
import type { AuditCounts, DoubtfulExample } from '../model/results.ts'
import { normaliseCountry } from '../normalise/country.ts'
import { normaliseOrgNumber } from '../normalise/identifiers.ts'
import type { Plan } from '../pipeline/model/types.ts'
import {
  type Audit,
  auditByRegister,
  auditMatch,
  type Company,
  type Difference,
  type MatchIndex,
  type Query,
} from '../service/matching/index.ts'
import type { Answer } from './answers.ts'
import type { EnrichedColumns } from './enriched-columns.ts'
import { COMPANY_TAGS } from './enriched-file.ts'

/** `text`: the cell of `match.doubt`, '' for a company that agrees. */
export interface AuditedMatch extends Pick<Audit, 'verdict'> {
  /** What differs; `register` for a company of the register that fits better. */
  readonly differs: readonly string[]
  readonly text: string
}

/** Open registers where the rows of matches are looked up. */
export interface AuditRegister {
  readonly index: MatchIndex
  close(): void
}

type Auditor = (uploadRow: readonly string[], answer: Pick<Answer, 'row' | 'columns'>) => AuditedMatch | null

/** Returns what audits a match; null where the plan asks for no audit. */
export function auditorOf(
  plan: Pick<Plan, 'mappings' | 'audit' | 'output' | 'checks'>,
  register: Pick<AuditRegister, 'index'> | null = null,
): Auditor {
  if (!isAudited(plan)) return () => null
  const tags = new WeakMap<EnrichedColumns, TagPlaces>()
  return (uploadRow, { row, columns }) => {
    const found = tags.get(columns) ?? findTags(columns)
    tags.set(columns, found)
    const query: Query = Object.fromEntries(
      plan.mappings.map(({ mapping, index, value }) => [mapping, value ?? uploadRow[index] ?? '']),
    )
    const company = readCompany(found, row, query)
    const { verdict, differs, better } =
      register === null ? { ...auditMatch(query, company), better: null } : auditByRegister(register.index, query, company)
    const reasons = differs.map(difference => describe(difference, query, company))
    if (better !== null) reasons.unshift(`better in the register: ${better.name} (${better.connectId})`)
    const text = reasons.join('; ')
    return {
      verdict,
      differs: better === null ? differs : ['register', ...differs],
      text: verdict !== 'not comparable' ? text : text === '' ? verdict : `${verdict}: ${text}`,
    }
  }
}

type Field = keyof typeof EVIDENCE_TAGS | 'id'
type TagPlaces = ReadonlyMap<string, readonly number[]>

/** The columns of the service with each kind of evidence, the first tag first. */
function findTags({ added, header }: EnrichedColumns): TagPlaces {
  const all: Readonly<Record<Field, readonly string[]>> = { id: COMPANY_TAGS, ...EVIDENCE_TAGS }
  return new Map(
    Object.entries(all).map(([field, tags]) => [
      field,
      tags.map(tag => added.find(at => header[at] === tag)).filter(at => at !== undefined),
    ]),
  )
}

/** `GB-0-01234567`: an id that begins with the country, and may end with the number of the company. */
const ID = /^([A-Z]{2})-(?:.*-)?([^-]+)$/

/** The company of an answer. Of several numbers it has the one of the row, else the first; a number of an unknown kind only if it is the row's. */
function readCompany(places: TagPlaces, row: readonly string[], query: Query): Company {
  const list = (field: Field): string[] => (places.get(field) ?? []).map(at => row[at]?.trim() ?? '').filter(cell => cell !== '')
  const first = (field: Field): string => list(field)[0] ?? ''
  const [name = '', ...names] = [...list('name'), ...list('otherNames')]
  const id = first('id')
  const [, land = '', end = ''] = ID.exec(id) ?? []
  const country = normaliseCountry(first('country')) || normaliseCountry(land)
  const own = normaliseOrgNumber(query.orgNumber || query.taxCode || '', country)
  const numbers = [...list('orgNumber'), ...list('otherNumbers'), end]
  const equal = own === '' ? undefined : numbers.find(number => normaliseOrgNumber(number, country) === own)
  return {
    id,
    connectId: id,
    name,
    country,
    orgNumber: equal ?? first('orgNumber'),
    vatNumber: first('vatNumber'),
    tradingNames: names,
    previousNames: [],
    address1: list('address').join(', '),
    address2: '',
    town: first('town'),
    postcode: first('postcode'),
    phone: first('phone'),
    email: first('email'),
    website: first('website'),
    status: '',
  }
}

/** What is shown of row and company. */
const SHOWN: Readonly<Record<Difference, (query: Query, company: Company) => readonly [string | undefined, string]>> = {
  number: (query, company) => [query.orgNumber || query.taxCode, company.orgNumber],
  vat: (query, company) => [query.vatNumber, company.vatNumber],
  name: (query, company) => [query.name || query.tradingName, company.name],
  country: (query, company) => [query.countryCode || query.country, company.country],
  postcode: (query, company) => [query.postcode, company.postcode],
  town: (query, company) => [query.town, company.town],
  address: (query, company) => [query.address1, company.address1],
}

/** `name differs: ACME LTD / BETA GMBH` */
function describe(difference: Difference, query: Query, company: Company): string {
  const values = SHOWN[difference](query, company).map(text => text?.replace(/\s+/g, ' ').trim() ?? '')
  return `${difference} differs${values.includes('') ? '' : `: ${values.join(' / ')}`}`
}

const EXAMPLES = 10

/** Counts audited matches by verdict, with the first doubtful ones. */
export class AuditCounter {
  readonly #counts = { agreed: 0, doubtful: 0, 'not comparable': 0 }
  readonly #examples: DoubtfulExample[] = []

  /** `example` is asked for while examples are wanted, and gives null to show none. */
  add({ verdict, differs }: Omit<AuditedMatch, 'text'>, example: () => Omit<DoubtfulExample, 'differs'> | null): void {
    this.#counts[verdict]++
    const shown = verdict !== 'doubtful' || this.#examples.length === EXAMPLES ? null : example()
    if (shown !== null) this.#examples.push({ ...shown, differs })
  }

  counts(): AuditCounts {
    const { 'not comparable': notComparable, ...others } = this.#counts
    return { ...others, notComparable, examples: this.#examples }
  }
}
