/** A service with the objects of several tenants: those of ann, which are to stay hers, and those of pairs of callers that are alike. */
import { expect, onTestFinished } from 'vitest'
import { OPERATIONS, type Role, roleOf } from '../../../src/contract/index.ts'
import { addUser } from '../../../src/service/index.ts'
import type { ChangeSet, ChangeSource } from '../../../src/service/monitoring/changes.ts'
import { start } from '../../../src/service/server.ts'
import { eventually } from '../../support/eventually.ts'
import { engine } from './engine.ts'
import { type Caller, HandClock, logIn, type Reply, temporaryFolder } from './kit.ts'

/** Held by all, by ann alone, by none; the last one is the unknown that is asked for in place of ann's. */
export const COMPANY = { all: 'GB-X-01', free: 'GB-X-02', ann: 'GB-X-04', none: 'GB-X-05' } as const

const PASSWORD = 'correct horse battery'
const SEARCHES = '/compliance/kyc-protect/searches'
const SCHEDULES = '/compliance/kyc-protect/schedules'
const PORTFOLIOS = '/monitoring/portfolios'
const DECISIONS = '/decisionEngine'

/** The instance of a decision tree. */
export const treeBody = (guid: string) => ({
  ...{ templateId: 'table', guid, decisionTreeName: 'Limits' },
  configurationVariables: {
    fields: { amount: { type: 'number' } },
    rules: [{ name: 'large', when: { amount: { '>': 5000 } }, decision: 'refer' }],
    otherwise: 'accept',
  },
})

/** Two more companies than the tests' engine has, which differ in their numbers only. */
const more = [COMPANY.ann, COMPANY.none].map(connectId => ({ ...engine.at(0), id: connectId, connectId, name: 'DORN LTD' }))
const larger = {
  ...engine,
  size: engine.size + more.length,
  at: (place: number) => more[place - engine.size] ?? engine.at(place),
  find: (id: string) => more.find(one => one.connectId === id) ?? engine.find(id),
}

/** Ids of every kind that a request can name. */
export interface Ids {
  readonly job: string
  readonly portfolio: string
  readonly empty: string
  readonly notice: string
  readonly business: string
  readonly businessHit: string
  readonly individual: string
  readonly individualHit: string
  readonly schedule: string
  readonly tree: string
  readonly decision: string
  readonly user: string
  readonly company: string
}

/** Ids of the same form that nothing has. */
export const UNKNOWN: Ids = {
  ...{ job: '00000000-0000-4000-8000-000000000000', portfolio: '99999999', empty: '99999998', notice: '99999997' },
  ...{ business: '00000000-0000-4000-8000-000000000001', businessHit: '00000000-0000-4000-8000-000000000002' },
  ...{ individual: '00000000-0000-4000-8000-000000000003', individualHit: '00000000-0000-4000-8000-000000000004' },
  schedule: '00000000-0000-4000-8000-000000000005',
  ...{ tree: 'tree-of-nobody', decision: '99999995' },
  ...{ user: '99999996', company: COMPANY.none },
}

const idsIn = (body: { items: { id: string }[] }): string => body.items[0]?.id ?? ''

/** A caller and what belongs to them. */
export interface Tenant {
  readonly name: string
  readonly caller: Caller
  readonly ids: Ids
}

/** Makes one object of each kind; `company` is in the portfolio beside the one that all hold. */
async function furnish(
  name: string,
  caller: Caller,
  company: string,
): Promise<Omit<Tenant, 'ids'> & { ids: Omit<Ids, 'notice'> }> {
  const made = async (path: string, body: unknown): Promise<Reply> => {
    const reply = await caller.call('POST', path, body)
    expect([200, 201], JSON.stringify(reply.body)).toContain(reply.status)
    return reply
  }
  const job = await caller.submitted('name\nAcme Ltd\n')
  await caller.reach(job, 'jobMatchingComplete')
  await caller.call('POST', `/dataCleaning/jobs/${job}/enrich`, {})
  await caller.reach(job, 'enrichmentComplete')
  const portfolio = String((await made(PORTFOLIOS, { name: `held by ${name}` })).body.portfolioId)
  const empty = String((await made(PORTFOLIOS, { name: `empty of ${name}` })).body.portfolioId)
  for (const id of new Set([COMPANY.all, company])) {
    await made(`${PORTFOLIOS}/${portfolio}/companies`, { id, personalReference: '', freeText: '', personalLimit: '' })
  }
  await caller.call('PUT', `${PORTFOLIOS}/${portfolio}/eventRules/XX`, [{ ruleCode: 900104, isActive: 1 }])
  const common = { threshold: 75, datasets: ['SAN'] }
  const business = (await made(`${SEARCHES}/businesses`, { ...common, name: 'Varnix Steel' })).body.id
  const individual = (await made(`${SEARCHES}/individuals`, { ...common, firstName: 'Zalmir', lastName: 'Quorvath' })).body.id
  const businessHit = idsIn((await caller.call('GET', `${SEARCHES}/businesses/${business}/hits`)).body)
  const individualHit = idsIn((await caller.call('GET', `${SEARCHES}/individuals/${individual}/hits`)).body)
  const schedule = (await made(SCHEDULES, { items: [{ searchId: business }] })).body.successful[0].id
  const tree = `tree-of-${name}`
  expect((await caller.call('PUT', `${DECISIONS}/instance/${tree}`, treeBody(tree))).status).toBe(200)
  await made(`${DECISIONS}/${tree}?companyId=${COMPANY.all}`, { amount: 1 })
  const decision = String((await caller.call('GET', `${DECISIONS}/usageLog`)).body.usageLog[0].decisionLogId)
  const user = String((await caller.call('GET', '/monitoring/user/details')).body[0].csUserId)
  return {
    name,
    caller,
    ids: { job, portfolio, empty, business, businessHit, individual, individualHit, schedule, tree, decision, user, company },
  }
}

/** What a caller sees of everything that is theirs, a text for each list. */
export async function stateOf({ caller, ids }: Tenant): Promise<string[]> {
  const { business, individual, portfolio, empty } = ids
  const paths = [
    ...['/dataCleaning/jobs?pageSize=1000', '/access', '/monitoring/notificationEvents', PORTFOLIOS],
    ...[portfolio, empty].flatMap(id =>
      ['', '/companies', '/eventRules/XX', '/sharingPermissions'].map(rest => `${PORTFOLIOS}/${id}${rest}`),
    ),
    ...['/GUID?decisionOutcome=true', `/instance/${ids.tree}`, '/usageLog'].map(rest => `${DECISIONS}${rest}`),
    ...['businesses', 'individuals'].map(type => `${SEARCHES}/${type}`),
    ...[SCHEDULES, `${SCHEDULES}/amlAlerts`],
    ...[`${SEARCHES}/businesses/${business}/hits`, `${SEARCHES}/individuals/${individual}/hits`],
  ]
  const replies = []
  for (const path of paths) {
    const { status, body } = await caller.call('GET', path)
    replies.push(JSON.stringify([path, status, body]).replaceAll(/"correlationId":"[^"]*"/g, ''))
  }
  return replies
}

/** Who walks: another tenant's users of each role, and one with whom ann shares a portfolio that the walk does not name. */
export const ROLES_OF: Readonly<Record<string, Role>> = {
  operator: 'operator',
  admin: 'admin',
  reader: 'reader',
  friend: 'operator',
}

/** The world. */
export async function tenants() {
  const dataDir = await temporaryFolder()
  const clock = new HandClock()
  const add = (username: string, role: Role, tenant = username): Promise<void> =>
    addUser(dataDir, { username, password: PASSWORD, role, tenant, now: new Date(0) })
  await add('ann', 'operator')
  for (const [name, role] of Object.entries(ROLES_OF)) {
    for (const twin of [1, 2]) await add(`${name}${twin}`, role, role === 'reader' ? `operator${twin}` : `${name}${twin}`)
  }
  const sets: ChangeSet[] = []
  const changes: ChangeSource = {
    async *after({ sequences }) {
      for (const set of sets) if ((sequences.get(set.register) ?? 0) < set.sequence) yield set
    },
  }
  const limits = { tokenMs: 86_400_000 }
  const service = await start({ dataDir, users: [], clock, limits }, larger, [], { changes })
  onTestFinished(() => service.close())
  const as = (username: string): Promise<Caller> => logIn({ url: service.url, username, password: PASSWORD })

  const furnished = [await furnish('ann', await as('ann'), COMPANY.ann)]
  for (const [name, role] of Object.entries(ROLES_OF)) {
    if (role === 'reader') continue
    for (const twin of [1, 2]) furnished.push(await furnish(`${name}${twin}`, await as(`${name}${twin}`), COMPANY.free))
  }
  const set = { register: 'one', sequence: 1, snapshotDate: '2026-01-15' }
  sets.push({ ...set, changes: [{ connectId: COMPANY.all, field: 'name', old: 'ACME LTD', new: 'ACME PLC' }] })
  clock.move(60_000)
  const all = new Map<string, Tenant>()
  for (const one of furnished) {
    const notice = await eventually(async () => {
      const { data } = (await one.caller.call('GET', '/monitoring/notificationEvents')).body
      expect(data).toHaveLength(1)
      return String(data[0].notificationEventId)
    })
    all.set(one.name, { ...one, ids: { ...one.ids, notice } })
  }
  for (const twin of [1, 2]) {
    const { ids } = all.get(`operator${twin}`) as Tenant
    all.set(`reader${twin}`, { name: `reader${twin}`, caller: await as(`reader${twin}`), ids })
  }
  const ann = all.get('ann') as Tenant
  // What ann shares is another portfolio than the one that the walk asks for.
  const { portfolioId } = (await ann.caller.call('POST', PORTFOLIOS, { name: 'shared' })).body
  for (const twin of [1, 2]) {
    const csUserId = Number(all.get(`friend${twin}`)?.ids.user)
    const body = { userPermissions: [{ csUserId, permissions: 'View,Add' }] }
    expect((await ann.caller.call('PATCH', `${PORTFOLIOS}/${portfolioId}/sharingPermissions`, body)).status).toBe(200)
  }
  return { service, dataDir, clock, ann, tenant: (name: string) => all.get(name) as Tenant }
}

/** Whether an operation can change anything. */
export const isChange = (name: keyof typeof OPERATIONS): boolean => roleOf(OPERATIONS[name]) !== 'reader'
