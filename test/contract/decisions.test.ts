/** The decision engine, told by HTTP alone (contract §11.5): trees, decisions, their log and outcomes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Call, caller } from './call.ts'
import { openTarget, type Target } from './target.ts'

let target: Target
let call: Call
let connectId: string

beforeAll(async () => {
  target = await openTarget()
  const { username, password } = target
  const login = await caller(target, null)('authenticate', { body: { username, password } })
  call = caller(target, login.body.token)
  connectId = target.companies[0]
})

afterAll(() => target?.close())

const TABLE = {
  fields: { amount: { type: 'number' }, state: { from: 'general.status' } },
  rules: [
    { name: 'inactive', when: { state: { not: 'active' } }, decision: 'decline', because: 'it is not active' },
    { name: 'large', when: { amount: { '>': 5000 } }, decision: 'refer' },
  ],
  otherwise: 'accept',
  tests: [{ name: 'a large amount', row: { state: 'active', amount: 9000 }, expect: { decision: 'refer', rule: 'large' } }],
}
const bodyOf = (guid: string, table: unknown = TABLE) => ({
  ...{ templateId: 'table', guid, decisionTreeName: `Tree ${guid}`, configurationVariables: table },
})
let trees = 0
async function newTree(table: unknown = TABLE): Promise<string> {
  trees += 1
  const guid = `tree-${trees}`
  expect((await call('changeDecisionInstance', { params: { guid }, body: bodyOf(guid, table) })).body.version).toBe(1)
  return guid
}
const run = (provenirId: string, body: object, query: Record<string, string> = {}) =>
  call('runDecision', { params: { provenirId }, query: { companyId: connectId, ...query }, body })

describe('a tree', () => {
  test('is made, read, listed and changed; equal content does not make a version', async () => {
    const guid = await newTree()
    const params = { guid }
    const again = await call('changeDecisionInstance', { params, body: bodyOf(guid) })
    expect(again.body).toMatchObject({ guid, decisionTreeName: `Tree ${guid}`, version: 1, configurationVariables: TABLE })
    const { configurationVariables: _, ...renamed } = { ...bodyOf(guid), decisionTreeName: 'Renamed' }
    const changed = await call('changeDecisionInstance', { params, body: renamed })
    expect(changed.body).toMatchObject({ decisionTreeName: 'Renamed', version: 2, configurationVariables: TABLE })
    expect((await call('readDecisionInstance', { params })).body.version).toBe(2)
    const { instances } = (await call('listDecisionInstances')).body
    expect(instances).toContainEqual({ guid, decisionTreeName: 'Renamed' })
    const list = (query: Record<string, string>) => call('listDecisionTrees', { query })
    expect((await list({ type: 'Bespoke' })).body.GUIDList).toContainEqual({
      ...{ friendlyName: 'Renamed', GUID: guid, type: 'Bespoke', serviceLine: null },
    })
    expect((await list({ type: 'Demo' })).body.GUIDList).toEqual([])
    const names = (answer: { body: { GUIDList: { friendlyName: string }[] } }) =>
      answer.body.GUIDList.map(tree => tree.friendlyName)
    expect(names(await list({ sortDir: 'desc' }))).toEqual(names(await list({})).reverse())
  })

  test('takes the fields that are not read from the register', async () => {
    const provenirId = await newTree()
    const { decisionEngineId, fields } = (await call('listDecisionFields', { params: { provenirId } })).body
    expect(decisionEngineId).toBe(provenirId)
    expect(fields).toEqual([
      expect.objectContaining({ orderIndex: 100, label: 'amount', paramName: 'amount', fieldType: 'Integer' }),
    ])
  })

  test.each<[string, unknown, string]>([
    ['no table', null, 'a new tree needs a decision table'],
    ['no rules', { otherwise: 'accept' }, 'configurationVariables.rules: expected a list of rules'],
    ['an unknown key', { ...TABLE, rule: [] }, 'rule'],
    ['a wrong decision', { ...TABLE, otherwise: 'perhaps' }, 'configurationVariables.otherwise: expected one of'],
    [
      'a value that does not compare',
      { ...TABLE, rules: [{ name: 'a', when: { amount: { '>': 'x' } }, decision: 'refer' }] },
      'rules[0]',
    ],
    ['a test that fails', { ...TABLE, tests: [{ name: 't', row: { amount: 1 }, expect: 'accept' }] }, 'the test "t" fails'],
  ])('with %s is 400', async (_, table, details) => {
    const answer = await call('changeDecisionInstance', { params: { guid: 'wrong' }, body: bodyOf('wrong', table) })
    expect([answer.status, answer.body.details]).toEqual([400, expect.stringContaining(details)])
    expect((await call('readDecisionInstance', { params: { guid: 'wrong' } })).status).toBe(404)
  })

  test('has the guid of its path', async () => {
    expect((await call('changeDecisionInstance', { params: { guid: 'one' }, body: bodyOf('two') })).status).toBe(400)
  })
})

describe('a decision', () => {
  test('names its rule and values, and is logged with inputs, rule and version', async () => {
    const guid = await newTree()
    const made = await run(guid, { amount: 6000 }, { originationId: 'S-1' })
    expect(made.body).toEqual({
      Decision: 'Refer',
      DecisionText: 'amount > 5000 (amount 6000)',
      Audits: [
        { RuleName: 'Rule', description: 'large' },
        { RuleName: 'Version', description: '1' },
        { RuleName: 'amount', description: '6000' },
        { RuleName: 'state', description: 'active' },
      ],
      originationId: 'S-1',
      statusCode: '2',
    })
    const { body } = await call('listDecisionLogs', { query: { provenirId: guid } })
    expect(body.totalCount).toBe(1)
    expect(body.usageLog[0]).toMatchObject({
      ...{ provenirId: guid, friendlyName: `Tree ${guid}`, companyId: connectId, response: made.body, originationId: 'S-1' },
      ...{ status: 2, notes: null, inputs: { amount: '6000', state: 'active' }, rule: 'large', version: 1 },
    })
  })

  test('follows the rules; a missing or unreadable value refers, an unknown key is ignored and named', async () => {
    const guid = await newTree()
    const statuses = []
    for (const body of [{ amount: 1 }, { amount: '6000' }, {}, { amount: 'much' }])
      statuses.push((await run(guid, body)).body.statusCode)
    expect(statuses).toEqual(['1', '2', '2', '2'])
    expect((await run(guid, {})).body.DecisionText).toBe('amount is missing')
    const ignored = await run(guid, { amount: 1, state: 'dissolved' })
    expect([ignored.body.statusCode, ignored.headers.get('x-ignored-keys')]).toEqual(['1', 'state'])
  })

  test('of an unknown tree or company is 404, of a value that is a list 400, and none is logged', async () => {
    const guid = await newTree()
    expect((await run('tree-unknown', {})).status).toBe(404)
    expect((await run(guid, {}, { companyId: 'GB-X-00' })).status).toBe(404)
    expect((await run(guid, { amount: [1] })).status).toBe(400)
    expect((await call('runDecision', { params: { provenirId: guid }, body: {} })).status).toBe(400)
    expect((await call('listDecisionLogs', { query: { provenirId: guid } })).body.totalCount).toBe(0)
  })

  test('is made once for an Idempotency-Key', async () => {
    const guid = await newTree()
    const headers = { 'Idempotency-Key': `once-${guid}` }
    const again = () =>
      call('runDecision', { params: { provenirId: guid }, query: { companyId: connectId }, body: { amount: 1 }, headers })
    expect((await again()).body).toEqual((await again()).body)
    expect((await call('listDecisionLogs', { query: { provenirId: guid } })).body.totalCount).toBe(1)
  })

  test('stays as it was made when its tree is changed', async () => {
    const guid = await newTree()
    await run(guid, { amount: 6000 })
    const [{ decisionLogId }] = (await call('listDecisionLogs', { query: { provenirId: guid } })).body.usageLog
    const before = (await call('readDecisionLog', { params: { decisionLogId } })).body
    const table = { ...TABLE, rules: TABLE.rules.slice(0, 1), tests: [], fields: { state: TABLE.fields.state } }
    expect((await call('changeDecisionInstance', { params: { guid }, body: bodyOf(guid, table) })).body.version).toBe(2)
    const after = (await call('readDecisionLog', { params: { decisionLogId } })).body
    expect(after).toEqual({ ...before, correlationId: after.correlationId })
    expect((await run(guid, { amount: 6000 })).body.statusCode).toBe('1')
    const versions = (await call('listDecisionLogs', { query: { provenirId: guid } })).body.usageLog.map(
      (made: { version: number }) => made.version,
    )
    expect(versions).toEqual([2, 1])
  })

  test('takes a status and notes from a person, beside what was decided', async () => {
    const guid = await newTree()
    await run(guid, { amount: 6000 })
    const [{ decisionLogId }] = (await call('listDecisionLogs', { query: { provenirId: guid } })).body.usageLog
    const params = { decisionLogId }
    expect((await call('changeDecisionLog', { params, body: { notes: 'called' } })).body).toMatchObject({
      status: 2,
      notes: 'called',
    })
    const approved = (await call('changeDecisionLog', { params, body: { statusCode: 5 } })).body
    expect(approved).toMatchObject({ status: 5, notes: 'called', response: { statusCode: '2' }, rule: 'large' })
    const count = async (status: string) =>
      (await call('listDecisionLogs', { query: { provenirId: guid, status } })).body.totalCount
    expect([await count('5'), await count('2')]).toEqual([1, 0])
    for (const body of [{}, { statusCode: 4 }]) expect((await call('changeDecisionLog', { params, body })).status).toBe(400)
    expect((await call('readDecisionLog', { params: { decisionLogId: '1' } })).status).toBe(404)
  })

  test('is found by company, name and date', async () => {
    const guid = await newTree()
    await run(guid, { amount: 1 })
    const count = async (query: Record<string, string>) =>
      (await call('listDecisionLogs', { query: { provenirId: guid, ...query } })).body.totalCount
    const today = new Date().toISOString().slice(0, 10)
    const yes: Record<string, string>[] = [{ companyId: connectId }, { fromDate: today }, { toDate: today }]
    const no: Record<string, string>[] = [
      { companyId: 'GB-X-00' },
      { companyName: 'nobody' },
      { fromDate: '2999-01-01' },
      { toDate: '2000-01-01' },
    ]
    for (const query of yes) expect(await count(query), JSON.stringify(query)).toBe(1)
    for (const query of no) expect(await count(query), JSON.stringify(query)).toBe(0)
  })
})

describe('outcomes', () => {
  test('are the words of decisions, and manual review can be ruled out', async () => {
    const guid = await newTree()
    const params = { guid }
    const first = (await call('readDecisionOutcome', { params })).body
    expect(first).toMatchObject({
      includeInManualReview: true,
      decisionOutcomes: { items: [{ status: 1, label: 'Accept' }, {}, {}] },
    })
    const decisionOutcomes = [{ status: 1, label: 'Approve', description: 'Within the limit' }]
    expect(
      (await call('changeDecisionOutcome', { params, body: { decisionOutcomes, includeInManualReview: false } })).status,
    ).toBe(200)
    expect((await run(guid, { amount: 1 })).body).toMatchObject({ Decision: 'Approve', statusCode: '1' })
    const [{ decisionLogId }] = (await call('listDecisionLogs', { query: { provenirId: guid } })).body.usageLog
    const change = (body: object) => call('changeDecisionLog', { params: { decisionLogId }, body })
    expect([(await change({ statusCode: 6 })).status, (await change({ notes: 'n' })).status]).toEqual([400, 200])
    expect((await call('readDecisionOutcome', { params: { guid: 'tree-unknown' } })).status).toBe(404)
    expect((await call('changeDecisionOutcome', { params: { guid: 'tree-unknown' }, body: { decisionOutcomes } })).status).toBe(
      404,
    )
  })
})
