/**
 * The requests of the stages about companies: candidates, reports, portfolios with their rules, companies, events and files (contract
 * §7.4, §8, rows 37, 45 to 47), AML searches and their hits.
 */
import { createHash } from 'node:crypto'
import {
  type BusinessSearch,
  type CompanyAddress,
  type CompanyReport,
  DECISION_STATUSES,
  type EventRule,
  type FoundCompany,
  joinFullName,
  type MadeDecision,
  type MatchedCompany,
  type NotificationEvent,
  parseWireDate,
  streetLine,
} from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import { type Hit, readHit } from '../../model/hit-facts.ts'
import type {
  Alert,
  CallOptions,
  CompanyEvent,
  CompanyRequests,
  Portfolio,
  PortfolioEntry,
  PortfolioRule,
  ProposedCompany,
  Schedule,
  Screening,
  ScreenQuery,
} from '../../model/requests.ts'
import type { TreeAnswer } from '../../model/results.ts'
import type { Api } from './api.ts'
import type { Core } from './core.ts'

/** The confidence of `/companies/match` (contract §9.2). */
const [LOWEST, HIGHEST] = [893, 999]
/** A good match of the name (contract §9.2): anything lower would fill a review with companies that no person accepts. */
const GOOD_NAME = 898
const MOST = 5

const WORDS = {
  matchScoreName: 'name',
  matchScoreRegNo: 'number',
  matchScoreVatNo: 'vat',
  matchScoreStreet: 'street',
  matchScoreCity: 'town',
  matchScorePostCode: 'postcode',
  matchScoreCountry: 'country',
  matchScorePhoneNo: 'phone',
} as const

/** A is the best letter and F the worst; any other, as Z, compares nothing. */
function formatSign(letter: string): string | null {
  if (letter === 'A') return '='
  return /^[B-D]$/.test(letter) ? '≈' : /^[EF]$/.test(letter) ? '≠' : null
}

function formatWhy({ matchScoreConfidence, matchScoreExplainPlan: plan = {} }: MatchedCompany): string {
  const parts = Object.entries(WORDS).flatMap(([key, word]) => {
    const sign = formatSign(String(plan[key] ?? ''))
    return sign === null ? [] : [`${word} ${sign}`]
  })
  return [...parts, `confidence ${matchScoreConfidence}`].join(' | ')
}

const keepFilled = (fields: Readonly<Record<string, string | null | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, text]) => (text == null || text === '' ? [] : [[name, text]])))

function propose(
  company: MatchedCompany | FoundCompany,
  postcode: string | null | undefined,
  { score, why }: Pick<ProposedCompany, 'score' | 'why'>,
): ProposedCompany {
  const { id, safeNo, name = '', country, regNo, status, address } = company
  const fields = { name, orgNumber: regNo, address1: address?.street, town: address?.city, postcode, country, status }
  const tags = { 'general.connectId': id, 'general.safeNumber': safeNo, 'general.companyName': company.name }
  return { id, name, score, why, parts: {}, fields: keepFilled(fields), tags: keepFilled(tags) }
}

const proposeMatch = (company: MatchedCompany): ProposedCompany => {
  const score = Math.min(1, Math.max(0, (company.matchScoreConfidence - LOWEST) / (HIGHEST - LOWEST)))
  return propose(company, company.address?.postcode, { score, why: formatWhy(company) })
}

const proposeFound = (company: FoundCompany): ProposedCompany =>
  propose(company, company.address?.postalCode, { score: null, why: '' })

/** Each tag by where a report has it; the first that is filled. */
const TAGS: Readonly<Record<string, (report: CompanyReport) => readonly (string | undefined)[]>> = {
  'general.connectId': ({ companyId }) => [companyId],
  'general.safeNumber': ({ companySummary }) => [companySummary?.companyNumber],
  'general.companyName': ({ companySummary, companyIdentification: own }) => [
    companySummary?.businessName,
    own?.basicInformation?.registeredCompanyName,
    own?.basicInformation?.businessName,
  ],
  'general.legalName': ({ companyIdentification: own }) => [own?.basicInformation?.registeredCompanyName],
  'general.companyNumber': readNumber,
  'general.organisationNumber': readNumber,
  'general.legalRegistrationNumber': readNumber,
  'general.vatNumber': ({ companyIdentification: own }) => [own?.basicInformation?.vatRegistrationNumber],
  'general.website': ({ contactInformation }) => [contactInformation?.websites?.[0]],
  'general.status': readStatus,
  'general.statusDesc.en': readStatus,
  'general.tradingName': readTradingName,
  'general.tradeName': readTradingName,
  'contact.country': ({ companySummary, companyIdentification: own }) => [
    companySummary?.country,
    own?.basicInformation?.country,
  ],
  'contact.city': report => listAddresses(report).map(address => address.city),
  'contact.addressLine1': report =>
    listAddresses(report).map(address => formatStreet(address, report.companySummary?.country ?? '')),
  'contact.postalCode': report => listAddresses(report).flatMap(({ postalCode, postCode }) => [postalCode, postCode]),
  'contact.contactPhone': report => listAddresses(report).map(address => address.telephone),
  'contact.email': ({ contactInformation }) => [contactInformation?.emailAddresses?.[0]],
}

function readStatus({ companySummary, companyIdentification: own }: CompanyReport): (string | undefined)[] {
  return [companySummary?.companyStatus, own?.basicInformation?.companyStatus].flatMap(status =>
    typeof status === 'object' ? [status.description, status.status] : [status],
  )
}

function readNumber({ companySummary, companyIdentification: own }: CompanyReport): (string | undefined)[] {
  return [companySummary?.companyRegistrationNumber, own?.basicInformation?.companyRegistrationNumber]
}

function readTradingName({ companyIdentification: own }: CompanyReport): (string | undefined)[] {
  return [own?.tradingNames?.[0]?.name]
}

const listAddresses = ({ contactInformation, companyIdentification: own }: CompanyReport) =>
  [contactInformation?.mainAddress, own?.basicInformation?.contactAddress].flatMap(address => (address == null ? [] : [address]))

function formatStreet(
  { street, houseNumber, houseNo, simpleValue, country }: CompanyAddress,
  registered: string,
): string | undefined {
  const number = houseNumber ?? houseNo
  if (street === undefined || number === undefined) return street ?? simpleValue
  return streetLine(street, number, country ?? registered)
}

/** The tags that have a value in the report. */
const readReportTags = (report: CompanyReport): Record<string, string> =>
  Object.fromEntries(
    Object.entries(TAGS).flatMap(([tag, of]) => {
      const text = of(report).find(value => typeof value === 'string' && value.trim() !== '')
      return text === undefined ? [] : [[tag, text]]
    }),
  )

const PAGE_SIZE = 100

type Threshold = Parameters<Api['createBusinessSearch']>[0]['body']['threshold']

/** `isOwn`: of fettle's own service, whose answer to a new search names its lists. */
const readScreening = ({ id, createdAt, totalHitCount, listsKey = '' }: BusinessSearch, isOwn: boolean): Screening => ({
  id,
  createdAt: createdAt ?? null,
  hits: totalHitCount ?? null,
  listsKey: isOwn ? listsKey : undefined,
})

const sortWords = (words: readonly string[]): string => JSON.stringify(words.map(word => word.toUpperCase()).sort())

type AnySearch = BusinessSearch & { readonly dateOfBirth?: string | null }

/** Of a search for a person; a service may write a day with its time. */
const readBirth = ({ dateOfBirth }: Pick<AnySearch, 'dateOfBirth'>): string => (dateOfBirth ?? '').slice(0, 10)

const hasQuery = (search: AnySearch, query: ScreenQuery): boolean =>
  search.name === query.name &&
  readBirth(search) === (query.person?.born ?? '') &&
  search.threshold === query.threshold &&
  sortWords(search.datasets) === sortWords(query.datasets) &&
  sortWords(search.countryCodes ?? []) === sortWords(query.countries)

/** Whether a record in a list lacks what is compared, so that it has to be read by itself. */
const isPartial = ({ name, threshold, datasets }: Partial<BusinessSearch>): boolean =>
  name == null || threshold === undefined || datasets === undefined

const plain = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase()

/** Throws FETTLE_CONTRACT for an answer that names a subject other than the one that was asked for. */
function proveSubject(what: string, asked: string, answered: unknown): void {
  if (typeof answered !== 'string' || answered === '' || plain(answered) === plain(asked)) return
  throw new FettleError('FETTLE_CONTRACT', `the service answered the ${what} of ${asked} with data about ${answered}`)
}

/** The largest page that is documented (contract §7.1). */
const LARGE_PAGE = 1000
const COLUMNS = ['Safe Number', 'Local Org No.', 'Country Code', 'Reference', 'Free Text', 'Personal Limit']
/** How a service answers that does not have an operation. */
const MISSING: readonly (number | null)[] = [403, 405, 501]
/** An event that is gone has nothing to mark. */
const NOT_MARKED: readonly (number | null)[] = [...MISSING, 404]
/** How a service answers that keeps the content of a tree to itself, or does not name changes of lists. */
const NOT_SHOWN = NOT_MARKED

const readRule = ({ ruleCode, isActive, param0, param1, param2 }: EventRule): PortfolioRule => ({
  code: ruleCode,
  active: isActive === true || isActive === 1 || isActive === '1',
  params: [param0, param1, param2].map(param => String(param ?? '')) as [string, string, string],
})

/** A rule's name has places for parameters in the list of rules; the text of an event has their values. */
const readRuleName = ({ ruleName, ruleText }: Partial<NotificationEvent>): string =>
  ruleName == null || /\{\d\}/.test(ruleName) ? (ruleText ?? ruleName ?? '') : ruleName

/** Of an item of a list only the id is certain. */
const readEvent = (event: Partial<NotificationEvent> & Pick<NotificationEvent, 'notificationEventId'>): CompanyEvent => ({
  id: event.notificationEventId,
  at: event.eventDate ?? '',
  processed: event.isProcessed === true,
  company: { id: event.company?.id ?? '', name: event.company?.name ?? '', country: event.company?.countryCode ?? '' },
  rule: { code: event.ruleCode ?? null, name: readRuleName(event) },
  old: String(event.oldValue ?? ''),
  new: String(event.newValue ?? ''),
})

const cell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The file of an import, with every documented column; a connectId goes into the first. */
const importFile = (companies: readonly PortfolioEntry[]): Buffer =>
  Buffer.from(
    [COLUMNS, ...companies.map(({ id, reference, freeText, personalLimit }) => [id, '', '', reference, freeText, personalLimit])]
      .map(cells => cells.map(cell).join(','))
      .join('\r\n')
      .concat('\r\n'),
  )

function createCandidateRequests(core: Core, api: Api): Pick<CompanyRequests, 'findCandidates' | 'readTags'> {
  const { clean } = core.opener.tools.redactor
  const shown = (company: ProposedCompany): ProposedCompany => ({ ...company, name: clean(company.name) })
  return {
    async findCandidates(query, by, options = {}) {
      const { country = '', name = '', ...rest } = query
      if (by === 'match') {
        const { value } = await core.call('matchCompanies', {
          query: { matchThreshold: String(GOOD_NAME), country, name, ...rest },
          read: ({ matchedCompanies }) => matchedCompanies.slice(0, MOST).map(proposeMatch).map(shown),
          options,
        })
        return value
      }
      // The vendor advises to search by number where it is known, else by name and postcode (contract §9.1).
      const { regNo, postCode } = rest
      const narrow = regNo === undefined ? { name, postCode } : { regNo }
      const { companies } = await api.searchCompanies({ query: { countries: country, pageSize: MOST, ...narrow } }, options)
      return Array.isArray(companies) ? companies.slice(0, MOST).map(proposeFound).map(shown) : []
    },
    async readTags(id, options = {}) {
      const { report } = await api.readReport({ id }, options)
      if (report == null) return {}
      proveSubject('report', id, report.companyId)
      return readReportTags(report)
    },
  }
}

type PortfolioRequests = Pick<
  CompanyRequests,
  | 'findPortfolios'
  | 'readPortfolio'
  | 'createPortfolio'
  | 'addCompany'
  | 'readRules'
  | 'setRules'
  | 'countCompanies'
  | 'listCompanies'
  | 'sendCompanies'
>

function createPortfolioRequests(core: Core, api: Api): PortfolioRequests {
  return {
    async findPortfolios(name, options = {}) {
      const found: Portfolio[] = []
      const query = { searchQuery: name, pageSize: PAGE_SIZE }
      for await (const portfolio of api.listPortfolios.all({ query }, options))
        if (portfolio.name === name) found.push({ id: portfolio.portfolioId, name: portfolio.name })
      return found
    },
    async readPortfolio(id, options = {}) {
      const { portfolioId, name } = await api.readPortfolio({ portfolioId: String(id) }, options)
      return { id: portfolioId, name: core.opener.tools.redactor.clean(name) }
    },
    createPortfolio: (name, options) =>
      core.call('createPortfolio', {
        json: { name },
        read: ({ portfolioId }) => ({ id: portfolioId, name }),
        options,
        subject: name,
      }),
    async addCompany(portfolio, { id, reference }, options = {}) {
      const body = { id, personalReference: reference, freeText: '', personalLimit: '' }
      try {
        await api.addCompany({ portfolioId: String(portfolio), body }, options)
        return 'added'
      } catch (error) {
        if (FettleError.is(error) && error.status === 409) return 'present'
        throw error
      }
    },
    async readRules(portfolio, country, options = {}) {
      const params = { portfolioId: String(portfolio), countryCode: country }
      return (await api.listPortfolioCountryEventRules(params, options)).map(readRule)
    },
    async setRules(portfolio, country, rules, options = {}) {
      const body = rules.map(({ code, active, params: [param0, param1, param2] }) => {
        const isActive = active ? (1 as const) : (0 as const)
        return { ruleCode: code, isActive, param0, param1, param2 }
      })
      await api.setEventRules({ portfolioId: String(portfolio), countryCode: country, body }, options)
    },
    async countCompanies(portfolio, options = {}) {
      const query = { page: 0, pageSize: 1 }
      return (await api.listPortfolioCompanies({ portfolioId: String(portfolio), query }, options)).totalCount
    },
    async listCompanies(portfolio, options = {}) {
      const found: PortfolioEntry[] = []
      const query = { pageSize: LARGE_PAGE }
      for await (const company of api.listPortfolioCompanies.all({ portfolioId: String(portfolio), query }, options))
        found.push({
          id: company.id,
          safeNumber: company.safeNumber ?? undefined,
          reference: company.personalReference ?? '',
          freeText: company.freeText ?? '',
          personalLimit: String(company.personalLimit ?? ''),
        })
      return found
    },
    async sendCompanies(portfolio, kind, companies, options = {}) {
      const content = importFile(companies)
      const file = {
        filename: 'companies.csv',
        bytes: content.length,
        async *open() {
          yield content
        },
      }
      const call = kind === 'import' ? api.importCompanies : api.syncCompanies
      try {
        const { status } = await call({ portfolioId: String(portfolio), file }, options)
        // The answer of a write that succeeded may lack it.
        return String(status ?? '')
      } catch (error) {
        if (FettleError.is(error) && MISSING.includes(error.status)) return null
        throw error
      }
    },
  }
}

function createEventRequests(api: Api): Pick<CompanyRequests, 'listEvents' | 'markEvent'> {
  return {
    async listEvents(portfolio, since, options = {}) {
      const dated = since === null ? {} : { startDate: since, filterByCreatedDate: true }
      const query = { pageSize: LARGE_PAGE, sortBy: 'eventId' as const, ...dated }
      // A page may move while it is read: an event counts once.
      const found = new Map<number, CompanyEvent>()
      for await (const event of api.listPortfolioNotificationEvents.all({ portfolioId: String(portfolio), query }, options))
        found.set(event.notificationEventId, readEvent(event))
      const time = ({ at }: CompanyEvent): number => parseWireDate(at) ?? Number.POSITIVE_INFINITY
      return [...found.values()].sort((a, b) => time(a) - time(b))
    },
    async markEvent(portfolio, event, options = {}) {
      const params = { portfolioId: String(portfolio), notificationEventId: String(event) }
      try {
        await api.markNotificationEvent({ ...params, body: { isProcessed: true } }, options)
        return true
      } catch (error) {
        if (FettleError.is(error) && NOT_MARKED.includes(error.status)) return false
        throw error
      }
    },
  }
}

type MonitorRequests = Pick<CompanyRequests, 'listSchedules' | 'createSchedules' | 'removeSchedule' | 'listAlerts'>

function createMonitorRequests(core: Core, api: Api): MonitorRequests {
  const { clean } = core.opener.tools.redactor
  return {
    async listSchedules(options = {}) {
      const found = new Map<string, Schedule>()
      for await (const schedule of api.listSchedules.all({ query: { pageSize: PAGE_SIZE } }, options)) {
        const { id, searchId, threshold = 0, datasets, countries } = schedule
        const isPerson = schedule.type?.toLowerCase() === 'individual'
        const name = isPerson ? joinFullName({ ...schedule, name: schedule.name || null }) : (schedule.name ?? '')
        const person = isPerson ? { born: readBirth(schedule) } : undefined
        const query = { name, person, threshold, datasets: datasets ?? [], countries: countries ?? [] }
        found.set(id, { id, searchId, ...query })
      }
      return [...found.values()]
    },
    createSchedules: (searches, options) =>
      core.call('createSchedules', {
        json: {
          items: searches.map(({ searchId, query: { threshold, datasets } }) => {
            return { searchId, threshold: threshold as Threshold, datasets: [...datasets] }
          }),
        },
        read: ({ failed }) =>
          Object.fromEntries(
            failed.map(({ failedItem, error }) => [String(failedItem.searchId), clean(error.detail ?? error.title ?? '')]),
          ),
        options,
        subject: `of ${searches.length} AML searches`,
      }),
    async removeSchedule(id, options = {}) {
      try {
        await api.deleteSchedule({ scheduleId: id }, options)
      } catch (error) {
        if (!FettleError.is(error) || error.status !== 404) throw error
      }
    },
    async listAlerts(options = {}) {
      const found = new Map<string, Alert>()
      for await (const hit of api.listScheduleAlerts.all({ query: { pageSize: PAGE_SIZE } }, options)) {
        const { id, scheduleId, searchId, createdAt, hitScore: score, decision } = hit
        const cleanAll = (texts: readonly string[] | null | undefined) => (texts ?? []).map(text => clean(text))
        const lists = { datasets: cleanAll(hit.datasets), countries: cleanAll(hit.countries) }
        const texts = {
          at: createdAt ?? '',
          name: clean(hit.name ?? ''),
          match: clean(hit.match ?? ''),
          decision: clean(decision),
        }
        found.set(id, { id, scheduleId, searchId, score, ...texts, ...lists })
      }
      return [...found.values()]
    },
  }
}

type ScreeningRequests = Pick<CompanyRequests, 'startScreening' | 'findScreening' | 'readListChanges' | 'readRisks' | 'readHits'>

function createScreeningRequests(core: Core, api: Api): ScreeningRequests {
  const { clean } = core.opener.tools.redactor
  const [business, individual] = [
    { list: api.listBusinessSearches, read: api.readBusinessSearch, hits: api.listBusinessHits, hit: api.readBusinessHit },
    {
      list: api.listIndividualSearches,
      read: api.readIndividualSearch,
      hits: api.listIndividualHits,
      hit: api.readIndividualHit,
    },
  ]
  const listHits = (id: string, { person }: Pick<ScreenQuery, 'person'>, options: CallOptions) => {
    const asked = { searchId: id, query: { pageSize: PAGE_SIZE } }
    return person === undefined ? business.hits.all(asked, options) : individual.hits.all(asked, options)
  }
  return {
    startScreening({ name, person, threshold, datasets, countries }, options) {
      const countryCodes = countries.length === 0 ? undefined : countries
      const call = {
        read: (search: BusinessSearch) => {
          proveSubject('AML search', name, search.name)
          return readScreening(search, core.hasListChanges)
        },
        options,
        subject: `of ${name}`,
      }
      if (person === undefined) {
        const json = { name, threshold: threshold as Threshold, datasets, countryCodes }
        return core.call('createBusinessSearch', { ...call, json })
      }
      const json = { name, threshold, datasets, countryCodes, dateOfBirth: person.born === '' ? undefined : person.born }
      return core.call('createIndividualSearch', { ...call, json })
    },
    async findScreening(query, { at, other }, options = {}) {
      const since = parseWireDate(at) ?? 0
      const time = (text: string | null | undefined): number => parseWireDate(text ?? '') ?? Number.POSITIVE_INFINITY
      // Sorted by last change, newest first (contract §6.1): older ones cannot be newer searches.
      const { list, read } = query.person === undefined ? business : individual
      for await (const search of list.all({ query: { pageSize: PAGE_SIZE } }, options)) {
        if (time(search.modifiedAt ?? search.createdAt) < since) return undefined
        if (search.id === other || time(search.createdAt) < since || (search.name ?? query.name) !== query.name) continue
        const whole = isPartial(search) ? await read({ searchId: search.id }, options) : search
        if (hasQuery(whole, query)) return readScreening(whole, core.hasListChanges)
      }
      return undefined
    },
    async readListChanges(listsKey, searches, options = {}) {
      const asked = searches.map(({ name, person, threshold, hasHits }) => {
        return { type: person === undefined ? ('business' as const) : ('individual' as const), name, threshold, hasHits }
      })
      try {
        return await core.readListChanges({ listsKey, searches: asked }, options)
      } catch (error) {
        // A service of another version may refuse the request, or answer something else.
        const isOther = FettleError.is(error) && ([...NOT_SHOWN, 400].includes(error.status) || error.code === 'FETTLE_CONTRACT')
        if (isOther) return { listsKey: '', changed: null }
        throw error
      }
    },
    async readRisks(id, query, options = {}) {
      const risks: Record<string, number> = {}
      let hits = 0
      for await (const { datasets } of listHits(id, query, options)) {
        hits += 1
        for (const dataset of datasets ?? []) risks[clean(dataset)] = (risks[clean(dataset)] ?? 0) + 1
      }
      return { hits, risks }
    },
    async readHits(id, query, options = {}) {
      const ids: string[] = []
      for await (const hit of listHits(id, query, options)) ids.push(hit.id)
      const read = query.person === undefined ? business.hit : individual.hit
      const hits: Hit[] = []
      for (const hitId of ids) hits.push(readHit(await read({ searchId: id, hitId }, options), clean))
      return hits
    },
  }
}

type TreeRequestNames = 'findTrees' | 'readTreeVersion' | 'readTreeFields' | 'runTree' | 'findRun'

const DECIDED = Object.entries(DECISION_STATUSES) as [keyof typeof DECISION_STATUSES, number][]

function createTreeRequests(core: Core, api: Api): Pick<CompanyRequests, TreeRequestNames> {
  const { clean } = core.opener.tools.redactor
  /** Any other status decides nothing, so the company is referred. */
  const readAnswer = ({ Decision, DecisionText, Audits, statusCode }: MadeDecision): TreeAnswer => {
    const [decision] = DECIDED.find(([, status]) => String(status) === statusCode?.trim()) ?? []
    const label = clean(Decision ?? '')
    const rule = clean(Audits?.find(({ RuleName }) => RuleName === 'Rule')?.description ?? '') || label
    if (decision !== undefined) return { decision, rule, why: clean(DecisionText ?? '') || label }
    const status = statusCode == null ? 'no status' : `the status ${clean(statusCode)}`
    return { decision: 'refer', rule, why: `the service answered ${status}, which decides nothing: ${label || 'no decision'}` }
  }
  return {
    async findTrees(name, options = {}) {
      const { GUIDList: all } = await api.listDecisionTrees({ query: {} }, options)
      const trees = all.map(({ GUID: id, friendlyName }) => ({ id, name: clean(friendlyName ?? id) }))
      const byId = trees.filter(({ id }) => id === name)
      return byId.length > 0 ? byId : trees.filter(tree => tree.name === name)
    },
    async readTreeFields(tree, options = {}) {
      const { fields } = await api.listDecisionFields({ provenirId: tree }, options)
      return fields.map(({ paramName, mandatory }) => ({ name: clean(paramName), isMandatory: mandatory === true }))
    },
    async readTreeVersion(tree, options = {}) {
      try {
        const { correlationId: _, ...content } = await api.readDecisionInstance({ guid: tree }, options)
        return createHash('sha256').update(JSON.stringify(content)).digest('hex')
      } catch (error) {
        if (FettleError.is(error) && NOT_SHOWN.includes(error.status)) return ''
        throw error
      }
    },
    runTree: (tree, { company, inputs }, options) =>
      core.call('runDecision', {
        params: { provenirId: tree },
        query: { companyId: company, originationId: options.key },
        json: inputs,
        read: answer => {
          proveSubject('decision', options.key, answer.originationId)
          return readAnswer(answer)
        },
        options,
        subject: `about ${company}`,
      }),
    async findRun(tree, { company }, key, options = {}) {
      const query = { provenirId: tree, companyId: company, pageSize: PAGE_SIZE }
      for await (const { originationId, response, status } of api.listDecisionLogs.all({ query }, options))
        if ((originationId ?? response?.originationId) === key)
          return readAnswer({ statusCode: status === undefined ? undefined : String(status), ...response })
      return undefined
    },
  }
}

export const createCompanyRequests = (core: Core, api: Api): CompanyRequests => ({
  ...createCandidateRequests(core, api),
  ...createPortfolioRequests(core, api),
  ...createEventRequests(api),
  ...createScreeningRequests(core, api),
  ...createMonitorRequests(core, api),
  ...createTreeRequests(core, api),
})
