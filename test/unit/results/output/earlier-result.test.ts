/** A list that is the output of an earlier run: its result columns are replaced, and not written twice. */
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { check, run } from '../../../../src/index.ts'
import { type Place, place } from '../../../support/place.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

const linesOf = (path: string): string[] => readFileSync(path, 'utf8').trim().split('\n')
const pipeline = (name: string, input: string, output: object) => ({
  ...{ name, input, mappings: { name: 'name', country: 'country' } as Record<string, string> },
  output: { path: `${name}.csv`, ...output },
})

test('is matched again with one column of each name, in any order and by any name', async () => {
  here.write('in.csv', 'name,country,note\nNo Such Firm Ltd,GB,a\nOther Firm Ltd,GB,b\n')
  const columns = ['*', { from: 'general.connectId', as: 'company' }, 'match.outcome']
  await run(pipeline('one', 'in.csv', { columns }) as never, here.options())
  const again = pipeline('two', 'one.csv', { columns: ['match.outcome', '*', { from: 'general.connectId', as: 'company' }] })
  const { ok, issues } = await check(again as never, here.options())
  expect([ok, issues.find(({ message }) => message.includes('earlier result'))]).toEqual([
    true,
    expect.objectContaining({
      ...{ code: 'FETTLE_INPUT_SUSPECT', severity: 'warn' },
      message:
        'the list has columns of an earlier result: "company", "match.outcome"; the output has the new ones in their place',
    }),
  ])
  await run(again as never, here.options())
  expect(linesOf('one.csv')[0]).toBe('name,country,note,company,match.outcome')
  expect(linesOf('two.csv')).toEqual([
    'match.outcome,name,country,note,company',
    'unmatched,No Such Firm Ltd,GB,a,',
    'unmatched,Other Firm Ltd,GB,b,',
  ])
})

test('keeps the key, and columns of an earlier result that the output does not add', async () => {
  here.write('in.csv', 'name,country,general.connectId,general.status\nNo Such Firm Ltd,GB,GB-1,active\n')
  const own = pipeline('own', 'in.csv', { columns: ['*', 'general.connectId'] })
  await run({ ...own, input: { path: 'in.csv', key: 'general.connectId' } } as never, here.options())
  expect(linesOf('own.csv')[0]).toBe('name,country,general.connectId,general.status,general.connectId')
  await run(own as never, here.options())
  expect(linesOf('own.csv')[0]).toBe('name,country,general.status,general.connectId')
})
