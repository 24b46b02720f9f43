/** Decisions from one run to the next: by key or by cells, undone ones, those in other files, and links that come meanwhile. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type PipelineInput, run } from '../../../src/index.ts'
import { requireDecisions, writeDecisions } from '../../../src/results/decisions/decisions.ts'
import { applyDecisions, runForReview } from '../../../src/review/review.ts'
import { type Place, place } from '../../support/place.ts'

let here: Place
beforeEach(() => {
  here = place()
  mkdirSync('decisions')
})
afterEach(() => here.leave())

const FILE = 'decisions/small.csv'
const LIST = ['C1,Zyxwv Utsrqp Ltd,GB', 'C2,Qwert Poiuy Ltd,GB', 'C3,Mnbvc Lkjhg Ltd,GB']

const list = (rows: readonly string[] = LIST, head = 'id,name,country'): void =>
  here.write('in.csv', `${[head, ...rows].join('\n')}\n`)

function night(more: Partial<PipelineInput> = {}) {
  return run(here.pipeline({ review: { decisions: FILE }, ...more }), here.options())
}
type Night = Awaited<ReturnType<typeof night>>
const BY_KEY: Partial<PipelineInput> = { input: { path: 'in.csv', key: 'id' } }
const resultOf = ({ results }: Night) => results[0]!
const issuesOf = (night: Night) => resultOf(night).issues.filter(({ code }) => code.startsWith('FETTLE_DECISIONS'))
const codesOf = (night: Night): string[] => issuesOf(night).map(({ code }) => code)
/** Exit code, decisions of the last good run that do not apply, and warnings about decisions. */
const endOf = (night: Night) => [night.exitCode, resultOf(night).decisions?.undone, codesOf(night)]

/** Accepts a company for the unmatched row of this name. */
function decide(found: Night, name: string, path = FILE): void {
  const row = resultOf(found).unmatched.find(({ cells }) => cells.name === name || cells.name === '***')!
  const head = existsSync(path) ? readFileSync(path, 'utf8') : 'fingerprint,decision,company,companyName,name\n'
  writeFileSync(path, `${head}${row.fingerprint},accept,GB-1,Right Ltd,${name}\n`)
}

/** A night, a decision about its first row, and a good night that applied it. */
async function decided(more: Partial<PipelineInput> = {}): Promise<Night> {
  list()
  decide(await night(more), 'Zyxwv Utsrqp Ltd')
  const applied = await night(more)
  expect(applied).toMatchObject({ exitCode: 0, totals: { manualMatched: 1 } })
  return applied
}

const output = (path = 'out.csv'): string[] => readFileSync(path, 'utf8').trimEnd().split('\n').slice(1)

describe('a decision with input.key', () => {
  test('follows the key of its row, regardless of its other cells, and no other row', async () => {
    await decided(BY_KEY)
    here.write('in.csv', 'country,name,ID\nIE,Mnbvc Lkjhg Ltd,C3\nIE,Zyx Renamed Holding,  C1 \nGB,Zyxwv Utsrqp Ltd,C9\n')
    const found = await night({ input: { path: 'in.csv', key: 'ID' } })
    expect(found).toMatchObject({ exitCode: 0, totals: { manualMatched: 1, unmatched: 2 } })
    expect(resultOf(found).decisions).toMatchObject({ accepted: 1, unused: 0, undone: 0 })
    expect(output().filter(line => line.includes('manualMatched'))).toEqual([expect.stringMatching(/^IE,Zyx Renamed.*GB-1/)])
  })

  test('is not undone when its row leaves the list, and applies again when the row returns', async () => {
    await decided(BY_KEY)
    list(['C4,Zyxwv Utsrqp Ltd,GB', ...LIST.slice(1)])
    const without = await night(BY_KEY)
    expect([endOf(without), resultOf(without).decisions?.unused]).toEqual([[0, 0, []], 1])
    list()
    expect(await night(BY_KEY)).toMatchObject({ exitCode: 0, totals: { manualMatched: 1 } })
  })

  test('is undone when the key is in a different column', async () => {
    await decided(BY_KEY)
    list(['K-1,Zyxwv Utsrqp Ltd,IE', ...LIST.slice(1)], 'number,name,country')
    const found = await night({ input: { path: 'in.csv', key: 'number' } })
    expect(found).toMatchObject({ exitCode: 1, results: [{ decisions: { undone: 1 }, changes: null }] })
  })

  test('also finds what was decided by cells before', async () => {
    await decided()
    expect(await night(BY_KEY)).toMatchObject({ exitCode: 0, totals: { manualMatched: 1 } })
  })
})

test('a run with a limit, or the first one after it, does not lose decisions that the last run applied', async () => {
  await decided(BY_KEY)
  const text = readFileSync(FILE, 'utf8')
  rmSync(FILE)
  const trial = () => run(here.pipeline({ review: { decisions: FILE }, ...BY_KEY }), { ...here.options(), limit: 2 })
  await expect(trial()).rejects.toMatchObject({ code: 'FETTLE_DECISIONS_LOST' })
  writeFileSync(FILE, text)
  expect(await trial()).toMatchObject({ exitCode: 0, totals: { manualMatched: 1 } })
  rmSync(FILE)
  await expect(night(BY_KEY)).rejects.toMatchObject({ code: 'FETTLE_DECISIONS_LOST' })
})

test('outputs that are written again under a decision that no longer applies have the warning that names it', async () => {
  list()
  const first = await night()
  const other = 'decisions/other.csv'
  decide(first, 'Zyxwv Utsrqp Ltd')
  decide(first, 'Qwert Poiuy Ltd', other)
  expect(await night()).toMatchObject({ exitCode: 0, totals: { manualMatched: 1 } })
  list(['C1,Zyxwv Utsrqp Ltd,IE', ...LIST.slice(1)])
  const without = here.pipeline({ review: { decisions: other } })
  const { metadata } = await run(without, { ...here.options(), dropDecisions: true })
  const lines = [...(await requireDecisions(FILE)), ...(await requireDecisions(other))]
  const { report } = await applyDecisions(metadata.runId, lines, { ...here.options(), cwd: here.folder })
  expect(report).toMatchObject({ exitCode: 1, results: [{ decisions: { undone: 1 } }] })
  expect(report.results[0]!.issues.filter(({ code }) => code === 'FETTLE_DECISIONS_UNDONE')).toMatchObject([{ rows: [1] }])
})

describe('a decision about two rows of one list', () => {
  const HEAD = 'id,name,country,number'
  const numbered = { mappings: { name: 'name', country: 'country', orgNumber: 'number' } }
  const byKey = { ...numbered, ...BY_KEY }

  test.each([
    ['keys that differ in zeros', byKey, ['0042,Zyxwv Utsrqp Ltd,GB,', '42,Qwert Poiuy Ltd,GB,']],
    ['a repeated key', byKey, ['C1,Zyxwv Utsrqp Ltd,GB,', 'C1,Qwert Poiuy Ltd,GB,']],
    ['a key with blanks', byKey, ['C1,Zyxwv Utsrqp Ltd,GB,', ' C1\u00a0,Zyxwv Utsrqp Ltd,IE,']],
    ['numbers that differ in zeros', numbered, ['C1,Zyxwv Utsrqp Ltd,GB,00123', 'C2,Zyxwv Utsrqp Ltd,GB,123']],
  ])('is refused for %s, and names both rows', async (_, more, rows) => {
    list([...rows, 'C9,Mnbvc Lkjhg Ltd,GB,'], HEAD)
    decide(await night(more), 'Zyxwv Utsrqp Ltd')
    const before = output()
    await expect(night(more)).rejects.toMatchObject({
      code: 'FETTLE_DECISIONS',
      exitCode: 65,
      message: expect.stringMatching(/would apply to row 1.* and row 2.*, which have different cells/),
    })
    expect(output()).toEqual(before)
    writeFileSync(FILE, readFileSync(FILE, 'utf8').replace('accept', 'undo'))
    expect(await night(more)).toMatchObject({ exitCode: 0, totals: { manualMatched: 0 } })
  })

  test('applies to both where their mapped cells are equal', async () => {
    list(['0042,Zyxwv Utsrqp Ltd,GB,7', '42,ZYXWV  Utsrqp Ltd,GB,7'], HEAD)
    decide(await night(byKey), 'Zyxwv Utsrqp Ltd')
    expect(await night(byKey)).toMatchObject({ exitCode: 0, totals: { manualMatched: 2 } })
  })
})

describe('a decision without a key', () => {
  const CHANGED = ['C1,Zyxwv Utsrqp Ltd,IE', ...LIST.slice(1)]

  test('that no longer applies fails the run, is counted and named, and the earlier output stays', async () => {
    const before = await decided()
    const kept = output()
    list(CHANGED)
    const found = await night()
    const result = resultOf(found)
    expect(found).toMatchObject({ status: 'fail', exitCode: 1 })
    expect(result.message).toMatch(
      /^Check failed: review\.undone 1 decision, expected none\. Undone: Zyxwv Utsrqp Ltd · row 1\. 0 of 3 rows matched/,
    )
    expect(result.decisions).toMatchObject({ undone: 1 })
    expect(result.checks).toMatchObject([{ assertion: 'review.undone', success: false, severity: 'fail', actual: '1 decision' }])
    expect(result.changes).toMatchObject({ against: before.metadata.runId, counts: { undone: 1 } })
    expect(result.changes?.rows.filter(({ kind }) => kind === 'undone')).toMatchObject([
      { row: 1, cause: 'list', before: { company: { id: 'GB-1' } }, after: { outcome: 'unmatched' } },
    ])
    expect(issuesOf(found)).toMatchObject([{ code: 'FETTLE_DECISIONS_UNDONE', rows: [1] }])
    expect([output(), existsSync('out.rejected.csv')]).toEqual([kept, true])
    // It fails until somebody decides.
    expect(await night()).toMatchObject({ exitCode: 1 })
    decide(found, 'Zyxwv Utsrqp Ltd')
    expect(await night()).toMatchObject({ exitCode: 0, totals: { manualMatched: 1 } })
  })

  test('is taken back by a line undo', async () => {
    await decided()
    list(CHANGED)
    expect(endOf(await night())).toEqual([1, 1, ['FETTLE_DECISIONS_UNDONE']])
    writeFileSync(FILE, readFileSync(FILE, 'utf8').replace('accept', 'undo'))
    expect(endOf(await night())).toEqual([0, 0, []])
  })

  test('warns once with review.undone: warn', async () => {
    await decided()
    list(CHANGED)
    const warn = { review: { decisions: FILE, undone: 'warn' as const } }
    const found = await night(warn)
    expect(found).toMatchObject({ status: 'warn', exitCode: 0, results: [{ decisions: { undone: 1 } }] })
    expect(resultOf(found).message).toContain('One check warns: review.undone. Undone: Zyxwv Utsrqp Ltd')
    expect(endOf(await night(warn))).toEqual([0, 0, []])
  })

  test('is not undone when its row left the list, and may be when there are new rows instead', async () => {
    await decided()
    list(LIST.slice(1))
    expect(endOf(await night())).toEqual([0, 0, []])
    list()
    await night()
    list(['C1,Zyxwv Utsrqp Corp,GB', ...LIST.slice(1)])
    expect(endOf(await night())).toEqual([0, 0, ['FETTLE_DECISIONS_UNDONE']])
  })

  test('is not undone by a row of the same name that was there before', async () => {
    list([...LIST, 'C4,Zyxwv Utsrqp Ltd,FR'])
    const first = await night()
    decide(first, 'Zyxwv Utsrqp Ltd')
    await night()
    list([...LIST.slice(1), 'C4,Zyxwv Utsrqp Ltd,FR'])
    expect(endOf(await night())).toEqual([0, 0, []])
  })

  test('whose row is known by a masked name may be undone, and no name is shown', async () => {
    const hidden = { report: { mask: ['name'] } }
    await decided(hidden)
    list(CHANGED)
    const found = await night(hidden)
    expect(endOf(found)).toEqual([0, 0, ['FETTLE_DECISIONS_UNDONE']])
    expect(JSON.stringify(found)).not.toContain('Zyxwv')
  })
})

describe('decisions in another file', () => {
  test('are named when they are about rows of the list and the run has none', async () => {
    await decided()
    const monthly = (more: Partial<PipelineInput> = {}) => run(here.pipeline({ name: 'small-11', ...more }), here.options())
    const found = await monthly()
    expect(codesOf(found)).toEqual(['FETTLE_DECISIONS_OTHER'])
    expect(issuesOf(found)[0]).toMatchObject({
      severity: 'warn',
      message: 'decisions/small.csv decides about 1 row of this list, and the run does not apply it',
      hint: expect.stringContaining('Name it in review.decisions for every run, or apply it to this one.'),
      action: { command: 'review', args: ['small-11', '--apply', FILE] },
    })
    // The register does not have the company that was decided on.
    expect(codesOf(await monthly({ review: { decisions: FILE } }))).toEqual(['FETTLE_DECISIONS'])
    expect(codesOf(await monthly({ name: 'other', review: { decisions: 'decisions/other.csv' } }))).toContain(
      'FETTLE_DECISIONS_OTHER',
    )
  })

  test('are not looked for through a link out of the project, or in files of other content', async () => {
    await decided()
    const outside = mkdtempSync(join(tmpdir(), 'fettle-outside-'))
    here.atEnd(() => rmSync(outside, { recursive: true }))
    writeFileSync(join(outside, 'd.csv'), readFileSync(FILE))
    rmSync(FILE)
    symlinkSync(join(outside, 'd.csv'), 'decisions/link.csv')
    writeFileSync('decisions/list.csv', 'a,b\n1\n')
    mkdirSync('decisions/folder.csv')
    expect(codesOf(await run(here.pipeline({ name: 'small-11' }), here.options()))).toEqual([])
  })
})

describe('a link that leads out of the project, put there after the check', () => {
  let outside: string
  beforeEach(() => {
    outside = mkdtempSync(join(tmpdir(), 'fettle-outside-'))
    here.atEnd(() => rmSync(outside, { recursive: true }))
  })
  const plant = (): void => {
    rmSync('decisions', { recursive: true })
    symlinkSync(outside, 'decisions')
  }

  test('is not read when outputs are made', async () => {
    list()
    decide(await night(), 'Zyxwv Utsrqp Ltd')
    writeFileSync(join(outside, 'small.csv'), readFileSync(FILE))
    const onEvent = ({ type }: { readonly type: string }): void => {
      if (type === 'job.created') plant()
    }
    const pipeline = here.pipeline({ review: { decisions: FILE } })
    const ended = run(pipeline, { ...here.options(), reporters: [{ name: 'plant', onEvent }] })
    await expect(ended).rejects.toMatchObject({
      code: 'FETTLE_PIPELINE_PATH',
      message: expect.stringContaining('out of the project'),
    })
  })

  test('is not written through', async () => {
    plant()
    const written = writeDecisions(FILE, [], { root: here.folder, roots: [] })
    await expect(written).rejects.toMatchObject({ code: 'FETTLE_OUTPUT_WRITE' })
    expect(readdirSync(outside)).toEqual([])
  })
})

test('a name means the only run with rows to review of any series, and is refused with the list when there are several', async () => {
  const review = (name?: string) => runForReview(join(here.folder, 'runs'), name).state.runId
  list()
  const first = await night()
  decide(first, 'Zyxwv Utsrqp Ltd')
  const whole = (await night()).metadata.runId
  const none = await run(here.pipeline({ report: { rows: 'all' } }), { ...here.options(), limit: 1, dropDecisions: true })
  expect([review('small'), review()]).toEqual([whole, none.metadata.runId])
  const trial = await run(here.pipeline({ review: { decisions: FILE } }), { ...here.options(), limit: 2 })
  expect(() => review('small')).toThrow(
    `2 runs of small are unfinished or have rows to review: ${trial.metadata.runId}, ${whole}`,
  )
  expect(review(whole)).toBe(whole)
})
