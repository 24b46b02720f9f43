/**
 * Ten minutes without the service, many pipelines in one process (as many as test/support/runs.ts allows): few retries, fewer
 * logins, and one job each in the end.
 */
import { describe, expect, test } from 'vitest'
import { MINUTE, type Mode, openCompany, PIPELINES, type Sent } from './company.ts'

const LOGIN = 'POST /v1/authenticate'
const OUTAGE_MS = 10 * MINUTE

const within = (log: readonly Sent[], from: number): readonly Sent[] =>
  log.filter(({ at }) => at >= from && at < from + OUTAGE_MS)

type Company = Awaited<ReturnType<typeof openCompany>>

function judge(company: Company, from: number, kind: string, codes: readonly (readonly number[])[]): void {
  const sent = within(company.sent, from)
  const logins = sent.filter(({ route }) => route === LOGIN).length
  const retries = within(company.retries, from).length
  const runs = codes.flat().length
  console.log(
    `${kind}: ${sent.length} requests, ${retries} retries, ${logins} logins in 10 min; ${PIPELINES} pipelines, ${runs} starts`,
  )
  expect(retries).toBeLessThanOrEqual(20)
  expect(logins).toBeLessThanOrEqual(5)
  expect(logins).toBeGreaterThan(0)
  expect(codes.map(each => each.at(-1))).toEqual(Array(PIPELINES).fill(0))
  expect(new Set(codes.flat())).toEqual(new Set(runs === PIPELINES ? [0] : [0, 75]))
  expect([...company.jobs.values()].map(job => job.submits)).toEqual(Array(PIPELINES).fill(1))
}

// Only a silence is waited out in real time.
const patienceMs = (kind: Mode): number => (kind === 'silence' ? 400 : 10_000)

const KINDS: readonly Mode[] = ['refused', '500', 'silence']

describe.each(KINDS)('ten minutes of %s', kind => {
  test('from the start, with each pipeline restarted repeatedly', async () => {
    const company = await openCompany({ chance: 0.5, patienceMs: patienceMs(kind) })
    await company.turn(kind)
    company.clock.at(OUTAGE_MS, () => company.turn('up'))
    const codes = await company.all(company.insist)
    judge(company, 0, `${kind} from the start`, codes)
  })

  test('in the middle of matching, while the token expires', async () => {
    // In step, so that a silence is waited out once for all of them.
    const company = await openCompany({ matchMs: 12 * MINUTE, chance: 0.5, patienceMs: patienceMs(kind) })
    company.clock.at(2 * MINUTE, () => company.turn(kind))
    company.clock.at(2 * MINUTE + OUTAGE_MS, () => company.turn('up'))
    const codes = await company.all(company.insist)
    judge(company, 2 * MINUTE, `${kind} in the middle`, codes)
  })
})
