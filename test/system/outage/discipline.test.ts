/** Many pipelines in one process (test/support/runs.ts): all respect a pause, a wrong password is sent once, and retries do not coincide. */
import { expect, test } from 'vitest'
import { backoffMs } from '../../../src/client/retry/policy.ts'
import { VirtualClock } from '../../../src/testing/virtual-clock.ts'
import { MINUTE, openCompany, PIPELINES } from './company.ts'

test.each([
  ['seconds', (): Record<string, string> => ({ 'retry-after': '90' })],
  [
    'a date, by a clock an hour ahead',
    (now: number): Record<string, string> => ({
      'retry-after': new Date(now + 3_690_000).toUTCString(),
      date: new Date(now + 3_600_000).toUTCString(),
    }),
  ],
])(
  'after a 429 with Retry-After in %s nothing is sent before its time, then one at a time',
  { timeout: 300_000 },
  async (form, headers) => {
    const company = await openCompany({ matchMs: 4 * MINUTE, chance: 0.5 })
    const { clock, state } = company
    const from = 2 * MINUTE
    let until = Number.POSITIVE_INFINITY
    let throttled = 0
    let failing = 3
    let alone = true
    clock.at(from, () => {
      state.intercept = (_, response) => {
        const now = clock.monotonic()
        if (now < until && until !== Number.POSITIVE_INFINITY && now > until - 90_000) alone = false
        if (until === Number.POSITIVE_INFINITY || now === until - 90_000) {
          throttled += 1
          until = now + 90_000
          response.writeHead(429, { 'content-type': 'application/json', ...headers(clock.now()) }).end('{"message":"slow down"}')
          return true
        }
        // Still unwell: nobody is to come along before one has succeeded.
        if (failing === 0) return false
        alone &&= state.pending === 1
        failing -= 1
        response.writeHead(500, { 'content-type': 'application/json' }).end('{"message":"not quite"}')
        return true
      }
    })
    const codes = await company.all(company.insist)
    const sent = company.sent.filter(({ at }) => at > until - 90_000 && at < until)
    const after = company.sent.filter(({ at }) => at >= until)
    console.log(`Retry-After in ${form}: ${throttled} times 429, ${sent.length} requests in its 90 s, ${after.length} afterwards`)
    expect(throttled).toBeGreaterThan(0)
    expect(failing).toBe(0)
    expect(sent).toEqual([])
    expect(alone).toBe(true)
    expect(codes).toEqual(Array(PIPELINES).fill([0]))
  },
)

test('a wrong password in many pipelines is sent once, also after a restart of the pipelines', {
  timeout: 300_000,
}, async () => {
  const company = await openCompany()
  company.state.intercept = (_, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"Access denied"}')
    return true
  }
  const codes = await company.all(async n => [await company.insist(n), await company.insist(n)])
  console.log(`wrong password: ${company.sent.length} request for ${PIPELINES} pipelines, each started twice`)
  expect(codes.flat(2)).toEqual(Array(2 * PIPELINES).fill(77))
  expect(company.sent).toEqual([{ at: 0, route: 'POST /v1/authenticate' }])
})

test('retries of two clients coincide within 10 ms only by chance', () => {
  const rounds = 20_000
  for (const failures of [1, 2, 3, 4, 6, 9]) {
    const most = Math.min(30_000, 500 * 2 ** failures)
    const chance = 1 - (1 - 10 / most) ** 2
    let together = 0
    for (let seed = 0; seed < rounds; seed++) {
      const waits = [2 * seed, 2 * seed + 1].map(one => backoffMs(failures, new VirtualClock({ seed: one }).random()))
      if (Math.abs(waits[0]! - waits[1]!) <= 10) together += 1
    }
    const spread = Math.sqrt(rounds * chance * (1 - chance))
    console.log(
      `repeat ${failures}: ${together} of ${rounds} pairs within 10 ms; by chance ${Math.round(rounds * chance)} ± ${Math.round(spread)}`,
    )
    expect(together).toBeLessThan(rounds * chance + 4 * spread)
  }
})
