/** The columns of a list are compared with the last good run: each drift is reported before a request, and no unchanged list is. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { check, run } from '../../../src/index.ts'
import type { Plan } from '../../../src/pipeline/model/types.ts'
import { compareColumns } from '../../../src/prepare/compare-columns.ts'
import { type Place, place } from '../../support/place.ts'
import { CREDENTIALS, realService } from '../../system/cli/servers.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

type Table = readonly (readonly string[])[]

/** Rows of a list; the lists of the table below have more of them. */
const ROWS = 24
/** Twenty lists: their headers, in eight languages, and how their numbers and dates are written. */
const LISTS: readonly (readonly [headers: readonly string[], number: (n: number) => string, date: (day: number) => string])[] = [
  [['Firma', 'Ort', 'Umsatz', 'Kunde seit', 'Telefon', 'Notiz'], n => `${n}`, day => `2024-01-${two(day)}`],
  [['Company', 'City', 'Revenue', 'Since', 'Phone', 'Note'], n => `${n}.50`, day => `${day}.03.2024`],
  [['Raison sociale', 'Ville', 'CA', 'Depuis', 'Téléphone', 'Note'], n => `${n}`, day => `2024-01-${two(day)}`],
  [['社名', '市', '売上', '日付', '電話', '備考'], n => `${n}.50`, day => `${day}/3/24`],
  [['name', 'name', 'a b', '', 'x,y', '"q"'], n => `${n}`, day => `2024-01-${two(day)}`],
  [
    ['Lieferant', 'Stadt', 'Bestellwert', 'Letzte Bestellung', 'Fax', 'Bemerkung'],
    n => `1.${n}00,50`,
    day => `${two(day)}.11.2023`,
  ],
  [['Kreditor', 'PLZ Ort', 'Saldo EUR', 'Geändert am', 'Ansprechpartner', 'Kürzel'], n => `-${n},00`, day => `${day}.1.23`],
  [
    ['Vendor Name', 'Town/City', 'Spend (GBP)', 'Last Invoice', 'E-mail', 'Comments'],
    n => `1,${n}00.00`,
    day => `${two(day)}/12/2024`,
  ],
  [
    ['VENDOR_NAME', 'VENDOR_CITY', 'AMT_YTD', 'CREATED_AT', 'FLAG', 'FREE_TEXT'],
    n => `+${n}`,
    day => `2024-05-${two(day)}T10:00:00Z`,
  ],
  [
    ['Fournisseur', 'Commune', "Chiffre d'affaires", 'Date de création', 'Fax', 'Remarque'],
    n => `1 ${n} 500,25`,
    day => `${two(day)}/07/2024`,
  ],
  [
    ['Dénomination', 'Localité', 'Encours', 'Mise à jour', 'Courriel', 'Observations'],
    n => `${n}%`,
    day => `2024-09-${two(day)} 08:30`,
  ],
  [
    ['Razón social', 'Población', 'Importe', 'Fecha de alta', 'Teléfono', 'Observación'],
    n => `${n},75`,
    day => `${two(day)}-02-2024`,
  ],
  [['Proveedor', 'Ciudad', 'Saldo', 'Última compra', 'Correo', 'Nota'], n => `.${n}`, day => `${day}-2-24`],
  [
    ['Ragione sociale', 'Città', 'Fatturato', 'Cliente dal', 'PEC', 'Annotazioni'],
    n => `1'${n}00.5`,
    day => `${two(day)}/01/2024`,
  ],
  [['Fornitore', 'Comune', 'Importo', 'Ultimo ordine', 'Telefono', 'Stato'], n => `0${n}`, day => `2023-12-${two(day)}`],
  [['Nazwa firmy', 'Miejscowość', 'Obrót', 'Data', 'Telefon', 'Uwagi'], n => `${n}`, day => `${day}.10.2024`],
  [['Kontrahent', 'Miasto', 'Kwota', 'Od kiedy', 'Faks', 'Opis'], n => `1\u00a0${n},00`, day => `2024-04-${two(day)}`],
  [['会社名', '住所', '資本金', '設立日', 'メール', 'メモ'], n => `1,${n}`, day => `10/${two(day)}/24`],
  [['取引先名', '都道府県', '金額', '登録日', '担当', '種別'], n => `${n}`, day => `2024-08-${two(day)}`],
  [['Organisatie', 'Plaats', 'Omzet', 'Klant sinds', 'Mobiel', 'Opmerking'], n => `${n},5`, day => `${two(day)}-06-2024`],
]
const HEADERS = LISTS.map(([headers]) => headers)

const two = (day: number): string => String(day).padStart(2, '0')

/** A list with a name, a town, a number, a date, a column with few cells and a column of mixed cells; `night` varies the cells. */
function listOf(headers: readonly string[], night: number): Table {
  const [, number, date] = LISTS.find(([known]) => known === headers)!
  const count = ROWS + (HEADERS.indexOf(headers) % 5) * 10
  const rows = Array.from({ length: count }, (_, at) => {
    const value = (at + 1) * (night + 7)
    return [
      `Firm ${value} Ltd`,
      `Town ${value % 9}`,
      number(value),
      date((at % 28) + 1),
      at === night % ROWS ? '1' : '',
      at % 2 === 0 ? String(value) : `note ${value}`,
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
  ['numbers became dates', true, table => column(table, 2, (_, row) => `2024-02-${two((row % 28) + 1)}`)],
  ['dates became text', true, table => column(table, 3, () => 'yesterday')],
  ['dates became numbers', true, table => column(table, 3, (_, row) => String(45_000 + row))],
  ['text became numbers', true, table => column(table, 1, (_, row) => String(row))],
  ['two thirds of the numbers became text', true, table => column(table, 2, (text, row) => (row % 3 === 0 ? text : 'n/a'))],
  [
    'cells of two columns exchanged',
    true,
    table => table.map((row, at) => (at === 0 ? row : [row[0]!, row[1]!, row[3]!, row[2]!, ...row.slice(4)])),
  ],
  ['first column lost', true, table => table.map(row => row.slice(1))],
  ['headers of two columns exchanged', true, table => header(table, ([a, b, c, d, ...rest]) => [a!, b!, d!, c!, ...rest])],
  ['headers one column to the left', true, table => header(table, ([first, ...rest]) => [...rest, first!])],
  ['cells one column to the right', true, table => table.map((row, at) => (at === 0 ? row : [row.at(-1)!, ...row.slice(0, -1)]))],
  ['header missing', true, table => table.slice(1)],
  ['every header with a prefix', true, table => header(table, row => row.map(name => `src_${name}`))],
  [
    'one lost, two new',
    true,
    table => table.map((row, at) => [...without(row, 3), at === 0 ? 'E1' : 'x', at === 0 ? 'E2' : 'y']),
  ],
  ['a column twice', false, table => table.map(row => [...row, row[1]!])],
  ['new in the middle', false, table => table.map((row, at) => [...row.slice(0, 3), at === 0 ? 'Extra' : 'x', ...row.slice(3)])],
  ['the mixed column empty', true, table => column(table, 5, () => '')],
  ['numbers got a currency', true, table => column(table, 2, text => `EUR ${text}`)],
  ['numbers with an exponent', true, table => column(table, 2, (_, row) => `4.${row}E+11`)],
  ['months of dates in words', true, table => column(table, 3, (_, row) => `${row} March 2024`)],
  ['text became dates', true, table => column(table, 1, (_, row) => `2024-02-${two((row % 28) + 1)}`)],
  ['all columns but two empty', true, table => [2, 3, 5].reduce((changed, at) => column(changed, at, () => ''), table)],
]

/** Changes of a list that are none of its columns. */
const SAME: readonly (readonly [what: string, change: (table: Table) => Table])[] = [
  ['the same', table => table],
  ['other rows in another order', table => [table[0]!, ...table.slice(1).toReversed()]],
  ['half of the rows', table => table.slice(0, 1 + ROWS / 2)],
  ['all rows twice', table => [...table, ...table.slice(1)]],
  ['numbers with a sign and a point', table => column(table, 2, (_, row) => `-${row}.25`)],
  ['numbers with separators', table => column(table, 2, (_, row) => `1,${100 + row},000`)],
  ['dates in another form', table => column(table, 3, (_, row) => `${(row % 28) + 1}/2/2025`)],
  ['a time behind dates', table => column(table, 3, (_, row) => `2025-02-${two((row % 28) + 1)} 12:00`)],
  ['every town in quotes with a line break', table => column(table, 1, text => `"${text}"\nEast`)],
  ['one number missing', table => column(table, 2, (text, row) => (row === 3 ? '' : text))],
  ['a third of the numbers is text', table => column(table, 2, (text, row) => (row % 3 === 0 ? 'n/a' : text))],
  ['the rare column is empty', table => column(table, 4, () => '')],
]

async function planOf(table: Table): Promise<Plan> {
  here.write('in.csv', csv(table))
  const pipeline = {
    name: 'drift',
    input: { path: 'in.csv', columns: { expect: 'known' } },
    mappings: { name: { index: 0 } },
  } as const
  const { plan, issues } = await check(pipeline, here.options())
  expect(issues.filter(({ severity }) => severity === 'error')).toEqual([])
  return plan!
}

const exactly = (plan: Plan): Plan => ({ ...plan, contract: { ...plan.contract!, expect: 'exact' } })

describe('the columns of two lists', () => {
  test.each(HEADERS.map((headers, night) => [headers.join(), headers, night] as const))(
    'with the header %s: each drift is reported, and nothing else',
    async (_, headers, night) => {
      const before = await planOf(listOf(headers, night))
      for (const [what, change] of SAME) {
        const now = await planOf(change(listOf(headers, night + 2)))
        for (const plan of [now, exactly(now)])
          expect([what, compareColumns(plan, before)]).toEqual([what, { warn: [], fail: [] }])
      }
      for (const [what, isLoss, change] of DRIFTS) {
        const now = await planOf(change(listOf(headers, night + 2)))
        const known = compareColumns(now, before)
        expect([what, known[isLoss ? 'fail' : 'warn'].length > 0]).toEqual([what, true])
        if (!isLoss) expect([what, known.fail]).toEqual([what, []])
        expect([what, compareColumns(exactly(now), before).fail.length > 0]).toEqual([what, true])
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
