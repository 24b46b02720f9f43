/**
 * The stage `candidates` and the fetch of accepted companies killed at their requests and file operations: no question and no report is
 * paid twice, the run ends, and every row is accounted for. candidates.deep.test.ts does so with processes.
 */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { Report } from '../../../src/report/index.ts'
import { listRunIds, runDirectory } from '../../../src/runs/run-directory.ts'
import type { FaultInput } from '../../../src/testing/index.ts'
import { runs, sampled } from '../../support/runs.ts'
import { copyOf } from './copies.ts'
import { recorded } from './judge.ts'
import { makePlace, type Place, settled, start } from './kit.ts'
import { useServiceThatKills } from './use-service.ts'

const RUN = ['run', 'pipeline.yml', '--json']
const MORE = `accept: { banding: [A], review: [B, C, D, E, F] }
candidates: { for: [review, unmatched], limit: 50, fetch: report }
review: { decisions: decisions.csv }
`
/** Paid for, each of them once. */
const PAID = ['matchCompanies', 'readReport']

const used = useServiceThatKills()
/** A run has ended, and a person accepted a candidate: the next run asks the questions again and fetches that company. */
let prepared: Place
/** The same, with the tags fetched by a second job. */
let byJob: Place

const reportOf = ({ runsDir }: Place): Report =>
  JSON.parse(readFileSync(join(runDirectory(runsDir, listRunIds(runsDir).at(0)!).path, 'report.json'), 'utf8'))

beforeAll(async () => {
  prepared = makePlace(used.data, used.service)
  appendFileSync(join(prepared.folder, 'pipeline.yml'), MORE)
  const decisions = join(prepared.folder, 'decisions.csv')
  writeFileSync(decisions, 'fingerprint,decision,company,companyName,by,at\n')
  const { code, stderr } = await start(prepared, RUN).ended
  expect([code, stderr]).toEqual([0, expect.any(String)])
  // A company that the service did not match to the row, so that its tags have to be fetched.
  const [row] = reportOf(prepared).results[0]!.review
  appendFileSync(decisions, `${row!.fingerprint},accept,GB-X-11076475,Varnix Steel Limited,ann,2026-11-24\n`)
  rmSync(prepared.runsDir, { recursive: true })
  byJob = copyOf(prepared)
  const pipeline = join(byJob.folder, 'pipeline.yml')
  writeFileSync(pipeline, readFileSync(pipeline, 'utf8').replace('fetch: report', 'fetch: job'))
})

/** The requests since `from` that cost a credit. */
const paidSince = (from: number): string[] =>
  used.service.server.requests
    .slice(from)
    .filter(({ operation }) => PAID.includes(String(operation)))
    .map(({ path, query }) => path + query)

/** Kills the run there; whether it was killed. */
async function killAt(kill: FaultInput | number, from = prepared): Promise<boolean> {
  const place = copyOf(from)
  const { data, service } = used
  const before = service.server.effects()
  const count = service.server.requests.length
  try {
    const disk = { fault: `SIGKILL@${kill}`, log: join(data, 'log'), paths: place.runsDir }
    const armed = service.server.arm(typeof kill === 'number' ? [] : [kill])
    const first = start(place, RUN, typeof kill === 'number' ? disk : undefined)
    used.child = first.child
    const { signal } = await first.ended
    used.child = null
    await settled(service)
    armed.disarm()
    if (signal !== 'SIGKILL') return false
    const id = recorded(place)?.runId
    const { code, stderr } = await start(place, id === undefined ? RUN : ['resume', id, '--json']).ended
    expect([kill, code, stderr]).toEqual([kill, 0, expect.any(String)])
    const paid = paidSince(count)
    expect(paid.length - new Set(paid).size, `paid twice at ${JSON.stringify(kill)}`).toBe(0)
    const after = service.server.effects()
    const jobs = from === byJob ? 2 : 1
    for (const effect of ['creates', 'submits', 'enriches'] as const) expect(after[effect] - before[effect], effect).toBe(jobs)
    const { ledger, results } = reportOf(place)
    expect(ledger.adds).toBe(true)
    const { asked = 0, lost = 0, questions } = results[0]!.candidates!
    expect(asked + lost).toBeGreaterThanOrEqual(questions ?? 0)
    expect(lost).toBeLessThanOrEqual(1)
    return true
  } finally {
    rmSync(place.folder, { recursive: true, force: true })
  }
}

const MOMENTS = ['arrival', 'carriedOut', 'answered'] as const
const momentsOf = <Operation extends string>(...operations: readonly Operation[]) =>
  operations.flatMap(operation => MOMENTS.map(at => [operation, at] as const))

test.each(sampled(momentsOf('matchCompanies', 'readReport'), 4))(
  'killed at %s (%s): nothing is paid twice',
  async (operation, at) => {
    expect(await killAt({ operation, effect: { kind: 'killClient', at } })).toBe(true)
  },
)

test.each(sampled(momentsOf('createJob', 'upload', 'submit', 'enrich'), 4))(
  'killed at %s of the second job (%s): there is no third',
  async (operation, at) => {
    expect(await killAt({ operation, nth: 2, effect: { kind: 'killClient', at } }, byJob)).toBe(true)
  },
)

test('killed at its file operations: nothing is paid twice', async () => {
  const step = runs(61, 7)
  let nth = 1
  while (await killAt(nth)) nth += step
  expect(nth).toBeGreaterThan(60)
})
