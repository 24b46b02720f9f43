/** What `check` says it saw: the profile, with whatever names companies have, and what keeps row content out of it. */
import { beforeAll, expect, test } from 'vitest'
import { fettle, folderOf, importRegister } from './fettle.ts'

beforeAll(importRegister)

const NAMES = [
  '\u001b]0;owned\u0007Acme \u202eLtd',
  '##vso[task.complete result=Failed]',
  '::set-output name=a::b',
  'Bolt & <b>Sons</b>',
  'Fünf',
]
const CSV = `Id,Name,Country,Mail\n${NAMES.map((name, at) => `${at},"${name}",GB,m${at}@firm.example\n`).join('')}`
const pipelineOf = (report: string): string =>
  `name: p\ninput: { path: in.csv, key: Id }\nmappings: { name: Name, country: Country, email: Mail }\nreport: ${report}\n`

const check = async (report: string, ...args: string[]) => {
  const cwd = folderOf({ 'in.csv': CSV, 'p.yml': pipelineOf(report) })
  return fettle(['check', 'p.yml', ...args], { cwd })
}

test.each([[], ['--explain']])('check %s shows a table of the columns, their text made harmless', async (...args) => {
  const { code, stdout, stderr } = await check('{ mask: [email] }', ...args)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^ {2}mapping +header +filled +different +such as$/m)
  expect(stdout).toMatch(/^ {2}name +"Name" +5 +100% +5 +100% +"\\u001b\]0;owned\\u0007Acme \\u202eLtd", "# #vso\[/m)
  expect(stdout).toMatch(/^ {2}country +"Country" +5 +100% +1 +20% +"GB"$/m)
  expect(stdout).toMatch(/^ {2}email +"Mail" +5 +100% +5 +100% +"\*\*\*"$/m)
  expect(stdout).toMatch(/^ {2}key +"Id" +5 +100% +5 +100% +"0", "1", "2"$/m)
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|##|@firm/)
})

test('check --json has it in the plan, and report.rows: none keeps all examples out', async () => {
  const told = JSON.parse((await check('{ rows: none }', '--json')).stdout)
  expect(told.plan.profile[0]).toEqual({
    mapping: 'name',
    header: 'Name',
    index: 1,
    isKey: false,
    filled: 5,
    distinct: 5,
    isEstimate: false,
    examples: [],
  })
  expect(JSON.stringify(told)).not.toMatch(/Bolt|@firm/)
})
