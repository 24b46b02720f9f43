/** A list that shrank since the last good run is refused before anything is sent, and accepted on request. */
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { check, run } from '../../../src/index.ts'
import { type Place, place } from '../../support/place.ts'
import { CREDENTIALS, realService } from '../../system/cli/servers.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

const listOf = (rows: number, countries = rows): string =>
  `name,country\n${Array.from({ length: rows }, (_, at) => `Firm ${at} Ltd,${at < countries ? 'GB' : ''}\n`).join('')}`
const shrunk = (message: string | RegExp) => ({ code: 'FETTLE_INPUT_SHRUNK', message: expect.stringMatching(message) })

describe('the list of a series', () => {
  test('that lost more than half of its rows is refused before a request, with both figures, and accepted once', async () => {
    const { url, requests } = await realService({ play: 'vendor' })
    const options = here.options({ ...CREDENTIALS, FETTLE_URL: url })
    here.write('in.csv', listOf(40))
    const first = await run(here.pipeline(), options)
    const output = readFileSync('out.csv', 'utf8')
    here.write('in.csv', listOf(19))
    const sent = requests.length
    await expect(run(here.pipeline(), options)).rejects.toMatchObject(
      shrunk(`the list has 19 rows, and had 40 in the last good run ${first.metadata.runId} \\(47\\.5%; checks\\.rows: < 50%\\)`),
    )
    expect([requests.length, readFileSync('out.csv', 'utf8')]).toEqual([sent, output])
    await run(here.pipeline(), { ...options, acceptList: true })
    here.write('in.csv', listOf(18))
    await run(here.pipeline(), options)
  })

  test('with a column that lost more than half of its cells is refused', async () => {
    here.write('in.csv', listOf(40, 36))
    await run(here.pipeline(), here.options())
    here.write('in.csv', listOf(30, 12))
    await expect(run(here.pipeline(), here.options())).rejects.toMatchObject(
      shrunk('country \\(country\\) is filled in 12 of 30 rows, and was in 36 of 40 in the last good run'),
    )
  })

  test('is held to the bounds of the pipeline', async () => {
    here.write('in.csv', listOf(10))
    const checks = { rows: { warn: '< 90%', fail: '< 60%' }, filled: { fail: '< 10%' } }
    const notes: string[] = []
    const options = { ...here.options(), reporters: [{ name: 'notes', onNote: (text: string) => void notes.push(text) }] }
    await run(here.pipeline({ checks }), options)
    here.write('in.csv', listOf(8, 2))
    await run(here.pipeline({ checks }), options)
    expect(notes).toContainEqual(expect.stringMatching(/the list has 8 rows, and had 10 in the last good run/))
    here.write('in.csv', listOf(4))
    await expect(run(here.pipeline({ checks }), options)).rejects.toMatchObject(shrunk('4 rows, and had 8'))
  })

  test('has its checks in the report, and what run refuses is an error of check', async () => {
    const checks = { rows: { warn: '< 90%', fail: '< 60%' }, filled: { fail: '< 50%' } }
    const pipeline = here.pipeline({ checks })
    const checksOf = async (options = {}) => {
      const report = await run(pipeline, { ...here.options(), ...options })
      const { checks } = report.results[0]!
      return [
        report.status,
        ...checks.map(({ assertion, severity, success, actual }) => `${assertion} ${severity} ${success}: ${actual}`),
      ]
    }
    const first = 'not measured yet: no earlier run to compare with'
    here.write('in.csv', listOf(10))
    expect(await checksOf()).toEqual([
      'warn',
      `rows warn null: ${first}`,
      `rows fail null: ${first}`,
      `filled fail null: ${first}`,
    ])
    here.write('in.csv', listOf(8, 6))
    expect((await check(pipeline, here.options())).issues).toContainEqual(
      expect.objectContaining({
        code: 'FETTLE_INPUT_SHRUNK',
        severity: 'warn',
        message: expect.stringContaining('has 8 rows, and had 10'),
      }),
    )
    expect(await checksOf()).toEqual([
      'warn',
      'rows warn false: the list has 8 rows, and had 10 (80.0%)',
      'rows fail true: the list has 8 rows, and had 10 (80.0%)',
      'filled fail true: country (country) is filled in 6 of 8 rows, and was in 10 of 10 (75.0%)',
    ])
    here.write('in.csv', listOf(4, 1))
    const { ok, issues } = await check(pipeline, here.options())
    expect([
      ok,
      issues.filter(({ code }) => code === 'FETTLE_INPUT_SHRUNK').map(({ severity, message }) => [severity, message]),
    ]).toEqual([
      false,
      [
        ['warn', expect.stringContaining('the list has 4 rows, and had 8')],
        ['error', expect.stringContaining('the list has 4 rows, and had 8')],
        ['error', expect.stringContaining('country (country) is filled in 1 of 4 rows, and was in 6 of 8')],
      ],
    ])
    expect(await checksOf({ acceptList: true })).toEqual([
      'warn',
      'rows warn false: the list has 4 rows, and had 8 (50.0%)',
      'rows warn false: the list has 4 rows, and had 8 (50.0%)',
      'filled warn false: country (country) is filled in 1 of 4 rows, and was in 6 of 8 (33.3%)',
    ])
  })

  test('of a few rows, of a trial with a limit or without rows is not compared by default', async () => {
    here.write('in.csv', listOf(19))
    await run(here.pipeline(), here.options())
    here.write('in.csv', listOf(2))
    await run(here.pipeline(), here.options())
    here.write('in.csv', listOf(40))
    await run(here.pipeline(), here.options())
    await run(here.pipeline({ input: { path: 'in.csv', empty: 'skip' } }), here.options())
    here.write('in.csv', 'name,country\n')
    await run(here.pipeline({ input: { path: 'in.csv', empty: 'skip' } }), here.options())
    here.write('in.csv', listOf(5))
    await run(here.pipeline(), { ...here.options(), limit: 2 })
    await expect(run(here.pipeline(), here.options())).rejects.toMatchObject(shrunk('5 rows, and had 40'))
  })
})
