/** `fettle estimate`: a sample against a register here, before anything is sent. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fettle, folderOf, lastLine, ROOT } from './fettle.ts'

const LIST = readFileSync(join(ROOT, 'samples/suppliers.csv'), 'utf8')
const pipeline = (service: string, more = ''): string => `name: p
${service}
input: { path: suppliers.csv, key: Supplier No }
mappings: { name: Company Name, orgNumber: Reg No, country: Country }
enrich: { product: basic, tags: [general.connectId] }
output: out.csv
${more}`
const PAID = 'service: { url: "https://connect.example.com/v1" }'

interface Shown {
  readonly list: number
  readonly sample: { readonly rows: number; readonly matched: number; readonly review: number; readonly unmatched: number }
  readonly matched: { readonly share: number; readonly low: number; readonly high: number }
  readonly credits: { readonly likely: number; readonly low: number; readonly high: number }
  readonly registers: readonly { readonly name: string }[]
}
const estimateIn = (ended: Parameters<typeof lastLine>[0]) => lastLine(ended).estimate as Shown

test('a sample of all rows finds what a run finds, and a smaller one contains it in its interval', async () => {
  const cwd = folderOf({ 'suppliers.csv': LIST, 'p.yml': pipeline(PAID), 'free.yml': pipeline('service: embedded') })
  const { totals } = lastLine(await fettle(['run', 'free.yml', '--sample', '-q', '--json'], { cwd })) as {
    totals: Record<string, number>
  }
  const found = totals.matched! + totals.manualMatched! + totals.duplicates!
  const whole = estimateIn(await fettle(['estimate', 'p.yml', '--sample', '--rows', '1000', '--json'], { cwd }))
  expect(whole.sample).toEqual({ rows: 500, matched: found, review: totals.review, unmatched: totals.unmatched })
  expect(whole.credits).toMatchObject({ likely: found, low: found, high: found })
  const args = ['estimate', 'p.yml', '--sample', '--rows', '120']
  const part = estimateIn(await fettle([...args, '--json'], { cwd }))
  expect(part).toMatchObject({ list: 500, sample: { rows: 120 }, registers: [{ name: 'sample' }] })
  expect(part.credits.low).toBeLessThan(found)
  expect(part.credits.high).toBeGreaterThan(found)
  expect(estimateIn(await fettle([...args, '--json'], { cwd }))).toEqual(part)
  const { stdout } = await fettle(args, { cwd })
  expect(stdout).toMatch(/sample {4}120 of 500 rows, against sample \([\d,]+ companies, \d{4}-\d\d-\d\d\)/)
  expect(stdout).toMatch(/credits {3}about \d+ \(one per row found\), with 95 % certainty \d+ to \d+/)
  expect(stdout).toContain('rests on')
})

test('of a list with repeated rows counts each in its sample, and is made with the facts of a run, which counts different ones', async () => {
  const absent = Array.from({ length: 900 }, (_, at) => `\nX${at},Quibbleton Nowhere Ltd,,,,,GB,,`)
  const cwd = folderOf({
    'suppliers.csv': LIST + absent.join(''),
    'p.yml': pipeline(PAID),
    'free.yml': pipeline('service: embedded'),
  })
  const { totals } = lastLine(await fettle(['run', 'free.yml', '--sample', '-q', '--json'], { cwd })) as {
    totals: Record<string, number>
  }
  const whole = estimateIn(await fettle(['estimate', 'p.yml', '--sample', '--rows', '2000', '--json'], { cwd }))
  const found = totals.matched! + totals.manualMatched! + totals.duplicates!
  expect(whole.sample).toEqual({ rows: 1400, matched: found, review: totals.review, unmatched: totals.unmatched })
})

test('is made against the sample register on a machine that has not used it', async () => {
  const cwd = folderOf({ 'suppliers.csv': LIST, 'p.yml': pipeline('service: embedded\nregister: sample') })
  const { code, stderr, stdout } = await fettle(['estimate', 'p.yml', '--rows', '20'], {
    cwd,
    env: { FETTLE_DATA: join(cwd, 'new') },
  })
  expect([code, stdout], stderr).toEqual([0, expect.stringContaining('20 of 500 rows, against sample')])
})

test('names the budget, and refuses wrong options, pipelines with errors and registers that are not there', async () => {
  const cwd = folderOf({
    'suppliers.csv': LIST,
    'p.yml': pipeline(PAID, 'budget: { credits: 3 }'),
    'bad.yml': pipeline(PAID, 'retries: 3'),
    'none.yml': pipeline(PAID).replace('suppliers.csv', 'none.csv'),
  })
  const { code, stdout } = await fettle(['estimate', 'p.yml', '--sample', '--rows', '50'], { cwd })
  expect([code, stdout]).toEqual([0, expect.stringContaining('may exceed budget.credits 3')])
  const codeOf = async (...args: string[]): Promise<number> => (await fettle(['estimate', ...args], { cwd })).code
  expect(await codeOf('p.yml', '--rows', '0')).toBe(2)
  expect(await codeOf('p.yml', '--register', 'none')).toBe(2)
  expect(await codeOf('bad.yml', '--sample')).toBe(2)
  expect(await codeOf('none.yml', '--sample')).toBe(65)
  expect((await fettle(['estimate', 'bad.yml', '--sample', '--json'], { cwd })).stdout).toContain('"ok":false')
})
