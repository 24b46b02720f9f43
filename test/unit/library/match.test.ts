/** `match` and `openMatcher`: rows in this process are decided as a run decides them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { type MatchableRow, match, openMatcher, run } from '../../../src/index.ts'
import { atFileEnd } from '../../support/file-end.ts'

const SUPPLIERS = new URL('../../../samples/suppliers.csv', import.meta.url)
const LIST = parse(readFileSync(SUPPLIERS, 'utf8'), { columns: true, bom: true }) as Record<string, string>[]
const rows = LIST.map(
  (row): MatchableRow => ({
    ...{
      name: row['Company Name'],
      orgNumber: row['Reg No']!.replace(/^[0-9]+$/, digits => digits.padStart(8, '0')),
      address1: row.Address,
    },
    ...{ town: row.Town, postcode: row['Post Code'], country: row.Country, phone: row.Phone, email: row.Email },
  }),
)

const placed = () => {
  const cwd = mkdtempSync(join(tmpdir(), 'fettle-match-'))
  atFileEnd(() => rmSync(cwd, { recursive: true, force: true }))
  return { cwd, env: { FETTLE_DATA: join(cwd, 'data') } }
}

describe.concurrent('match', () => {
  test('decides and explains every row as a run of the list does, and leaves no folder of runs', async () => {
    const { cwd, env } = placed()
    const found = await match(rows, { register: 'sample', env })
    expect(readdirSync(cwd)).toEqual(['data'])
    const report = await run(
      {
        name: 'same',
        register: 'sample',
        input: { path: SUPPLIERS.pathname },
        mappings: {
          ...{ name: 'Company Name', orgNumber: { from: ['Reg No'], pad: 8 }, address1: 'Address', town: 'Town' },
          ...{ postcode: 'Post Code', country: 'Country', phone: 'Phone', email: 'Email' },
        },
        enrich: { product: 'basic', tags: ['general.connectId'] },
        output: { path: 'out.csv', columns: ['match.outcome', 'match.score', 'match.why', 'general.connectId'] },
      },
      { cwd, env },
    )
    expect(report.results).toHaveLength(1)
    const expected = parse(readFileSync(join(cwd, 'out.csv'), 'utf8'), { columns: true, bom: true }) as Record<string, string>[]
    expect(expected.length).toBeGreaterThan(400)
    const shown = found.map(({ outcome, score, why, company }) => [outcome, score.toFixed(3), why, company?.connectId ?? ''])
    const same = expected.map(row => [
      row['match.outcome'] === 'duplicate' ? 'matched' : row['match.outcome'],
      ...[row['match.score'], row['match.why'], row['general.connectId']],
    ])
    const differing = shown.filter((cells, at) => cells.join('|') !== same[at]!.join('|'))
    expect(differing.slice(0, 3)).toEqual([])
    for (const { outcome, company, reason, candidates } of found) {
      expect(company === null).toBe(outcome !== 'matched')
      expect(reason === null).toBe(outcome === 'matched')
      if (outcome === 'review') expect(candidates.length).toBeGreaterThan(0)
    }
  }, 60_000)

  test('a matcher decides about several lists, also of no row and of one', async () => {
    const { env } = placed()
    const matcher = await openMatcher({ register: 'sample', env })
    expect(matcher.registers).toMatchObject([{ name: 'sample' }])
    expect(await matcher.match([])).toEqual([])
    const [first] = await matcher.match([{ name: 'N Hepworth & Co Limited', postcode: 'E1 1GS', country: 'GB' }])
    expect(first).toMatchObject({ outcome: 'matched', reason: null, company: { name: 'N Hepworth & Co Limited' } })
    const [none, empty] = await matcher.match([
      { name: 'Nobody knows this GmbH', country: 'DE' },
      { name: ' ', phone: null },
    ])
    expect([none?.outcome, empty?.outcome]).toEqual(['unmatched', 'unmatched'])
    expect([none?.company, empty?.company]).toEqual([null, null])
    matcher.close()
  })

  test.each([
    ['a key that is no mapping', [{ nmae: 'Acme' }], {}, 'row 1 to match: "nmae" is not a mapping'],
    ['a row that is a text', ['Acme'], {}, 'row 1 to match: it is not an object'],
    ['a cell that is an object', [{ name: 'Acme' }, { name: {} }], {}, 'row 2 to match: name is neither a text nor a number'],
    ['a register that is not there', [], { register: 'none' }, 'none'],
    ['no register', [], { register: [] }, 'no register was imported'],
    ['a precision out of range', [], { register: 'sample', precision: 1 }, 'precision 1 is not over 0.5 and at most 0.999'],
  ])('%s is refused', async (_, given, options, message) => {
    const { env } = placed()
    await expect(match(given as MatchableRow[], { register: 'sample', env, ...options })).rejects.toThrow(message)
  })
})
