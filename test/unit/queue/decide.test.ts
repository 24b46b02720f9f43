/** A decision table over a list: neither workers nor the order of the rows change a decision. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fettle, folderOf, pipelineOf, start } from '../../system/cli/fettle.ts'
import { CREDENTIALS, realService } from '../../system/cli/servers.ts'
import { HAS_REDIS, startRedis } from './redis.ts'

const HEAD = 'Ref,Company Name,Reg No,Country,Order'
const COMPANIES = ['Acme Ltd,1,GB', 'Bolt Ltd,2,GB', 'Cork SA,3,FR', 'Nobody,9,DE']
const ORDERS = ['100', '"5,000 GBP"', '', 'n/a', '700']
const LINES = Array.from({ length: 40 }, (_, at) => `R${at},${COMPANIES[at % 4]},${ORDERS[at % 5]}`)
const TABLE = `
fields: { Order: { type: number, unit: GBP } }
rules:
  - { name: nobody, when: { match.outcome: [unmatched, review] }, decision: refer }
  - { name: large, when: { Order: { ">": 1000 }, Country: { not: FR } }, decision: decline }
  - { name: abroad, when: { general.companyName: Cork SA, Order: { ">": 500 } }, decision: refer }
otherwise: accept
`
const MORE = `input: { path: rows.csv, key: Ref }
decide: table.yml
enrich: { product: basic, tags: [general.connectId, general.companyName] }
output: { path: out/p.csv, columns: [Ref, general.connectId, decision, decision.rule, decision.why] }`

const place = (lines: readonly string[]): string => {
  const pipeline = pipelineOf('p', MORE).replace('input: rows.csv\n', '')
  return folderOf({ 'rows.csv': [HEAD, ...lines, ''].join('\n'), 'p.yml': pipeline, 'table.yml': TABLE })
}
const outputIn = (cwd: string): string => readFileSync(join(cwd, 'out/p.csv'), 'utf8')
const decisionsOf = (text: string): Record<string, Record<string, string>> =>
  Object.fromEntries((parse(text, { columns: true }) as Record<string, string>[]).map(({ Ref, ...row }) => [Ref, row]))

test.skipIf(!HAS_REDIS)(
  'two workers give the bytes of one run, and rows in another order the same decisions',
  async () => {
    const { url } = await realService()
    const env = { ...CREDENTIALS, FETTLE_URL: url }
    const run = async (cwd: string, ...more: readonly string[]): Promise<string> => {
      const { code, stderr } = await fettle(['run', 'p.yml', '-q', ...more], { cwd, env })
      expect(code, stderr).toBe(0)
      return outputIn(cwd)
    }
    const whole = await run(place(LINES))
    const found = decisionsOf(whole)
    expect(new Set(Object.values(found).map(row => row['decision.rule']))).toEqual(
      new Set(['nobody', 'large', 'abroad', 'otherwise']),
    )
    const [shuffled = []] = fc.sample(fc.shuffledSubarray(LINES, { minLength: LINES.length }), { numRuns: 1, seed: 44 })
    expect(decisionsOf(await run(place(shuffled)))).toEqual(found)

    const redis = await startRedis()
    const queue = ['--queue', redis.url]
    const [cwd, other] = [place(LINES), place(LINES)]
    const workers = [cwd, other].map(folder => start(['worker', ...queue], { cwd: folder, env }))
    expect(await run(cwd, ...queue, '--shards', '4')).toBe(whole)
    for (const { child } of workers) child.kill('SIGTERM')
    for (const { ended } of workers) expect((await ended).code).toBe(0)
  },
  120_000,
)
