/** A run that asks for candidates, at the embedded service and at one that lacks `/companies/match`. */
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connect } from '../../../src/client/index.ts'
import { run } from '../../../src/index.ts'
import { serve } from '../../../src/service/index.ts'
import { type Place, place } from '../../support/place.ts'
import { counting } from '../../system/cli/servers.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

const ROWS = `name,orgNumber,country
Varnix Steel Ltd,11076475,GB
Pradyne Services,,GB
Qwxzv Kjhgf,,GB
`

test('a run asks once about the row that the service did not match', async () => {
  here.write('in.csv', ROWS)
  const pipeline = here.pipeline({
    service: 'embedded',
    register: 'sample',
    mappings: { name: 'name', orgNumber: 'orgNumber', country: 'country' },
    accept: { banding: ['A', 'B'] },
    candidates: { for: ['unmatched'], limit: 10 },
    output: 'out.csv',
  })
  const report = await run(pipeline, here.options({}))
  const [result] = report.results
  expect(report).toMatchObject({ exitCode: 0, ledger: { adds: true }, totals: { rows: 3, matched: 2 } })
  expect(result?.candidates).toMatchObject({ lost: 0, refused: 0, left: 0, incomplete: 0 })
  expect(result?.candidates).toMatchObject({ questions: 1, asked: 1 })
  expect(result?.stages.map(({ name, status }) => [name, status]).at(-1)).toEqual(['candidates', 'success'])
})

test('the two operations give companies in one form', async () => {
  const service = await serve({
    dataDir: join(here.folder, 'service'),
    registerDir: join(here.folder, 'none'),
    registers: ['sample'],
    users: [],
  })
  const client = connect({ url: service.url, username: service.username, password: service.password })
  try {
    const query = { name: 'Varnix Steel Ltd', country: 'GB', regNo: '11076475' }
    const [matched] = await client.findCandidates(query, 'match')
    const [searched] = await client.findCandidates(query, 'search')
    expect(matched).toMatchObject({
      id: searched?.id,
      name: searched?.name,
      tags: searched?.tags,
      fields: { orgNumber: '11076475' },
    })
    expect(matched?.why).toMatch(/^name = \| number = .*confidence 9\d\d$/)
    expect(matched?.score).toBeGreaterThan(0.9)
    expect(searched?.score).toBeNull()
  } finally {
    await client.close()
    await service.close()
  }
})

test('a question is not repeated after a lost answer, and letters of the service become reasons', async () => {
  const plan = { matchScoreName: 'A', matchScorePostCode: 'C', matchScoreCity: 'F', matchScoreVatNo: 'Z' }
  const company = { matchScoreConfidence: 999, id: 'GB-1', name: 'Acme Ltd', matchScoreExplainPlan: plan }
  let isBroken = true
  const server = await counting(line =>
    line.startsWith('POST /authenticate')
      ? { status: 200, body: { token: 't' } }
      : isBroken
        ? { status: 500, body: { message: 'broken' } }
        : { status: 200, body: { totalMatches: 1, matchedCompanies: [company] } },
  )
  const client = connect({ url: server.url, username: 'u', password: 'p' })
  try {
    const ask = () => client.findCandidates({ name: 'Acme', country: 'GB' }, 'match')
    await expect(ask()).rejects.toMatchObject({ code: 'FETTLE_UNANSWERED', unanswered: true })
    isBroken = false
    expect(await ask()).toEqual([
      {
        ...{ id: 'GB-1', name: 'Acme Ltd', score: 1, why: 'name = | town ≠ | postcode ≈ | confidence 999', parts: {} },
        ...{ fields: { name: 'Acme Ltd' }, tags: { 'general.connectId': 'GB-1', 'general.companyName': 'Acme Ltd' } },
      },
    ])
  } finally {
    await client.close()
  }
})
