/** Accepted companies that the service did not match: their tags are fetched on the next run, or at once after a review. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { run } from '../../../src/index.ts'
import type { Decision } from '../../../src/results/index.ts'
import { applyDecisions } from '../../../src/review/review.ts'
import { serve } from '../../../src/service/index.ts'
import { type Place, place } from '../../support/place.ts'

let here: Place
beforeEach(() => {
  here = place()
  // The first row is certain; a person knows that the second is another company of the sample register.
  here.write('in.csv', 'key,name,country\na,Shaughnessy Insurance Brokers DAC,IE\nb,Cyrden,GB\n')
})
afterEach(() => here.leave())

const TAGS = ['general.connectId', 'general.companyName', 'general.organisationNumber', 'contact.city']
const DECISIONS = 'fingerprint,decision,company,companyName,by,at\n'

async function setUp(fetch: 'job' | 'report') {
  const dataDir = join(here.folder, 'service')
  const registerDir = join(here.folder, 'registers')
  const service = await serve({ dataDir, registerDir, registers: ['sample'], users: [], play: 'vendor' })
  onTestFinished(() => service.close())
  const env = { FETTLE_URL: service.url, FETTLE_USERNAME: service.username, FETTLE_PASSWORD: service.password }
  const pipeline = here.pipeline({
    poll: { every: '500ms' },
    accept: { banding: ['A'], review: ['B', 'C', 'D', 'E', 'F'] },
    candidates: { for: ['unmatched'], fetch },
    review: { decisions: 'decisions.csv' },
    enrich: { product: 'basic', tags: TAGS },
    output: { path: 'out.csv', columns: ['*', 'match.outcome', 'match.why', ...TAGS] },
  })
  here.write('decisions.csv', DECISIONS)
  const options = here.options(env)
  const first = await run(pipeline, options)
  return { pipeline, options, first, env }
}

const rows = (): Record<string, string>[] => parse(readFileSync('out.csv', 'utf8'), { columns: true })

const COMPANY = 'GB-X-11076475'

/** The decision that the uncertain row is the company. */
function decisionIn({ results: [result] }: Awaited<ReturnType<typeof run>>): Decision {
  const [row] = result!.review
  const who = { name: '', by: 'ann', at: '2026-11-24', expires: '' }
  return { fingerprint: row!.fingerprint!, decision: 'accept', company: COMPANY, companyName: 'Varnix Steel Ltd', ...who }
}

test.each(['job', 'report'] as const)('by %s: the next run fetches the tags of an accepted company, once', async way => {
  const { pipeline, options, first } = await setUp(way)
  expect(first.results[0]).toMatchObject({ accepted: { by: way, companies: 0, paid: 0 } })
  const { fingerprint, company, companyName } = decisionIn(first)
  here.write('decisions.csv', `${DECISIONS}${fingerprint},accept,${company},${companyName},ann,2026-11-24\n`)
  const report = await run(pipeline, { ...options, fresh: true })
  expect(report).toMatchObject({ exitCode: 0, totals: { manualMatched: 1 } })
  expect(report.results[0]!.accepted).toMatchObject({ by: way, companies: 1, fetched: 1, paid: 1, lost: 0, refused: 0, left: 0 })
  expect(report.results[0]!.accepted!.job).toEqual(way === 'job' ? expect.any(String) : null)
  expect(rows()[1]).toMatchObject({
    ...{ 'match.outcome': 'manualMatched', 'match.why': expect.stringMatching(/^accepted by ann/) },
    ...{ 'general.connectId': COMPANY, 'general.organisationNumber': '11076475', 'contact.city': expect.stringMatching(/./) },
  })
})

test.each(['job', 'report'] as const)('by %s: a review fetches them at once, and again nothing', async way => {
  const { first, env } = await setUp(way)
  const decision = decisionIn(first)
  const options = { env, cwd: here.folder, runsDir: 'runs' }
  const without = await applyDecisions(first.metadata.runId, [decision], options)
  expect(rows()[1]).toMatchObject({ 'match.outcome': 'manualMatched', 'contact.city': '' })
  expect(without.report.results[0]!.accepted).toMatchObject({ companies: 1, fetched: 0, left: 1 })

  const { report } = await applyDecisions(first.metadata.runId, [decision], { ...options, fetch: true })
  expect(report.results[0]!.accepted).toMatchObject({ fetched: 1, paid: 1, left: 0 })
  expect(rows()[1]).toMatchObject({ 'general.connectId': COMPANY, 'contact.city': expect.stringMatching(/./) })
  const written = readFileSync('out.csv', 'utf8')

  const again = await applyDecisions(first.metadata.runId, [decision], { ...options, fetch: true })
  expect(again.report.results[0]!.accepted).toMatchObject({ fetched: 1, paid: 1, left: 0 })
  expect(readFileSync('out.csv', 'utf8')).toBe(written)
})
