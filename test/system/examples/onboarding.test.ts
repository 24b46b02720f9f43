/** The example with a decision table, as its README says; and what a person sees who edits the table. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { fettle, folderOf, ROOT } from '../cli/fettle.ts'

function copyExample(): string {
  const cwd = folderOf()
  cpSync(join(ROOT, 'examples/onboarding'), cwd, { recursive: true })
  return cwd
}

const ENV = { FETTLE_REGISTER: '' }
const type = (cwd: string, line: string) => fettle(line.split(' ').slice(1), { cwd, env: ENV })
const edit = (cwd: string, file: string, change: (text: string) => string): void =>
  writeFileSync(join(cwd, file), change(readFileSync(join(cwd, file), 'utf8')))

test('the commands of the README run, and every row has a decision with its rule and the values that it read', async () => {
  const cwd = copyExample()
  const readme = readFileSync(join(cwd, 'README.md'), 'utf8')
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(readme)!
  for (const line of block.trim().split('\n')) {
    const { code, stderr } = await type(cwd, line)
    expect([line, code, stderr]).toEqual([line, 0, expect.not.stringMatching(/\berror FETTLE/)])
  }
  const rows = parse(readFileSync(join(cwd, 'out/onboarding.csv')), { columns: true }) as Record<string, string>[]
  expect(rows.map(row => [row['Supplier No'], row.decision, row['decision.rule'], row['decision.why']])).toEqual([
    ['S01', 'accept', 'otherwise', 'no rule speaks against it'],
    ['S02', 'refer', 'large order', 'orders above 25,000 GBP need two signatures (Order Value 48,000 GBP)'],
    ['S03', 'decline', 'not active', 'the company is not active (general.status dissolved)'],
    ['S04', 'decline', 'not active', 'the company is not active (general.status liquidation)'],
    ['S05', 'accept', 'otherwise', 'no rule speaks against it'],
    ['S06', 'refer', 'large order', 'Order Value is missing'],
    ['S07', 'refer', 'no vat number', 'Order Value is not a number in GBP: "€ 7,000"'],
    [
      'S08',
      'decline',
      'no vat number',
      'an order of this size needs a supplier with a VAT number (VAT Registered no, Order Value 18,000)',
    ],
    ['S09', 'refer', 'no company', 'no company was found with certainty (match.outcome unmatched)'],
  ])
  const { stdout } = await type(cwd, 'fettle report onboarding --format markdown')
  expect(stdout).toContain('| not active | decline | 2 |')
})

test('plan prints which rows of the last run an edited table decides otherwise, and diff why they changed', async () => {
  const cwd = copyExample()
  await type(cwd, 'fettle run pipeline.yml')
  edit(cwd, 'decisions/supplier.yml', text =>
    text.replaceAll('25,000', '1,000').replace('25000', '1000').replace('"12,000"', '"900"'),
  )
  const { stdout, code } = await type(cwd, 'fettle plan pipeline.yml')
  expect(code).toBe(0)
  expect(stdout).toContain('2 decisions change: 2 accept -> refer (row 1, 5)')
  await type(cwd, 'fettle run pipeline.yml')
  const diff = await type(cwd, 'fettle diff onboarding --format csv')
  expect(diff.stdout).toMatch(/^ruled,rule,1,S01,.*,decision,accept otherwise,refer large order$/m)
  edit(cwd, 'out/onboarding.csv', text => `${text} `)
  expect((await type(cwd, 'fettle plan pipeline.yml')).stdout).toContain('is unknown: out/onboarding.csv was changed since')
})

test('diff blames the rules where otherwise or the day has changed, and the list where a cell has that is not mapped', async () => {
  const cwd = copyExample()
  const reasons = async (): Promise<string[]> => {
    expect((await type(cwd, 'fettle run pipeline.yml')).code).toBe(0)
    const { stdout } = await type(cwd, 'fettle diff onboarding --format csv')
    return [...stdout.matchAll(/^ruled,(\w+),\d+,(\w+),/gm)].map(([, cause, key]) => `${key} ${cause}`)
  }
  expect((await type(cwd, 'fettle run pipeline.yml')).code).toBe(0)
  edit(cwd, 'decisions/supplier.yml', text =>
    text.replace('{ decision: accept, because', '{ decision: refer, because').replace(/tests:[\s\S]*$/, ''),
  )
  expect(await reasons()).toEqual(['S01 rule', 'S05 rule'])
  edit(cwd, 'pipeline.yml', text => text.replace(/decide: (.*)/, 'decide: { table: $1, asOf: 2026-06-30 }'))
  expect(await reasons()).toEqual(['S07 rule', 'S08 rule'])
  edit(cwd, 'suppliers.csv', text => text.replace('"1,200.00 GBP"', '"91,200.00 GBP"'))
  expect(await reasons()).toEqual(['S01 list'])
})

test('plan reads the columns of an output by their places: renamed, reordered, and of an earlier output', async () => {
  const cwd = copyExample()
  edit(cwd, 'suppliers.csv', text =>
    text
      .trimEnd()
      .split('\n')
      .map((line, at) => `${line},${at === 0 ? 'general.status' : 'dissolved'}`)
      .join('\n'),
  )
  edit(cwd, 'pipeline.yml', text =>
    text.replace(
      'columns: ["*", ',
      'columns: [{ from: Order Value, as: value }, match.score, { from: Supplier No, as: no }, "*", ',
    ),
  )
  expect((await type(cwd, 'fettle run pipeline.yml')).code).toBe(0)
  expect((await type(cwd, 'fettle plan pipeline.yml')).stdout).toContain('no decision changes')
  edit(cwd, 'decisions/supplier.yml', text =>
    text.replaceAll('25,000', '1,000').replace('25000', '1000').replace('"12,000"', '"900"'),
  )
  expect((await type(cwd, 'fettle plan pipeline.yml')).stdout).toContain('2 decisions change: 2 accept -> refer (row 1, 5)')
})

test('an output that is decided about again has the same decisions', async () => {
  const cwd = copyExample()
  await type(cwd, 'fettle run pipeline.yml')
  const before = readFileSync(join(cwd, 'out/onboarding.csv'))
  const as = await type(cwd, 'fettle decide out/onboarding.csv -t decisions/supplier.yml -o again.csv')
  expect(as.code).toBe(0)
  for (const day of ['2026-02-30', '2026-2-3', 'today']) {
    const { code, stderr } = await type(cwd, `fettle decide out/onboarding.csv -t decisions/supplier.yml --as-of ${day}`)
    expect([code, stderr]).toEqual([2, expect.stringContaining(`--as-of ${day}: expected a day`)])
  }
  const sets = [before, readFileSync(join(cwd, 'again.csv'))].map(bytes =>
    (parse(bytes, { columns: true }) as Record<string, string>[]).map(row => [row.decision, row['decision.why']]),
  )
  expect(sets[1]).toEqual(sets[0])
})

test('check names every problem of a wrong table at once, each with its place', async () => {
  const cwd = copyExample()
  edit(cwd, 'decisions/supplier.yml', text =>
    text
      .replace('Order Value: { type: number, unit: GBP }', 'Order Valeu: { type: number }')
      .replace('otherwise: { decision: accept, because: no rule speaks against it }\n', ''),
  )
  const { code, stderr } = await type(cwd, 'fettle check pipeline.yml')
  expect(code).toBe(2)
  for (const text of [
    'error FETTLE_DECISION_TABLE decisions/supplier.yml:4:3\n  no rule reads the field "Order Valeu"; did you mean Order Value?',
    'decisions/supplier.yml:16:50\n  "Order Value" is text, and > compares numbers or dates',
    'otherwise is missing',
  ])
    expect(stderr).toContain(text)
})

test('check reports that chosen columns leave the decision out', async () => {
  const cwd = copyExample()
  edit(cwd, 'pipeline.yml', text => text.replace(', decision, decision.rule, decision.why]', ']'))
  const { code, stderr } = await type(cwd, 'fettle check pipeline.yml')
  expect([code, stderr]).toEqual([0, expect.stringMatching(/pipeline\.yml:\d+:\d+\n {2}output\.columns has no "decision"/)])
})

test('check names unknown columns of a table and tests that fail', async () => {
  const cwd = copyExample()
  edit(cwd, 'decisions/supplier.yml', text =>
    text.replace('Requested: {', 'Requested: { from: Requestd,').replace('expect: accept', 'expect: decline'),
  )
  const { stderr } = await type(cwd, 'fettle check pipeline.yml')
  expect(stderr).toContain(
    'decisions/supplier.yml:5:22\n  "Requestd" is not a column of suppliers.csv or of its answers; did you mean Requested?',
  )
  expect(stderr).toContain('the test "the limit itself is accepted" fails: expected decline')
})

test('check refuses a rule that reads events where the run fetches none, with its place', async () => {
  const cwd = copyExample()
  const KEYS = 'portfolio: { name: Suppliers, rules: { XX: [105] } }\nevents: { output: out/events.csv }\n'
  const [pipeline, table] = ['pipeline.yml', 'decisions/supplier.yml'].map(file => readFileSync(join(cwd, file), 'utf8'))
  const checkWith = async (keys: string, name: string) => {
    writeFileSync(join(cwd, 'pipeline.yml'), `${pipeline}${keys}`)
    const rule = `rules:\n  - { name: news, when: { ${name}: { ">": 0 } }, decision: refer }`
    writeFileSync(
      join(cwd, 'decisions/supplier.yml'),
      table!
        .replace('fields:\n', `fields:\n  ${name}: { type: number }\n`)
        .replace('rules:', rule)
        .replace(/tests:[\s\S]*$/, ''),
    )
    return type(cwd, 'fettle check pipeline.yml')
  }
  const URL = 'service: { url: "https://service.example/v1" }\n'
  const without = await checkWith(URL, 'events.count')
  expect([without.code, without.stderr]).toEqual([
    2,
    expect.stringContaining('decisions/supplier.yml:4:3\n  "events.count" is not a column'),
  ])
  expect(without.stderr).toContain('Add portfolio and events to the pipeline')
  const embedded = await checkWith(KEYS, 'events.status')
  expect([embedded.code, embedded.stderr]).toEqual([
    2,
    expect.stringContaining('The portfolios of the embedded service end with the run'),
  ])
  const otherRule = await checkWith(URL + KEYS, 'events.107')
  expect([otherRule.code, otherRule.stderr]).toEqual([2, expect.stringContaining('did you mean events.105?')])
  for (const name of ['events.count', 'events.status', 'events.105'])
    expect([name, (await checkWith(URL + KEYS, name)).code]).toEqual([name, 0])
})

test('a rule that reads screening decides after the searches, and a company that was not searched for is referred', async () => {
  const cwd = copyExample()
  edit(cwd, 'pipeline.yml', text => text.replace('checks:', 'screen: { datasets: [SAN], threshold: 85 }\nchecks:'))
  edit(cwd, 'decisions/supplier.yml', text =>
    text
      .replace('fields:\n', 'fields:\n  screen.hits: { type: number }\n')
      .replace(
        '  - name: large order',
        '  - { name: hits, when: { screen.hits: { ">": 0 } }, decision: decline }\n  - name: large order',
      )
      .replace(/tests:[\s\S]*$/, ''),
  )
  const { code } = await type(cwd, 'fettle run pipeline.yml')
  expect(code).toBe(0)
  const rows = parse(readFileSync(join(cwd, 'out/onboarding.csv')), { columns: true }) as Record<string, string>[]
  expect(rows.map(row => [row['Supplier No'], row.decision, row['decision.rule']])).toContainEqual(['S01', 'accept', 'otherwise'])
})

test('shards give the decisions of the whole list, and a resume decides by the table with which its run began', async () => {
  const cwd = copyExample()
  edit(cwd, 'pipeline.yml', text => text.replace(/checks:\n(?: .*\n)+/, ''))
  // So long that no run of it ends within a second.
  edit(cwd, 'suppliers.csv', text => {
    const [head = '', ...rows] = text.trimEnd().split('\n')
    return [head, ...Array.from({ length: 900 }, (_, at) => rows.map(row => row.replace(/^S/, `S${at}-`))).flat(), ''].join('\n')
  })
  expect((await type(cwd, 'fettle run pipeline.yml -q')).code).toBe(0)
  const output = (): string => readFileSync(join(cwd, 'out/onboarding.csv'), 'utf8')
  const whole = output()
  for (const shard of ['1/3', '2/3', '3/3'])
    expect((await type(cwd, `fettle run pipeline.yml -q --runs-dir parts --shard ${shard}`)).code).toBe(0)
  writeFileSync(join(cwd, 'out/onboarding.csv'), '')
  expect(await type(cwd, 'fettle merge onboarding -q --runs-dir parts')).toMatchObject({ code: 0 })
  expect(output()).toBe(whole)
  writeFileSync(join(cwd, 'out/onboarding.csv'), '')
  expect((await type(cwd, 'fettle run pipeline.yml -q --new --timeout 1s')).code).toBe(75)
  edit(cwd, 'decisions/supplier.yml', text => text.replace('25000', '1000'))
  expect(await type(cwd, 'fettle resume -q')).toMatchObject({ code: 0 })
  expect(output()).toBe(whole)
  cpSync(join(ROOT, 'examples/onboarding/decisions'), join(cwd, 'decisions'), { recursive: true })
  expect((await type(cwd, 'fettle run pipeline.yml -q --new --timeout 1s')).code).toBe(75)
  edit(cwd, 'pipeline.yml', text =>
    text.replace('decide: decisions/supplier.yml', 'decide: { table: decisions/supplier.yml, asOf: 2026-01-31 }'),
  )
  expect((await type(cwd, 'fettle resume -q')).stderr).toMatch(/means something else than when the run .* began: decide/)
})
