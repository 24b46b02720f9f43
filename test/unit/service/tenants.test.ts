/**
 * The walk over tenants: every operation with every place in it that takes an id (path, body, query), asked by callers of other tenants
 * for an object of ann and for one that does not exist. Answers are equal to the byte, and so is what each leaves behind: callers come
 * in pairs that are alike, one asks for ann's, the other for nothing.
 */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { OPERATIONS, type Operation, type OperationName, pathOf } from '../../../src/contract/index.ts'
import { openDatabase } from '../../../src/service/storage/database.ts'
import type { Reply } from './kit.ts'
import { COMPANY, type Ids, isChange, ROLES_OF, stateOf, type Tenant, tenants, treeBody, UNKNOWN } from './tenant-world.ts'

/** A request with an id of another one in it: the rest of its ids are the caller's own. */
interface Ask {
  /** What the place is called: `{portfolioId}`, `body.items[].hitId`, `query.userId`. */
  readonly place: string
  readonly params: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly query?: string
}

/** Which id stands in a place of a path. */
function kindOf(path: string, param: string): keyof Ids | null {
  if (param === 'id') return path.startsWith('/dataCleaning') ? 'job' : path.startsWith('/monitoring') ? 'company' : null
  if (param === 'portfolioId') return 'portfolio'
  if (param === 'companyId') return 'company'
  if (param === 'notificationEventId') return 'notice'
  if (param === 'guid' || param === 'provenirId') return 'tree'
  if (param === 'decisionLogId') return 'decision'
  if (param === 'scheduleId') return 'schedule'
  const type = path.includes('/businesses') ? 'business' : 'individual'
  return param === 'searchId' ? type : param === 'hitId' ? `${type}Hit` : null
}

const NOTES = { personalReference: 'theirs', freeText: '', personalLimit: '' }
const RULE = [{ ruleCode: 105, isActive: 1 }]
const HIT = { decision: 'trueMatch', note: 'theirs' }
const SEARCH = { status: 'closed', riskRating: 'high', note: 'theirs' }

/** Bodies with which each operation on something in its path would have an effect; `own` are the caller's ids. */
const BODIES: { readonly [Name in OperationName]?: (own: Ids) => unknown } = {
  upload: () => form('jobFile', 'name\ntheirs\n', { hasHeader: 'true' }),
  setMappings: () => ({ mappings: [] }),
  submit: () => ({}),
  setEnrichments: () => ({ enrichments: [] }),
  enrich: () => ({}),
  archive: () => ({}),
  updateBusinessSearch: () => SEARCH,
  updateIndividualSearch: () => SEARCH,
  decideBusinessHits: own => ({ items: [{ hitId: own.businessHit, ...HIT }] }),
  decideIndividualHits: own => ({ items: [{ hitId: own.individualHit, ...HIT }] }),
  decideBusinessHit: () => HIT,
  decideIndividualHit: () => HIT,
  noteBusinessHit: () => ({ note: 'theirs' }),
  noteIndividualHit: () => ({ note: 'theirs' }),
  updateSchedule: () => ({ threshold: 80 }),
  changePortfolio: () => ({ name: 'theirs' }),
  copyCompanies: own => ({ portfolios: [Number(own.empty)], companies: [{ id: COMPANY.all }] }),
  moveCompanies: own => ({ portfolios: [Number(own.empty)], companies: [{ id: COMPANY.all }] }),
  clearCompanies: () => ({ companies: [COMPANY.all] }),
  addCompany: () => ({ id: COMPANY.free, ...NOTES }),
  changeCompany: () => NOTES,
  importCompanies: () => form('importcsv', `Safe Number\n${COMPANY.free}\n`),
  syncCompanies: () => form('importcsv', `Safe Number\n${COMPANY.free}\n`),
  setEventRules: () => RULE,
  markNotificationEvent: () => ({ isProcessed: true }),
  markAnyNotificationEvent: () => ({ isProcessed: true }),
  changeDecisionInstance: own => treeBody(own.tree),
  runDecision: () => ({ amount: 1 }),
  changeDecisionLog: () => ({ statusCode: 3, notes: 'theirs' }),
  changeDecisionOutcome: () => ({ decisionOutcomes: [{ status: 1, label: 'theirs' }] }),
  changeSharing: own => ({ userPermissions: [{ csUserId: Number(own.user), permissions: 'View' }] }),
}

function form(file: string, text: string, fields: Record<string, string> = {}): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  data.append(file, new Blob([text]), 'theirs.csv')
  return data
}

const items = (item: object) => ({ items: [item] })
const copies = (portfolios: readonly string[], ...companies: readonly string[]) => ({
  portfolios: portfolios.map(Number),
  companies: companies.map(id => ({ id })),
})

/** What stands in bodies and queries; `it` are the ids of the other one, or ids of nothing. */
const INSIDE: { readonly [Name in OperationName]?: (own: Ids, it: Ids) => (Omit<Ask, 'params'> & { params?: Ask['params'] })[] } =
  {
    listJobs: (_, it) => [{ place: 'query.userId', query: `?userId=${it.user}` }],
    updateBusinessSearches: (own, it) => searches(own.business, it.business, it.user),
    updateIndividualSearches: (own, it) => searches(own.individual, it.individual, it.user),
    updateBusinessSearch: (_, it) => [assigned(it.user)],
    updateIndividualSearch: (_, it) => [assigned(it.user)],
    decideBusinessHits: (_, it) => [{ place: 'body.items[].hitId', body: items({ hitId: it.businessHit, ...HIT }) }],
    decideIndividualHits: (_, it) => [{ place: 'body.items[].hitId', body: items({ hitId: it.individualHit, ...HIT }) }],
    createSchedules: (_, it) => [{ place: 'body.items[].searchId', body: items({ searchId: it.individual }) }],
    updateSchedules: (_, it) => [{ place: 'body.items[].scheduleId', body: items({ scheduleId: it.schedule, threshold: 80 }) }],
    // Ids of schedules and of their searches.
    deleteSchedules: (_, it) => [{ place: 'body.items[]', body: { items: [it.schedule, it.business] } }],
    copyCompanies: copied('copyAll'),
    moveCompanies: copied('removeAll'),
    changeDecisionInstance: (own, it) => [{ place: 'body.guid', params: { guid: own.tree }, body: treeBody(it.tree) }],
    listDecisionInstances: (_, it) => [{ place: 'query.userId', query: `?userId=${it.user}` }],
    listDecisionLogs: (_, it) => [
      { place: 'query.provenirId', query: `?provenirId=${it.tree}` },
      { place: 'query.companyId', query: `?companyId=${it.company}` },
    ],
    clearCompanies: (_, it) => [{ place: 'body.companies[]', body: { companies: [it.company] } }],
    addCompany: (_, it) => [{ place: 'body.id', body: { id: it.company, ...NOTES } }],
  }

const assigned = (user: string) => ({ place: 'body.assignedToUserId', body: { ...SEARCH, assignedToUserId: Number(user) } })

const searches = (own: string, search: string, user: string) => [
  { place: 'body.items[].searchId', body: items({ searchId: search, ...SEARCH }) },
  { place: 'body.items[].assignedToUserId', body: items({ searchId: own, ...SEARCH, assignedToUserId: Number(user) }) },
]

function copied(all: string) {
  return (own: Ids, it: Ids) => [
    // A company that ann's portfolio holds, one that it does not hold, and both; alone, and beside a portfolio of the caller.
    { place: 'body.portfolios[]', body: copies([it.portfolio], COMPANY.all) },
    { place: 'body.portfolios[]', body: copies([it.portfolio], COMPANY.free) },
    { place: 'body.portfolios[]', body: copies([it.portfolio, it.empty], COMPANY.all, COMPANY.free) },
    { place: 'body.portfolios[]', body: copies([own.empty, it.portfolio], COMPANY.all) },
    { place: 'body.portfolios[]', body: copies([it.portfolio]), query: `?${all}=true` },
    { place: 'body.companies[].id', body: copies([own.empty], it.company) },
  ]
}

/** Names of places in a schema whose value can be the id of an object, as `body.items[].hitId`. */
function placesIn(schema: z.core.JSONSchema._JSONSchema, at: string): string[] {
  if (typeof schema === 'boolean') return []
  const inside = [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.oneOf ?? [])].flatMap(one => placesIn(one, at))
  if (schema.items !== undefined && !Array.isArray(schema.items)) inside.push(...placesIn(schema.items, `${at}[]`))
  for (const [name, one] of Object.entries(schema.properties ?? {})) inside.push(...placesIn(one, `${at}.${name}`))
  const isLeaf = inside.length === 0 && /(?:^|[.a-z])(?:id|ids|Id|Ids|portfolios|companies|items)(?:\[\])?$/.test(at)
  return isLeaf ? [at] : [...new Set(inside)]
}

const jsonOf = (schema: unknown) =>
  z.toJSONSchema(schema as z.ZodType, { io: 'input', unrepresentable: 'any' }) as z.core.JSONSchema._JSONSchema

/** Places that name no object of a tenant, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'changeSharing body.userPermissions[].csUserId': 'a portfolio is shared with a user by number, which has to be right',
  'listJobs query.customerId': 'there is one customer',
  'listDecisionInstances query.customerId': 'there is one customer',
  'changeDecisionInstance body.customerId': 'a number that is kept',
  'changeDecisionInstance body.templateId': 'a text that is kept',
  'runDecision query.companyId': 'a company of the register',
  'runDecision query.originationId': 'a text that is kept',
  'readReport {id}': 'a company of the register',
  'readPerson {peopleId}': 'a person of the register',
  'searchPeople query.peopleId': 'a person of the register',
  'searchCompanies query.id': 'a company of the register',
  'searchCompaniesGlobally query.id': 'a company of the register',
}

/** Every place of every operation that takes an id, as the contract has them. */
function places(): string[] {
  return Object.entries(OPERATIONS as Readonly<Record<string, Operation>>).flatMap(([name, { path, request, query }]) => {
    const found = [...path.matchAll(/\{(\w*[iI]d)\}/g)].map(([place]) => place)
    if (request !== null && request !== 'multipart') found.push(...placesIn(jsonOf(request), 'body'))
    if (query !== null) found.push(...placesIn(jsonOf(query), 'query'))
    return found.map(place => `${name} ${place}`)
  })
}

/** Every request of the walk on one operation. */
function asksOf(name: OperationName, own: Ids, it: Ids): Ask[] {
  const { path } = OPERATIONS[name]
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => ({ param, kind: kindOf(path, param) }))
  const fill = (foreign: readonly string[]) =>
    Object.fromEntries(named.map(({ param, kind }) => [param, kind === null ? 'XX' : (foreign.includes(param) ? it : own)[kind]]))
  const ids = named.filter(({ kind }) => kind !== null).map(({ param }) => param)
  // Each alone among the caller's own, and all together.
  const choices = ids.length > 1 ? [...ids.map(one => [one]), ids] : ids.map(one => [one])
  const body = BODIES[name]?.(own)
  // Without the company a decision would be refused before its tree is looked up.
  const query = name === 'runDecision' ? `?companyId=${COMPANY.all}` : undefined
  const inPath = choices.map(foreign => ({ place: `{${foreign.join('} {')}}`, params: fill(foreign), body, query }))
  return [...inPath, ...(INSIDE[name]?.(own, it) ?? []).map(one => ({ params: fill([]), ...one }))]
}

/** Ids by what they are, so that those of a pair are the same; what is left of the other's ids would still show. */
function plain(text: string, { ids }: Tenant, it: Ids): string {
  let out = text
    .replaceAll(/"correlationId":"[^"]*"/g, '')
    .replaceAll(/\b(?:operator|admin|reader|friend)[12]\b/g, 'CALLER')
    .replaceAll(/\bUK\d{15}\b/g, 'SAFE NUMBER')
  for (const [kind, id] of Object.entries(it)) out = out.replaceAll(id, `THE ${kind}`)
  for (const [kind, id] of Object.entries(ids)) out = out.replaceAll(id, `OWN ${kind}`)
  const seen: string[] = []
  return out.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, id => {
    if (!seen.includes(id)) seen.push(id)
    return `ID ${seen.indexOf(id)}`
  })
}

/** The state of a caller in the words of the pair. */
const stateLike = async (tenant: Tenant, it: Ids): Promise<string[]> =>
  (await stateOf(tenant)).map(text => plain(text, tenant, it))

const answerOf = ({ status, body, headers }: Reply): string =>
  JSON.stringify([status, headers.get('content-type'), headers.get('retry-after'), body])

test('every place that takes an id is walked, or named as none of a tenant', () => {
  const own = UNKNOWN
  const walked = (Object.keys(OPERATIONS) as OperationName[]).flatMap(name =>
    asksOf(name, own, UNKNOWN).flatMap(({ place }) => place.split(' ').map(one => `${name} ${one}`)),
  )
  const listed = new Set([...walked, ...Object.keys(ELSEWHERE)])
  expect(places().filter(place => !listed.has(place))).toEqual([])
  expect([...listed].filter(place => !places().includes(place))).toEqual([])
})

test('an object of another tenant is, to every operation and in every place, one that does not exist: in answers and in effects', async () => {
  const { service, dataDir, clock, ann, tenant } = await tenants()
  const [first, before] = [await stateOf(ann), new Set<string>()]
  let asked = 0
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const operation = OPERATIONS[name]
    for (const role of Object.keys(ROLES_OF)) {
      const [one, other] = [tenant(`${role}1`), tenant(`${role}2`)]
      const theirs = asksOf(name, one.ids, ann.ids)
      const none = asksOf(name, other.ids, UNKNOWN)
      for (const [index, ask] of theirs.entries()) {
        const like = none[index] as Ask
        clock.move(1)
        const send = ({ caller }: Tenant, { params, body, query = '' }: Ask) =>
          caller.call(operation.method, pathOf(operation, params) + query, body)
        const [foreign, unknown] = [await send(one, ask), await send(other, like)]
        const title = `${role}: ${name} ${ask.place}`
        expect(plain(answerOf(foreign), one, ann.ids), title).toBe(plain(answerOf(unknown), other, UNKNOWN))
        // A guid that is not in the body is 400, whoever has a tree of it.
        if (name === 'changeDecisionInstance') expect([400, 403], title).toContain(foreign.status)
        else if (ask.place.startsWith('{') && ask.place !== '{companyId}' && name !== 'listCompanyEvents') {
          expect([403, 404], title).toContain(foreign.status)
        }
        before.add(`${name} ${ask.place}`)
        asked += 1
      }
      if (theirs.length === 0 || !isChange(name) || role !== 'operator') continue
      expect(await stateLike(one, ann.ids), `${role} after ${name}`).toEqual(await stateLike(other, UNKNOWN))
      expect(await stateOf(ann), `ann after ${name}`).toEqual(first)
    }
  }
  for (const role of Object.keys(ROLES_OF)) {
    const [one, other] = [tenant(`${role}1`), tenant(`${role}2`)]
    expect(await stateLike(one, ann.ids), role).toEqual(await stateLike(other, UNKNOWN))
  }
  expect(await stateOf(ann)).toEqual(first)
  await service.close()
  const database = openDatabase(dataDir)
  const kept = database.all<{ hit: string }>('SELECT DISTINCT hit FROM snapshots').map(row => row.hit)
  database.close()
  expect(kept.filter(hit => [ann.ids.businessHit, ann.ids.individualHit].includes(hit))).toEqual([])
  const operations = new Set([...before].map(place => place.split(' ')[0])).size
  console.log(`${operations} operations, ${before.size} places of ids, ${Object.keys(ROLES_OF).length} callers: ${asked} pairs`)
  expect(asked).toBeGreaterThan(250)
}, 240_000)
