/** Runs that ask a decision tree of a service about each company: the outputs, what is paid, and what later runs use again. */
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { realClock } from '../../../src/client/clock.ts'
import { type Client, connect } from '../../../src/client/index.ts'
import { type Clock, type PipelineInput, type Report, run } from '../../../src/index.ts'
import { forgetKey } from '../../../src/privacy/forget.ts'
import { serveSample } from '../../support/changed-answers.ts'
import { type Place, place } from '../../support/place.ts'

let here: Place
let service: Awaited<ReturnType<typeof serveSample>>
let client: Client
beforeEach(async () => {
  here = place()
  service = await serveSample(here)
  client = connect(service)
  await saveTree('accept')
})
afterEach(async () => {
  await client.close()
  await service.close()
  here.leave()
})

const saveTree = (otherwise: string) =>
  client.api.changeDecisionInstance({
    guid: 'limit',
    body: {
      ...{ templateId: 'table', guid: 'limit', decisionTreeName: 'Supplier check' },
      configurationVariables: {
        fields: { Amount: { type: 'number' }, Asked: { type: 'date' } },
        rules: [
          { name: 'not active', when: { 'general.status': { not: 'active' } }, decision: 'decline', because: 'it is not active' },
          { name: 'large', when: { Amount: { '>': 10_000 } }, decision: 'refer' },
          { name: 'late', when: { Asked: { '>': '2026-12-31' } }, decision: 'refer' },
        ],
        otherwise,
      },
    },
  })

/** The fourth and the fifth row are one question; the sixth has no company. */
const LIST = `No,Name,Reg No,Country,Order Value,Requested
SUP-01,Ipswich Events Limited,01024654,GB,"1,200.00 GBP",02/11/2026
SUP-02,C Birtwistle & Brothers Ltd.,10008166,GB,"48,000 GBP",03/11/2026
SUP-03,Nottingham Nurseries Limited,11683081,GB,900,03/11/2026
SUP-04,Varnix Steel Ltd,11076475,GB,"12,000",05/11/2026
SUP-05,Varnix Steel Ltd,11076475,GB,12000,05/11/2026
SUP-06,Quilverdene Sandwich Bar,,GB,350,10/11/2026
SUP-07,Wakefield Music Ltd,00087408,GB,,05/11/2026
SUP-08,Talel Estates Ltd,09730237,GB,"€ 7,000",06/11/2026
SUP-09,Prindane Seafoods Limited,NI679385,GB,5,31.31.2026
`
const FIELDS = {
  Amount: { from: 'Order Value', type: 'number', unit: 'GBP' },
  Asked: { from: 'Requested', type: 'date', order: 'dmy' },
} as const

const pipelineOf = (more: Partial<PipelineInput> = {}): PipelineInput =>
  here.pipeline({
    name: 'trees',
    service: service.url,
    input: { path: 'in.csv', key: 'No' },
    mappings: { name: 'Name', orgNumber: 'Reg No', country: 'Country' },
    enrich: { product: 'basicPlus', tags: ['general.connectId', 'general.companyName', 'general.status'] },
    decide: { service: 'Supplier check', fields: FIELDS },
    output: { path: 'out.csv', columns: ['No', 'decision', 'decision.rule', 'decision.why'] },
    ...more,
  })

async function runAfter(days: number, more: Partial<PipelineInput> = {}, list = LIST): Promise<Report> {
  here.write('in.csv', list)
  const { username, password } = service
  const clock: Clock = {
    ...realClock,
    now: () => realClock.now() + days * 86_400_000,
    sleep: (ms, signal) => realClock.sleep(ms / 50, signal),
  }
  const common = here.options({ FETTLE_USERNAME: username, FETTLE_PASSWORD: password, FETTLE_URL: service.url })
  return run(pipelineOf(more), { ...common, clock })
}

const countRuns = async (): Promise<number> => (await client.api.listDecisionLogs({ query: {} })).totalCount
const output = (): string[] => readFileSync('out.csv', 'utf8').trimEnd().split('\r\n').join('\n').split('\n').slice(1)

test('each company is decided about with its fields, once; a row that lacks a value is referred with its name, at no cost', async () => {
  const report = await runAfter(0)
  expect(output()).toEqual([
    'SUP-01,accept,otherwise,no rule holds',
    expect.stringMatching(/^SUP-02,refer,large,"?Amount > 10000 \(Amount 48000\)"?$/),
    'SUP-03,decline,not active,it is not active (general.status dissolved)',
    'SUP-04,refer,large,Amount > 10000 (Amount 12000)',
    'SUP-05,refer,large,Amount > 10000 (Amount 12000)',
    'SUP-06,refer,Supplier check,general.connectId is missing',
    'SUP-07,refer,Supplier check,Amount is missing',
    'SUP-08,refer,Supplier check,"Amount is not a number in GBP: ""€ 7,000"""',
    'SUP-09,refer,Supplier check,"Asked is not a date: ""31.31.2026"""',
  ])
  expect(await countRuns()).toBe(4)
  const [result] = report.results
  expect(result?.decide).toMatchObject({ path: 'Supplier check', accept: 1, refer: 7, decline: 1, unreached: [] })
  expect(report.status).toBe('success')
  const { inputs } = (await client.api.listDecisionLogs({ query: {} })).usageLog[0]!
  expect(inputs).toMatchObject({ Amount: '12000', Asked: '2026-11-05' })
})

test('without an age each run asks again; with one, decisions are used until they are too old, the inputs differ or the tree is changed', async () => {
  const reuse = { matched: '20d', unmatched: '20d', review: '20d' } as const
  await runAfter(0, { reuse })
  await runAfter(0, { reuse })
  expect(await countRuns()).toBe(8)
  const kept: Partial<PipelineInput> = { reuse: { ...reuse, decide: '10d' } }
  await runAfter(0, kept)
  const first = output()
  expect(await countRuns()).toBe(12)
  await runAfter(9, kept)
  expect([await countRuns(), output()]).toEqual([12, first])
  await runAfter(9, kept, LIST.replace('"48,000 GBP"', '"49,000 GBP"'))
  expect(await countRuns()).toBe(13)
  await saveTree('decline')
  await runAfter(9, kept)
  expect([await countRuns(), output()[0]]).toEqual([17, 'SUP-01,decline,otherwise,no rule holds'])
  await runAfter(20, kept)
  expect(await countRuns()).toBe(21)
})

test('a run that ends at decide.budget has written its outputs, and the next one pays the rest', async () => {
  const reuse = { matched: '20d', unmatched: '20d', review: '20d', decide: '10d' } as const
  const limited: Partial<PipelineInput> = { reuse, decide: { service: 'limit', fields: FIELDS, budget: 3 } }
  const report = await runAfter(0, limited)
  expect([report.status, report.exitCode, await countRuns()]).toEqual(['fail', 1, 3])
  expect(output()[3]).toBe('SUP-04,refer,limit,the service was not asked about this company')
  expect(await runAfter(1, limited)).toMatchObject({ status: 'success' })
  expect([await countRuns(), output()[3]]).toEqual([4, 'SUP-04,refer,large,Amount > 10000 (Amount 12000)'])
})

test('forgetting a row removes the decision about its company that later runs would use', async () => {
  const reuse = { matched: '20d', unmatched: '20d', review: '20d', decide: '10d' } as const
  await runAfter(0, { reuse })
  const options = {
    runsDir: 'runs',
    cwd: here.folder,
    key: 'SUP-02',
    pipeline: null,
    answersDir: null,
    tables: [],
    dryRun: false,
  }
  const { found } = await forgetKey(options)
  expect(found.map(({ file }) => file)).toContainEqual(expect.stringMatching(/-240h.*\.answers$/))
  expect(found.map(({ file }) => file)).toContainEqual(expect.stringMatching(/decided?\.jsonl$/))
})
