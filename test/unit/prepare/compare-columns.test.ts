/** The columns of a list are compared with the last good run: each drift is reported before a request, and no unchanged list is. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { check, run } from '../../../src/index.ts'
import { compareColumns } from '../../../src/prepare/compare-columns.ts'
import { type Place, place } from '../../support/place.ts'
import { CREDENTIALS, realService } from '../../system/cli/servers.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

type Table = readonly (readonly string[])[]

const ROWS = 24
const HEADERS = [
  ['Firma', 'Ort', 'Umsatz', 'Kunde seit', 'Telefon', 'Notiz'],
  ['Company', 'City', 'Revenue', 'Since', 'Phone', 'Note'],
  ['Raison sociale', 'Ville', 'CA', 'Depuis', 'Téléphone', 'Note'],
  ['社名', '市', '売上', '日付', '電話', '備考'],
  ['name', 'name', 'a b', '', 'x,y', '"q"'],
]

/** A list with a name, a town, a number, a date, a column with few cells and a column of mixed cells; `seed` varies the cells. */
function listOf(headers: readonly string[], seed: number): Table {
  const rows = Array.from({ length: ROWS }, (_, at) => {
    const number = (at + 1) * (seed + 7)
    return [
      `Firm ${number} Ltd`,
      `Town ${number % 9}`,
      seed % 2 === 0 ? String(number) : `${number}.50`,
      seed % 2 === 0 ? `2024-01-${String((at % 28) + 1).padStart(2, '0')}` : `${(at % 28) + 1}.03.2024`,
      at === seed % ROWS ? '1' : '',
      at % 2 === 0 ? String(number) : `note ${number}`,
    ]
  })
  return [headers, ...rows]
}

const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
const csv = (table: Table): string => table.map(row => `${row.map(cell).join(',')}\n`).join('')

const column = (table: Table, at: number, change: (cell: string, row: number) => string): Table =>
  table.map((row, number) => row.map((text, place) => (place === at && number > 0 ? change(text, number) : text)))
const header = (table: Table, change: (row: readonly string[]) => readonly string[]): Table => [
  change(table[0]!),
  ...table.slice(1),
]
const without = (row: readonly string[], at: number): string[] => row.filter((_, place) => place !== at)

/** What may happen to a list, and whether it is a loss; `isLoss`: also where new columns are welcome. */
const DRIFTS: readonly (readonly [what: string, isLoss: boolean, change: (table: Table) => Table])[] = [
  ['last column lost', true, table => table.map(row => row.slice(0, -1))],
  ['column in the middle lost', true, table => table.map(row => without(row, 2))],
  ['two columns lost', true, table => table.map(row => row.slice(0, 4))],
  ['renamed', true, table => header(table, row => [...row.slice(0, 2), 'Turnover', ...row.slice(3)])],
  [
    'header in capitals with a space',
    true,
    table => header(table, row => [...row.slice(0, 3), `${row[3]!.toUpperCase()} X`, ...row.slice(4)]),
  ],
  ['two renamed', true, table => header(table, row => [...row.slice(0, 2), 'p', 'q', ...row.slice(4)])],
  ['new at the end', false, table => table.map((row, at) => [...row, at === 0 ? 'Extra' : 'x'])],
  ['new in front', false, table => table.map((row, at) => [at === 0 ? 'Extra' : 'x', ...row])],
  ['two new', false, table => table.map((row, at) => [...row, at === 0 ? 'E1' : 'x', at === 0 ? 'E2' : 'y'])],
  ['two moved', false, table => table.map(([a, b, c, d, ...rest]) => [a!, b!, d!, c!, ...rest])],
  ['last moved to the front', false, table => table.map(row => [row.at(-1)!, ...row.slice(0, -1)])],
  ['all reversed', false, table => table.map(row => row.toReversed())],
  ['empty now', true, table => column(table, 2, () => '')],
  ['only blanks now', true, table => column(table, 3, () => '  ')],
  ['numbers became text', true, table => column(table, 2, (_, row) => `about ${row}`)],
  ['numbers became dates', true, table => column(table, 2, (_, row) => `2024-02-${String(row).padStart(2, '0')}`)],
  ['dates became text', true, table => column(table, 3, () => 'yesterday')],
  ['dates became numbers', true, table => column(table, 3, (_, row) => String(45_000 + row))],
  ['text became numbers', true, table => column(table, 1, (_, row) => String(row))],
  ['two thirds of the numbers became text', true, table => column(table, 2, (text, row) => (row % 3 === 0 ? text : 'n/a'))],
  [
    'cells of two columns exchanged',
    true,
    table => table.map((row, at) => (at === 0 ? row : [row[0]!, row[1]!, row[3]!, row[2]!, ...row.slice(4)])),
  ],
]

/** Changes of a list that are none of its columns. */
const SAME: readonly (readonly [what: string, change: (table: Table) => Table])[] = [
  ['the same', table => table],
  ['other rows in another order', table => [table[0]!, ...table.slice(1).toReversed()]],
  ['half of the rows', table => table.slice(0, 1 + ROWS / 2)],
  ['one number missing', table => column(table, 2, (text, row) => (row === 3 ? '' : text))],
  ['a third of the numbers is text', table => column(table, 2, (text, row) => (row % 3 === 0 ? 'n/a' : text))],
  ['the rare column is empty', table => column(table, 4, () => '')],
]

async function planOf(table: Table, expects: string) {
  here.write('in.csv', csv(table))
  const pipeline = {
    name: 'drift',
    input: { path: 'in.csv', columns: { expect: expects } },
    mappings: { name: { index: 0 } },
  } as const
  const { plan, issues } = await check(pipeline as never, here.options())
  expect(issues.filter(({ severity }) => severity === 'error')).toEqual([])
  return plan as never
}

describe('the columns of two lists', () => {
  test.each(HEADERS.map((headers, seed) => [headers[0], headers, seed] as const))(
    'with the header %s: each drift is reported, and nothing else',
    async (_, headers, seed) => {
      const before = await planOf(listOf(headers, seed), 'known')
      for (const [what, change] of SAME) {
        const changed = change(listOf(headers, seed + 2))
        for (const expects of ['known', 'exact'])
          expect(compareColumns(await planOf(changed, expects), before), what).toEqual({ warn: [], fail: [] })
      }
      for (const [what, isLoss, change] of DRIFTS) {
        const changed = change(listOf(headers, seed + 2))
        const known = compareColumns(await planOf(changed, 'known'), before)
        expect([what, known[isLoss ? 'fail' : 'warn'].length > 0]).toEqual([what, true])
        if (!isLoss) expect([what, known.fail]).toEqual([what, []])
        expect([what, compareColumns(await planOf(changed, 'exact'), before).fail.length > 0]).toEqual([what, true])
      }
    },
  )

  test('without a header are compared by their places', async () => {
    const bare = async (text: string) => {
      here.write('in.csv', text)
      const input = { path: 'in.csv', header: false, columns: { expect: 'known' } } as const
      return (await check({ name: 'bare', input, mappings: { name: { index: 0 } } }, here.options())).plan as never
    }
    const lines = (row: (at: number) => string): string => Array.from({ length: 9 }, (_, at) => `${row(at)}\n`).join('')
    const before = await bare(lines(at => `Firm ${at} Ltd,${at},x`))
    expect(compareColumns(await bare(lines(at => `Firm ${at} GmbH,${at + 3},y`)), before)).toEqual({ warn: [], fail: [] })
    expect(compareColumns(await bare(lines(at => `Firm ${at} Ltd,text,x`)), before).fail).toEqual([
      'the column 2 had numbers: 0 of 9 cells are now',
    ])
    expect(compareColumns(await bare(lines(at => `Firm ${at} Ltd,${at}`)), before).fail[0]).toBe(
      'the list has 2 columns, and had 3',
    )
  })
})

describe('a run with input.columns.expect', () => {
  const pipelineOf = (expects: string): string => {
    const input = `{ path: in.csv, columns: { expect: ${expects} } }`
    here.write('drift.yml', `name: drift\ninput: ${input}\nmappings: { name: Company }\noutput: out.csv\n`)
    return 'drift.yml'
  }
  const ENGLISH = HEADERS[1]!

  test('refuses a list that lost a column before a request, names both headers, and takes it with --accept-list', async () => {
    const { url, requests } = await realService({ play: 'vendor' })
    const options = here.options({ ...CREDENTIALS, FETTLE_URL: url })
    here.write('in.csv', csv(listOf(ENGLISH, 0)))
    const first = await run(pipelineOf('known'), options)
    const sent = requests.length
    here.write('in.csv', csv(header(listOf(ENGLISH, 2), row => [...row.slice(0, 4), 'Telephone', row[5]!])))
    const { ok, issues } = await check(pipelineOf('known'), options)
    expect([ok, issues.map(({ code }) => code)]).toEqual([false, expect.arrayContaining(['FETTLE_INPUT_DRIFT'])])
    await expect(run(pipelineOf('known'), options)).rejects.toMatchObject({
      code: 'FETTLE_INPUT_DRIFT',
      message:
        'the column "Phone" is "Telephone" now, or is missing; ' +
        'columns before: "Company", "City", "Revenue", "Since", "Phone", "Note"; ' +
        'columns now: "Company", "City", "Revenue", "Since", "Telephone", "Note"; ' +
        `compared with the last good run ${first.metadata.runId}`,
    })
    expect(requests.length).toBe(sent)
    await run(pipelineOf('open'), options)
    await run(pipelineOf('known'), { ...options, acceptList: true })
    // What was accepted is what the next list is compared with.
    here.write('in.csv', csv(header(listOf(ENGLISH, 4), row => [...row.slice(0, 4), 'Telephone', row[5]!])))
    await run(pipelineOf('known'), options)
  })

  test('takes a new column with a warning, and refuses it where the columns must be the same', async () => {
    const added = (seed: number): Table => listOf(ENGLISH, seed).map((row, at) => [...row, at === 0 ? 'Extra' : 'x'])
    here.write('in.csv', csv(listOf(ENGLISH, 0)))
    await run(pipelineOf('exact'), here.options())
    here.write('in.csv', csv(added(2)))
    await expect(run(pipelineOf('exact'), here.options())).rejects.toMatchObject({ code: 'FETTLE_INPUT_DRIFT' })
    expect((await check(pipelineOf('known'), here.options())).issues).toContainEqual(
      expect.objectContaining({
        code: 'FETTLE_INPUT_DRIFT',
        severity: 'warn',
        message: expect.stringContaining('"Extra" is new'),
      }),
    )
    await run(pipelineOf('known'), here.options())
  })
})
