/** Rows reordered, lost, repeated and invented, under headers of any spelling: each row gets its company or the file is rejected. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import type { Plan, PlannedOutput } from '../../../src/pipeline/model/types.ts'
import { locateColumns } from '../../../src/results/enriched-columns.ts'
import { openResults } from '../../../src/results/index.ts'
import { runs } from '../../support/runs.ts'
import { FUZZ_TIMEOUT, fuzz } from '../input/fuzz.ts'
import { factsOf, folder, inMemory, names, planOf } from '../input/kit.ts'

const OUTPUT: PlannedOutput = {
  path: 'out.csv',
  format: 'csv',
  columns: ['*', 'general.connectId'],
  unmatched: null,
  review: null,
}
const csv = (rows: readonly (readonly string[])[]): string =>
  rows.map(row => `${row.map(cell => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`).join('')
const download = (text: string) => ({
  bytes: Buffer.byteLength(text),
  body: (async function* () {
    yield Buffer.from(text)
  })(),
})

/** Joins enriched files to an input; gives the ids beside its rows, or the error. */
async function joined(
  input: string,
  files: readonly string[],
  rest: Partial<Plan> = {},
  { root, work, header }: { root: string; work: string; header?: boolean } = { root: folder(), work: folder() },
) {
  writeFileSync(join(root, 'in.csv'), input)
  const facts = { ...(await factsOf(join(root, 'in.csv'), { delimiter: ',', header: header ?? true })), path: 'in.csv' }
  const plan = planOf(facts, { output: OUTPUT, ...rest })
  const results = openResults(plan, work, { root })
  try {
    for (const [part, text] of files.entries()) await results.receive(part, download(text), plan.parts[part]!.rows)
    await results.publish()
    const rows: string[][] = parse(readFileSync(join(root, 'out.csv')))
    return rows.slice(1).map(row => row.at(-1) ?? '')
  } catch (error) {
    if (!FettleError.is(error)) throw error
    expect(names(root)).toEqual(['in.csv'])
    return error
  } finally {
    rmSync(join(root, 'out.csv'), { force: true })
    await results.remove()
  }
}

describe('the input’s own columns', () => {
  const own = (header: string[], sent: string[]) =>
    locateColumns(header, { input: { header: sent, columns: sent.length } as unknown as Plan['input'], mappings: [] })

  it('are found with other case, spaces and underscores in their headers, and in any position', () => {
    const sent = ['Ref', 'Company Name']
    expect(own(['REF', 'company_name', 'general.connectId'], sent).own).toEqual([[0], [1]])
    expect(own(['general.connectId', 'COMPANYNAME', 'x', 'r e f'], sent).own).toEqual([[3], [1]])
    expect(own(['general.connectId', 'Name'], sent).own).toEqual([[], []])
  })

  it('are all columns of their name where several have it', () => {
    expect(own(['Name', 'NAME', 'general.connectId'], ['NAME', 'Name']).own).toEqual([
      [0, 1],
      [0, 1],
    ])
  })

  it('are never confused with added columns', () => {
    const sent = ['Name', 'general.connectId']
    expect(own(['name', 'general.connectid', 'general.connectId'], sent).find('general.connectId')).toBe(2)
    expect(own(['general.connectId', 'Name'], sent).find('general.connectId')).toBe(-1)
    const find = () => own(['general.connectId', 'general.connectId', 'Name'], sent).find('general.connectId')
    expect(find).toThrow('2 columns "general.connectId", and it is unclear which of them the service added')
    expect(() => own(['general.connectId', 'x', 'general.connectId'], ['Name']).find('general.connectId')).toThrow('2 columns')
  })

  it('are not guessed at the start of a file without a header when added columns are there', () => {
    const without = (header: string[]) =>
      locateColumns(header, { input: { header: null, columns: 2 } as unknown as Plan['input'], mappings: [] })
    expect(without(['A', 'B', 'general.connectId']).own).toEqual([[0], [1]])
    expect(without(['general.connectId', 'column_b', 'COLUMN A']).own).toEqual([[2], [1]])
    const tagsFirst = without(['A', 'general.connectId', 'B'])
    expect([tagsFirst.own, tagsFirst.find('general.connectId')]).toEqual([[[], []], 1])
  })

  it('added columns are found under another spelling too', () => {
    expect(own(['Name', 'General.Connect_ID'], ['Name']).find('general.connectId')).toBe(1)
  })
})

describe('the order of rows', () => {
  const INPUT = 'Ref,Company,Town\n1,Acme,Leeds\n2,Acme,York\n3,Core,Leeds\n'
  const mappings: Plan['mappings'] = [
    { mapping: 'name', header: 'Company', index: 1, pad: null },
    { mapping: 'town', header: 'Town', index: 2, pad: null },
  ]
  const join3 = (header: string, ...rows: string[]) => joined(INPUT, [`${[header, ...rows].join('\n')}\n`], { mappings })
  const unproven = (...texts: string[]) => ({
    code: 'FETTLE_ROW_ORDER',
    exitCode: 76,
    message: expect.stringMatching(new RegExp(texts.map(text => text.replace(/[.]/g, '\\.')).join('.*'))),
  })
  const IDS = ['CC-1', 'CC-2', 'CC-3']

  it('is proven by row numbers and a key that is another in each row', async () => {
    const keyed = (header: string, ...rows: string[]) =>
      joined(INPUT, [`${[header, ...rows].join('\n')}\n`], { mappings, key: { header: 'Ref', index: 0 } })
    const header = 'ref,general.rowNumber,general.connectId'
    expect(await keyed(header, '1,1,CC-1', '2,2,CC-2', '3,3,CC-3')).toEqual(IDS)
    expect(await keyed(header, '3,1,CC-3', '2,2,CC-2', '1,3,CC-1')).toMatchObject(
      unproven('or column "Ref", the key of the list'),
    )
    const noKey = await keyed('general.rowNumber,general.connectId', '1,CC-1', '2,CC-2', '3,CC-3')
    expect(noKey).toMatchObject(unproven('or column "Ref", the key of the list'))
  })

  it('is proven by general.rowNumber, counted from 1, where the companies fit their rows', async () => {
    const header = 'general.rowNumber,general.connectId,general.companyName'
    expect(await join3(header, '1,CC-1,Acme Ltd', '2,CC-2,Acme Ltd', '3,CC-3,Core')).toEqual(IDS)
    const none = await join3('general.rowNumber,general.connectId', '1,CC-1', '2,CC-2', '3,CC-3')
    expect(none).toMatchObject(
      unproven(
        'may be counted by the service itself, it does not repeat column "Company"',
        'column "Company", column "Town" as sent; or a name',
      ),
    )
    const twice = await join3('general.rowNumber,general.connectId', '1,CC-1', '2,CC-2', '2,CC-2')
    expect(twice).toMatchObject({ code: 'FETTLE_LEDGER', message: expect.stringContaining('its general.rowNumber is 2') })
    for (const first of [0, 2]) {
      const rows = IDS.map((id, at) => `${first + at},${id}`)
      expect(await join3('general.rowNumber,general.connectId', ...rows)).toMatchObject(
        unproven(
          'general.rowNumber is not counted from 1, and it does not repeat column "Company"',
          'column "Company", column "Town" as sent',
        ),
      )
      const repeated = IDS.map((id, at) => `${first + at},${id},${['Acme,Leeds', 'Acme,York', 'Core,Leeds'][at]}`)
      expect(await join3('general.rowNumber,general.connectId,COMPANY,TOWN', ...repeated)).toEqual(IDS)
    }
  })

  it('is refused where a matched row was exchanged with one that has no company', async () => {
    const list = ['Acme', 'Bolt', 'Core', 'Dune', 'Echo', 'Flux']
    const input = `Company\n${list.join('\n')}\n`
    const names: Plan['mappings'] = [{ mapping: 'name', header: 'Company', index: 0, pad: null }]
    const found = (companies: readonly string[], cells: readonly string[] = []) => {
      const rows = companies.map((name, at) =>
        [at + 1, ...cells.slice(at, at + 1), name === '' ? '' : `C1-${name}`, name === '' ? '' : `${name} Ltd`].join(','),
      )
      const header = ['general.rowNumber', ...(cells.length > 0 ? ['Company'] : []), 'general.connectId,general.companyName']
      return joined(input, [`${[header.join(','), ...rows].join('\n')}\n`], { mappings: names })
    }
    expect(await found(['Acme', 'Bolt', 'Core', '', 'Echo', 'Flux'])).toHaveLength(6)
    const exchanged = ['Acme', '', 'Core', 'Bolt', 'Echo', 'Flux']
    expect(await found(exchanged)).toMatchObject(
      unproven('beside row 4', 'belongs to row 2, by its name or number, and row 2 has none'),
    )
    // Cells that repeat show that the row is in its place.
    expect(await found(exchanged, list)).toHaveLength(6)
    // A company may have another name by now.
    expect(await found(['Acme', 'Bolt', 'Core', 'Zeta', 'Echo', 'Flux'])).toHaveLength(6)
  })

  it('is not doubted for several spellings of one company', async () => {
    const spellings = ['Shell Cananda', 'Shell Canda Products', 'Shell Products of Canada', 'Shel Canada Products', 'Core Optik']
    const companies = [...Array.from({ length: 4 }, () => 'Shell Canada Products'), 'Core Optik']
    const names: Plan['mappings'] = [{ mapping: 'name', header: 'Company', index: 0, pad: null }]
    const file = (found: readonly string[]): string =>
      [
        'general.rowNumber,Company,general.connectId,general.companyName',
        ...found.map((name, at) => `${at + 1},${spellings[at]},CA-X-${name.length},${name}`),
      ].join('\n')
    const input = `Company\n${spellings.join('\n')}\n`
    expect(await joined(input, [`${file(companies)}\n`], { mappings: names })).toHaveLength(5)
    const exchanged = [...companies.slice(0, 3), 'Core Optik', 'Shell Canada Products']
    expect(await joined(input, [`${file(exchanged)}\n`], { mappings: names })).toMatchObject({ code: 'FETTLE_ROW_ORDER' })
  })

  it('is not doubted for a row whose own company is as close as the company of another row', async () => {
    const spellings = ['Altis HR', 'Exel Human Resources', 'Altis Human Resources Excel', 'Core Optik']
    const names: Plan['mappings'] = [{ mapping: 'name', header: 'Company', index: 0, pad: null }]
    const input = `Company\n${spellings.join('\n')}\n`
    const found = (companies: readonly string[]): unknown =>
      joined(
        input,
        [
          `general.rowNumber,Company,general.connectId,general.companyName\n${companies
            .map((name, at) => `${at + 1},${spellings[at]},CA-X-${name.length},${name}\n`)
            .join('')}`,
        ],
        { mappings: names },
      )
    const companies = ['Altis Human Resources', 'Excel Human Resources', 'Altis Human Resources Excel Group', 'Core Optik']
    expect(await found(companies)).toHaveLength(4)
    const [altis, excel, group, core] = companies
    expect(await found([altis!, core!, group!, excel!])).toMatchObject({ code: 'FETTLE_ROW_ORDER' })
  })

  describe('is refused where the companies belong to other rows, though cells or key repeat', () => {
    const names = [
      'Acme Steel',
      'Bolt Foods',
      'Core Optik',
      'Dune Energy',
      'Echo Marine',
      'Flux Trading',
      'Gate Wood',
      'Hill Paper',
    ]
    const rows = (at: number): readonly string[] => [
      `R${at}`,
      names[at]!,
      String(20_000_100 + 37 * at),
      at % 2 === 0 ? 'DE' : 'FR',
    ]
    const places = { name: 1, orgNumber: 2, country: 3 } as const
    /** The company of row `from` beside row `at`; -1: none. */
    const moved = (from: (at: number) => number, mapped: readonly (keyof typeof places)[], tags: (at: number) => string) => {
      const cells = names.map((_, at) => rows(at))
      const lines = cells.map((row, at) => [...row, at + 1, names[from(at)] === undefined ? ',' : tags(from(at))].join(','))
      const mappings = mapped.map(mapping => ({ mapping, header: mapping, index: places[mapping], pad: null }))
      const header = 'ref,name,orgNumber,country,general.rowNumber,general.connectId,general.companyName'
      const input = csv([['ref', 'name', 'orgNumber', 'country'], ...cells])
      return joined(input, [`${[header, ...lines].join('\n')}\n`], { mappings, key: { header: 'ref', index: 0 } })
    }
    const idOf = (at: number): string => `${rows(at)[3]}-0-${rows(at)[2]}`
    const whole = (at: number): string => `${idOf(at)},${names[at]} Ltd`
    const odd = [1, 3, 5, 7]
    it.each<readonly [string, (at: number) => number, readonly (keyof typeof places)[], (at: number) => string]>([
      ['one row down, every second row found', at => (at % 2 === 0 ? at - 1 : -1), ['name', 'country'], whole],
      ['moved up over rows without a company', at => odd[at] ?? -1, ['name', 'country'], whole],
      ['reversed, every second row found', at => (at % 2 === 0 ? 7 - at : -1), ['name', 'country'], whole],
      ['numbers without names', at => at - 1, ['orgNumber'], at => `${idOf(at)},`],
      ['names that are alike a little', at => at - 1, ['name'], at => `X1,${names[at]!.split(' ')[0]} Holding Works`],
    ])('%s', async (_, from, mapped, tags) => {
      expect(await moved(at => at, mapped, tags)).toHaveLength(8)
      expect(await moved(from, mapped, tags)).toMatchObject({ code: 'FETTLE_ROW_ORDER', exitCode: 76 })
    })

    it('companies of one name in several countries', async () => {
      const countries = ['DE', 'FR', 'SE', 'GB', 'GB', 'GB', 'GB', 'GB']
      const list = countries.map((country, at) => [at < 3 ? 'Ikea Möbel' : names[at]!, country])
      const mappings: Plan['mappings'] = [
        { mapping: 'name', header: 'name', index: 0, pad: null },
        { mapping: 'country', header: 'country', index: 1, pad: null },
      ]
      const found = (order: readonly number[]) => {
        const lines = list.map(([name, country], at) => {
          const of = order[at] ?? at
          return `${name},${country},${at + 1},${countries[of]}-0-${of}000${of},${list[of]![0]} AB`
        })
        const header = 'name,country,general.rowNumber,general.connectId,general.companyName'
        return joined(csv([['name', 'country'], ...list]), [`${[header, ...lines].join('\n')}\n`], { mappings })
      }
      expect(await found([])).toHaveLength(8)
      expect(await found([1, 2, 0])).toMatchObject({ code: 'FETTLE_ROW_ORDER' })
      expect(await found([1, 0])).toMatchObject({ code: 'FETTLE_ROW_ORDER' })
    })

    it('names that begin alike, in a file that is compared in part', async () => {
      const count = 10_500
      const list = Array.from({ length: count }, (_, at) => [`Autohaus Nummer ${(at * 7919) % 99_991}`])
      const mappings: Plan['mappings'] = [{ mapping: 'name', header: 'name', index: 0, pad: null }]
      const found = (by: number) => {
        const lines = list.map(([name], at) => {
          const of = (at + by) % count
          return `${name},${at + 1},CC-${of},${list[of]![0]} GmbH`
        })
        const header = 'name,general.rowNumber,general.connectId,general.companyName'
        return joined(csv([['name'], ...list]), [`${[header, ...lines].join('\n')}\n`], { mappings })
      }
      expect(await found(0)).toHaveLength(count)
      expect(await found(1)).toMatchObject({ code: 'FETTLE_ROW_ORDER' })
    })
  })

  it('is refused for a job of one row whose company has another name, where nothing repeats', async () => {
    const mappings: Plan['mappings'] = [{ mapping: 'name', header: 'Company', index: 0, pad: null }]
    const found = (header: string, row: string) => joined('Company\nThistle Brewery\n', [`${header}\n${row}\n`], { mappings })
    const header = 'general.rowNumber,general.connectId,general.companyName'
    expect(await found(header, '1,CC-1,Thistle Brewery Ltd')).toEqual(['CC-1'])
    expect(await found(header, '1,CC-1,Harbour Brewery Ltd')).toMatchObject(unproven('another name than its row'))
    expect(await found(`Company,${header}`, 'Thistle Brewery,1,CC-1,Harbour Brewery Ltd')).toEqual(['CC-1'])
  })

  it('without a proof, names the header that came', async () => {
    expect(await join3('general.rowNo,general.connectId', '1,CC-1', '2,CC-2', '3,CC-3')).toMatchObject(
      unproven('its columns are "general.rowNo", "general.connectId"'),
    )
  })

  it('needs no proof for rows that are all alike', async () => {
    const alike = (third: string) =>
      joined(
        `Ref,Company,Town\n1,Acme,Leeds\n2,Acme,Leeds\n3,${third}\n`,
        ['general.rowNumber,general.connectId\n1,CC-1\n2,CC-1\n3,CC-1\n'],
        { mappings },
      )
    expect(await alike('Acme,Leeds')).toEqual(['CC-1', 'CC-1', 'CC-1'])
    expect(await alike('Acme,York')).toMatchObject({ code: 'FETTLE_ROW_ORDER' })
  })

  it('is proven by the mapped cells alone, and refused where one of them is another', async () => {
    const header = 'general.connectId,TOWN,COM PANY'
    expect(await join3(header, 'CC-1,Leeds,Acme', 'CC-2,York,Acme', 'CC-3,Leeds,Core')).toEqual(IDS)
    expect(await join3(header, 'CC-2,York,Acme', 'CC-1,Leeds,Acme', 'CC-3,Leeds,Core')).toMatchObject({ exitCode: 76 })
    expect(await join3(header, 'CC-1,Leeds,Acme', 'CC-2,York,Acme', 'CC-3,Leeds,Core Ltd')).toMatchObject({ exitCode: 76 })
    expect(await join3('general.connectId,general.rowNumber', 'CC-1,1', 'CC-2,', 'CC-3,3')).toMatchObject(
      unproven('general.rowNumber is empty in row 2, and it does not repeat column "Company"'),
    )
    expect(await join3('general.connectId', ...IDS)).toMatchObject(
      unproven('it has no general.rowNumber, and it does not repeat column "Company"'),
    )
  })

  it('is not proven by other columns, by some of the mapped ones, nor by cells that were tidied', async () => {
    expect(await join3('REF,general.connectId', '1,CC-1', '2,CC-2', '3,CC-3')).toMatchObject(
      unproven('it does not repeat column "Company"'),
    )
    expect(await join3('company,general.connectId', 'Acme,CC-1', 'Acme,CC-2', 'Core,CC-3')).toMatchObject(
      unproven('it does not repeat column "Town"'),
    )
    expect(await join3('company,town,general.connectId', 'Acme,Leeds,CC-1', 'ACME,York,CC-2', 'Core,Leeds,CC-3')).toMatchObject(
      unproven('column "Company" does not repeat in row 2 what was sent'),
    )
    const numbered = ['Acme,Leeds,CC-1,1', 'ACME,York,CC-2,2', 'Core,Leeds,CC-3,3']
    expect(await join3('company,town,general.connectId,general.rowNumber', ...numbered)).toEqual(IDS)
  })

  it('is proven by cells, not by headers, where several columns are called alike', async () => {
    const input = 'Name,NAME\nAcme,Bolt\nAcme,Acme\n'
    const both: Plan['mappings'] = [
      { mapping: 'name', header: 'Name', index: 0, pad: null },
      { mapping: 'tradingName', header: 'NAME', index: 1, pad: null },
    ]
    const join2 = (...rows: string[]) =>
      joined(input, [`x,NAME,name,general.connectId\n${rows.join('\n')}\n`], { mappings: both })
    expect(await join2(',Bolt,Acme,CC-1', ',Acme,Acme,CC-2')).toEqual(['CC-1', 'CC-2'])
    expect(await join2(',Acme,Bolt,CC-1', ',Acme,Acme,CC-2')).toEqual(['CC-1', 'CC-2'])
    expect(await join2(',Acme,Bolt,CC-1', ',Acme,Bolt,CC-1')).toMatchObject({ exitCode: 76 })
    const lost = await joined(input, ['x,name,general.connectId\n,Acme,CC-1\n,Acme,CC-2\n'], { mappings: both })
    expect(lost).toMatchObject(unproven('it does not repeat column "Name"'))
  })

  it('is proven part by part, and for rows alike that were sent once', async () => {
    const parts = [
      { from: 0, rows: 2 },
      { from: 2, rows: 1 },
    ]
    const header = 'TOWN,COMPANY,general.connectId'
    const halves = [`${header}\nLeeds,Acme,CC-1\nYork,Acme,CC-2\n`, `${header}\nLeeds,Core,CC-3\n`]
    expect(await joined(INPUT, halves, { mappings, parts })).toEqual(IDS)
    const tags = 'general.rowNumber,general.connectId,general.companyName,contact.city'
    const numbered = [`${tags}\n1,CC-1,Acme,Leeds\n2,CC-2,Acme,York\n`, `${tags}\n1,CC-3,Core,Leeds\n`]
    expect(await joined(INPUT, numbered, { mappings, parts })).toEqual(IDS)
    const late = [numbered[0]!, 'general.rowNumber,general.connectId\n2,CC-3\n']
    expect(await joined(INPUT, late, { mappings, parts })).toMatchObject({ exitCode: 76 })
    const folded = { mappings: mappings.slice(0, 1), collapse: true, sent: 2, parts: [{ from: 0, rows: 2 }] }
    expect(await joined(INPUT, [`${header}\nLeeds,Acme,CC-1\nLeeds,Core,CC-3\n`], folded)).toEqual(['CC-1', 'CC-1', 'CC-3'])
    expect(await joined(INPUT, [`${header}\nLeeds,Core,CC-3\nLeeds,Acme,CC-1\n`], folded)).toMatchObject({ exitCode: 76 })
  })

  it('is not proven where an added column has the name of a missing input column', async () => {
    const input = 'Name,Town,Country,general.connectId\nAcme,Leeds,GB,old\n'
    const header = 'name,town,country,general.connectId'
    expect(await joined(input, [`${header},general.rowNumber\nAcme,Leeds,GB,CC-1,1\n`])).toMatchObject({
      code: 'FETTLE_LEDGER',
      message: expect.stringContaining(
        'column "general.connectId" does not repeat what was sent, so it may be one that the service added',
      ),
    })
    expect(await joined(input, [`${header},general.connectId\nAcme,Leeds,GB,old,CC-1\n`])).toEqual(['CC-1'])
  })

  it('is not proven by numbers that the repeated cells contradict', async () => {
    const rows = ['1,3,Core,Leeds,CC-3', '2,2,Acme,York,CC-2', '3,1,Acme,Leeds,CC-1']
    expect(await join3('general.rowNumber,REF,COMPANY,TOWN,general.connectId', ...rows)).toMatchObject({
      code: 'FETTLE_LEDGER',
      message: expect.stringContaining('2 of its 3 cells are not the ones that were sent'),
    })
  })
})

/** A file of a service of its kind, and what befell it. */
const HEADERS = ['Company', 'COMPANY', 'com_pany', 'Reg No', 'reg_no', 'Town', 'ref', 'general.connectId']
const CELLS = ['Acme', 'acme', 'Acme ', 'Bolt', '7', '07', '']
const MAPPED = ['name', 'companyId', 'town', 'country'] as const
const SPELLINGS: readonly ((name: string) => string)[] = [
  name => name,
  name => name.toUpperCase(),
  name => name.toLowerCase(),
  name => name.replace(/[\s_]/g, ''),
  name => name.replace(/ /g, '_'),
  name => [...name].join(' '),
]
const ECHOES: readonly ((cell: string) => string)[] = [
  cell => cell,
  cell => cell.trim(),
  cell => cell.toUpperCase(),
  cell => cell.replace(/^0+/, ''),
  cell => `"${cell}"`,
]
const spelling = fc.constantFrom(...SPELLINGS)

const scene = fc.integer({ min: 1, max: 4 }).chain(width =>
  fc.record({
    header: fc.uniqueArray(fc.constantFrom(...HEADERS), { minLength: width, maxLength: width }),
    rows: fc.array(fc.array(fc.constantFrom(...CELLS), { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
    mapped: fc.subarray([...Array(width).keys()], { minLength: 1 }),
    key: fc.option(fc.nat(width - 1)),
    collapse: fc.boolean(),
    split: fc.integer({ min: 1, max: 6 }),
    /** Of a file without a header: whether its columns come back as COLUMN A, or under names of the service's own. */
    isLettered: fc.boolean(),
    isHeaderless: fc.constantFrom(...Array(7).fill(false), true),
    /** Of each own column whether it comes back, and how it is called. */
    kept: fc.array(fc.constantFrom(true, true, true, false), { minLength: width, maxLength: width }),
    spelled: fc.array(spelling, { minLength: width, maxLength: width }),
    tagSpelled: fc.constantFrom(...SPELLINGS.slice(0, 3)),
    echo: fc.constantFrom(...ECHOES, ...Array(8).fill(ECHOES[0]!)),
    isShuffled: fc.boolean(),
    columnOrder: fc.array(fc.nat(), { minLength: width + 2, maxLength: width + 2 }),
    numbers: fc.constantFrom<number | null>(null, 1, 1, 0, 2),
    blanks: fc.constantFrom(0, 0, 0, 0.5),
    /** The service numbers the rows itself that it has reordered. */
    isRenumbered: fc.boolean(),
    mishap: fc.constantFrom('none', 'none', 'permuted', 'swapped', 'replaced', 'doubled', 'inserted', 'lost', 'more', 'shifted'),
    draws: fc.infiniteStream(fc.nat({ max: 1_000_000 })),
  }),
)
type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never

interface Sent {
  readonly number: number | null
  readonly cells: readonly string[]
  readonly id: string
}

/** The rows of one part as they come back. */
function befall(
  rows: readonly Sent[],
  { mishap, draws, numbers, header }: Scene,
  idOf: (cells: readonly string[]) => string,
): Sent[] {
  const draw = (below: number): number => draws.next().value % below
  const [at, to] = [draw(rows.length), draw(rows.length)]
  /** Made up: it has no number, one that another row has, or one behind the last; a row that claims to be a lost one cannot be told. */
  const stranger = (left: readonly Sent[]): Sent => {
    const numbered = left[draw(Math.max(1, left.length))]?.number ?? null
    const cells = header.map(() => CELLS[draw(CELLS.length)]!)
    return { number: [null, numbered, rows.length + (numbers === 2 ? 2 : 1), 99][draw(4)]!, cells, id: idOf(cells) }
  }
  const without = rows.filter((_, index) => index !== at)
  switch (mishap) {
    case 'permuted':
      return rows
        .map(row => ({ row, by: draw(1000) }))
        .toSorted((a, b) => a.by - b.by)
        .map(({ row }) => row)
    case 'swapped':
      return rows.map((row, index) => (index === at ? rows[to]! : index === to ? rows[at]! : row))
    case 'replaced':
      return without.toSpliced(draw(rows.length), 0, stranger(without))
    case 'doubled':
      return without.length === 0 ? [...rows] : without.toSpliced(to, 0, without[draw(without.length)]!)
    case 'inserted':
      return rows.toSpliced(at, 0, stranger(rows))
    case 'more':
      return rows.toSpliced(at, 0, rows[to]!)
    case 'lost':
      return without
    case 'shifted':
      return [...rows.slice(1), stranger(rows.slice(1))]
    default:
      return [...rows]
  }
}

/** What the service sends back for rows of a part. */
function fileOf(one: Scene, sent: readonly Sent[]): string {
  const { header, kept, isHeaderless, isLettered, spelled, tagSpelled, echo, isShuffled, columnOrder, numbers } = one
  const madeUp = (index: number): string => (isLettered ? `COLUMN ${'ABCD'[index]}` : `Field ${index}`)
  const columns = [
    ...header.flatMap((name, index) =>
      kept[index]
        ? [{ name: spelled[index]!(isHeaderless ? madeUp(index) : name), of: (row: Sent) => echo(row.cells[index]!) }]
        : [],
    ),
    ...(numbers === null
      ? []
      : [{ name: tagSpelled('general.rowNumber'), of: ({ number }: Sent) => (number === null ? '' : String(number)) }]),
    { name: tagSpelled('general.connectId'), of: ({ id }: Sent) => id },
  ]
  const order = isShuffled
    ? columns
        .map((column, at) => ({ column, by: columnOrder[at]! }))
        .toSorted((a, b) => a.by - b.by)
        .map(({ column }) => column)
    : columns
  return csv([order.map(({ name }) => name), ...sent.map(row => order.map(({ of }) => of(row)))])
}

it(
  'for any change of rows and headers: the right company beside each row, or 76 and no output',
  async () => {
    const place = { root: folder(inMemory()), work: folder(inMemory()) }
    const seen: Record<string, number> = {}
    const startedAt = performance.now()
    let cases = 0
    await fc.assert(
      fc.asyncProperty(scene, async one => {
        const { header, rows, mapped, key, collapse, isHeaderless, numbers, blanks, split, draws } = one
        const isRenumbered = one.isRenumbered && numbers !== null && ['none', 'permuted', 'swapped'].includes(one.mishap)
        const exactly = (cells: readonly string[]): string =>
          `C1-${encodeURIComponent(JSON.stringify(mapped.map(index => cells[index])))}`
        // Of rows that are alike after tidying, a service that numbers them itself shows nothing.
        const idOf = (cells: readonly string[]): string =>
          isRenumbered ? exactly(cells.map(cell => cell.trim().toLowerCase())) : exactly(cells)
        const isFirst = (cells: readonly string[], at: number): boolean =>
          rows.findIndex(other => exactly(other) === exactly(cells)) === at
        const sent = collapse ? rows.filter(isFirst) : rows
        const size = Math.ceil(sent.length / Math.ceil(sent.length / split))
        const parts = Array.from({ length: Math.ceil(sent.length / size) }, (_, part) => {
          const from = part * size
          return { from, rows: Math.min(size, sent.length - from) }
        })
        const files = parts.map(({ from, rows: count }) =>
          fileOf(
            one,
            befall(
              sent.slice(from, from + count).map((cells, at) => ({
                number: numbers === null || (blanks > 0 && draws.next().value % 2 === 0) ? null : at + numbers,
                cells,
                id: idOf(cells),
              })),
              one,
              idOf,
            ).map((row, at) => (isRenumbered && row.number !== null ? { ...row, number: at + numbers } : row)),
          ),
        )
        const mappings = mapped.map((index, at) => ({
          mapping: MAPPED[at]!,
          header: isHeaderless ? null : header[index]!,
          index,
          pad: null,
        }))
        const input = csv(isHeaderless ? rows : [header, ...rows])
        const plan = {
          mappings,
          parts,
          collapse,
          rows: rows.length,
          sent: sent.length,
          key: key === null ? null : { header: null, index: key },
        }
        const got = await joined(input, files, plan, { ...place, header: !isHeaderless })
        const end = FettleError.is(got) ? got.code : 'joined'
        cases++
        seen[`${one.mishap} ${end}`] = (seen[`${one.mishap} ${end}`] ?? 0) + 1
        if (FettleError.is(got)) expect(got.exitCode).toBe(76)
        else expect(got).toEqual(rows.map(idOf))
      }),
      fuzz(runs(100, 400)),
    )
    const told = Object.entries(seen)
      .toSorted()
      .map(([what, count]) => `${what} ${count}`)
    console.log(`${cases} cases in ${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${told.join(', ')}`)
    // A property that refuses everything would hold too.
    expect(seen['none joined']).toBeGreaterThan(cases / 40)
  },
  FUZZ_TIMEOUT,
)

/** Names that share words with each other, and few letters. */
const FIRST = ['Acme', 'Bolt', 'Core', 'Dyna', 'Müller', 'Nordic', 'Söhne', 'Atlas']
const SECOND = ['Steel', 'Foods', 'Trading', 'Optik', 'Energy', 'Marine']
const ORDERS = {
  same: (at: number) => at,
  reversed: (at: number, count: number) => count - 1 - at,
  shifted: (at: number, count: number, by: number) => (at + 1 + (by % (count - 1))) % count,
  swapped: (at: number, count: number, by: number) =>
    at === 0 ? 1 + (by % (count - 1)) : at === 1 + (by % (count - 1)) ? 0 : at,
}
/** Rows with a company, beside some without: the tags may also be moved up over the gaps. */
const GAPS = { none: () => true, few: (at: number) => at % 4 > 0, many: (at: number) => at % 2 > 0 }
const renumbered = fc.record({
  names: fc.uniqueArray(
    fc.tuple(fc.constantFrom(...FIRST), fc.constantFrom(...SECOND)).map(words => words.join(' ')),
    {
      minLength: 3,
      maxLength: 40,
    },
  ),
  order: fc.constantFrom(...(Object.keys(ORDERS) as (keyof typeof ORDERS)[])),
  by: fc.nat(),
  /** Cells of the list in their place, in the place of the tags, or not at all. */
  input: fc.constantFrom('in place', 'with the tags', 'none'),
  written: fc.constantFrom<(name: string) => string>(
    name => name,
    name => `${name.toUpperCase()} LIMITED`,
    name => `The ${name} (Holding) GmbH`,
  ),
  gaps: fc.constantFrom(...(Object.keys(GAPS) as (keyof typeof GAPS)[])),
  isMovedUp: fc.boolean(),
})

it(
  'rows and tags that moved, under row numbers of the service: never the company of another row',
  async () => {
    const place = { root: folder(inMemory()), work: folder(inMemory()) }
    const seen: Record<string, number> = {}
    await fc.assert(
      fc.asyncProperty(renumbered, async ({ names: list, order: drawn, by, input, written, gaps, isMovedUp }) => {
        const mappings: Plan['mappings'] = [{ mapping: 'name', header: 'Company', index: 0, pad: null }]
        const count = list.length
        // Of two rows that were exchanged, one without a company shows nothing.
        const isFound = (at: number): boolean => drawn === 'swapped' || count < 8 || GAPS[gaps](at)
        const isUp = isMovedUp && drawn === 'same' && !list.every((_, at) => isFound(at))
        const order = isUp ? 'moved up' : drawn
        const ids = list.map((name, at) => (isFound(at) ? `C1-${name.replaceAll(' ', '-')}` : ''))
        const tags = list.map((name, at) => [ids[at]!, isFound(at) ? written(name) : ''])
        const found = [...list.keys()].toSorted((a, b) => Number(isFound(b)) - Number(isFound(a)))
        const moved = list.map((_, at) => (isUp ? found[at]! : ORDERS[drawn](at, count, by)))
        const rows = moved.map((from, at) => {
          const cell = input === 'none' ? [] : [list[input === 'in place' ? at : from]!]
          return [...cell, String(at + 1), ...tags[from]!]
        })
        const header = [...(input === 'none' ? [] : ['Company']), 'general.rowNumber', 'general.connectId', 'general.companyName']
        const got = await joined(csv([['Company'], ...list.map(name => [name])]), [csv([header, ...rows])], { mappings }, place)
        const end = FettleError.is(got) ? got.code : 'joined'
        seen[`${order} ${input} ${end}`] = (seen[`${order} ${input} ${end}`] ?? 0) + 1
        if (FettleError.is(got)) expect([got.exitCode, order]).toEqual([76, expect.not.stringMatching('same')])
        else expect(got).toEqual(ids)
      }),
      fuzz(runs(60, 400)),
    )
    expect(seen).toMatchObject({
      'same none joined': expect.any(Number),
      'swapped in place FETTLE_ROW_ORDER': expect.any(Number),
    })
  },
  FUZZ_TIMEOUT,
)
