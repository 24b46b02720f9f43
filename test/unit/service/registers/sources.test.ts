/** Imports of the real publications, from fictitious rows under their real headers: compressed, updated, killed and resumed. */
import { cpSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { action } from '../../../../src/errors.ts'
import { match } from '../../../../src/service/matching/index.ts'
import { dayIn, type ImportRequest } from '../../../../src/service/registers/import/import.ts'
import {
  importRegister,
  openRegister,
  type RegisterChange,
  readChanges,
  registerInfo,
} from '../../../../src/service/registers/index.ts'
import { COMPANIES_HOUSE_HEADER, GLEIF_HEADER } from './headers.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fettle-sources-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

type Cells = Readonly<Record<string, string>>

/** A file of a header and rows that fill some of its columns. */
const table = (header: readonly string[], rows: readonly Cells[]): string =>
  [header, ...rows.map(row => header.map(column => row[column.trim()] ?? ''))]
    .map(cells => `${cells.map(cell => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`)
    .join('')

async function take(text: string | Buffer, more: Partial<ImportRequest> & { as?: string } = {}) {
  const { as = 'source.csv', ...rest } = more
  await writeFile(join(root, as), text)
  return importRegister({ file: join(root, as), name: 'test', dir: join(root, 'registers'), now: new Date(0), ...rest })
}
const companies = async () => [...(await openRegister(join(root, 'registers'), ['test'])).index.companies]
async function changesOf(): Promise<RegisterChange[]> {
  const info = await registerInfo(join(root, 'registers'), 'test')
  const all: RegisterChange[] = []
  for await (const change of readChanges(join(root, 'registers'), 'test', info.changes!.at(-1)!)) all.push(change)
  return all
}

const LEI: Cells = {
  LEI: '529900T8BM49AURSDO99',
  'Entity.LegalName': 'Nordstrand Maskinfabrik AS',
  'Entity.OtherEntityNames.OtherEntityName.1': 'Fjordverk AS',
  'Entity.OtherEntityNames.OtherEntityName.1.type': 'PREVIOUS_LEGAL_NAME',
  'Entity.OtherEntityNames.OtherEntityName.2': 'Nordstrand Machines',
  'Entity.OtherEntityNames.OtherEntityName.2.type': 'TRADING_OR_OPERATING_NAME',
  'Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName.1': 'Nordstrand Maskinfabrik',
  'Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName.1.type': 'AUTO_ASCII_TRANSLITERATED_LEGAL_NAME',
  'Entity.LegalAddress.FirstAddressLine': 'Havnegata 1',
  'Entity.LegalAddress.AdditionalAddressLine.1': '2. etasje',
  'Entity.LegalAddress.City': 'Bergen',
  'Entity.LegalAddress.Country': 'NO',
  'Entity.LegalAddress.PostalCode': '5003',
  'Entity.RegistrationAuthority.RegistrationAuthorityEntityID': '923609016',
  'Entity.LegalForm.EntityLegalFormCode': 'YI42',
  'Entity.EntityStatus': 'ACTIVE',
  'Entity.EntityCreationDate': '1996-04-29T00:00:00Z',
  'Registration.RegistrationStatus': 'ISSUED',
}
const gleif = (...rows: Cells[]): string => table(GLEIF_HEADER, rows)

const NUMBERED: Cells = {
  CompanyName: 'THORNBURY CASTINGS LIMITED',
  CompanyNumber: '08064685',
  'RegAddress.CareOf': 'J Doe',
  'RegAddress.AddressLine1': 'Unit 4',
  'RegAddress.AddressLine2': 'Foundry Lane',
  'RegAddress.PostTown': 'Sheffield',
  'RegAddress.County': 'South Yorkshire',
  'RegAddress.PostCode': 'S9 2TX',
  CompanyCategory: 'Private Limited Company',
  CompanyStatus: 'Active',
  IncorporationDate: '10/05/2012',
  'SICCode.SicText_1': '24510 - Casting of iron',
  'SICCode.SicText_2': '46720 - Wholesale of metals and metal ores',
  'SICCode.SicText_3': 'None Supplied',
  'PreviousName_1.CompanyName': 'THORNBURY FOUNDRY LIMITED',
  'PreviousName_1.CONDATE': '03/07/2019',
  'PreviousName_2.CompanyName': 'BLUEBELL (SHEFFIELD) LIMITED',
}
const house = (...rows: Cells[]): string => table(COMPANIES_HOUSE_HEADER, rows)

describe('GLEIF golden copy', () => {
  it('reads names by type, address, number, status and legal form', async () => {
    const withdrawn = { ...LEI, LEI: '529900T8BM49AURSDO55', 'Registration.RegistrationStatus': 'DUPLICATE' }
    const spelled = {
      LEI: '529900T8BM49AURSDO77',
      'Entity.LegalName': 'Zorn',
      'Entity.LegalForm.EntityLegalFormCode': '8888',
      'Entity.LegalForm.OtherLegalForm': 'Trust',
    }
    const info = await take(gleif(LEI, withdrawn, spelled), {
      kind: 'gleif',
      as: '20261121-0800-gleif-goldencopy-lei2-golden-copy.csv',
    })
    expect(info).toMatchObject({ kind: 'gleif', snapshotDate: '2026-11-21', companies: 2, skipped: 1 })
    expect(info.skippedRows).toEqual([{ line: 3, why: 'the record is DUPLICATE' }])
    expect(await companies()).toEqual([
      {
        id: '529900T8BM49AURSDO99',
        connectId: 'NO-X-923609016',
        name: 'Nordstrand Maskinfabrik AS',
        country: 'NO',
        orgNumber: '923609016',
        vatNumber: '',
        tradingNames: ['Nordstrand Machines', 'Nordstrand Maskinfabrik'],
        previousNames: ['Fjordverk AS'],
        address1: 'Havnegata 1',
        address2: '2. etasje',
        town: 'Bergen',
        postcode: '5003',
        phone: '',
        email: '',
        website: '',
        status: 'ACTIVE',
        legalForm: 'YI42',
        incorporated: '1996-04-29',
      },
      expect.objectContaining({ connectId: 'XX-X-529900T8BM49AURSDO77', legalForm: 'Trust' }),
    ])
    const { index } = await openRegister(join(root, 'registers'), ['test'])
    expect(match(index, { name: 'Fjordverk', postcode: '5003' }).decision).toBe('matched')
  })
})

describe('Companies House', () => {
  it('reads former names and the full address', async () => {
    const info = await take(house(NUMBERED), { kind: 'companies-house', as: 'BasicCompanyDataAsOneFile-2026-11-01.csv' })
    expect(info).toMatchObject({ kind: 'companies-house', snapshotDate: '2026-11-01', companies: 1, countries: { GB: 1 } })
    expect(await companies()).toEqual([
      expect.objectContaining({
        id: '08064685',
        connectId: 'GB-X-08064685',
        name: 'THORNBURY CASTINGS LIMITED',
        previousNames: ['THORNBURY FOUNDRY LIMITED', 'BLUEBELL (SHEFFIELD) LIMITED'],
        previousUntil: ['2019-07-03', ''],
        address1: 'J Doe, Unit 4',
        address2: 'Foundry Lane, South Yorkshire',
        town: 'Sheffield',
        postcode: 'S9 2TX',
        status: 'Active',
        legalForm: 'Private Limited Company',
        activities: ['24510 Casting of iron', '46720 Wholesale of metals and metal ores'],
        incorporated: '2012-05-10',
      }),
    ])
  })

  it('is not mistaken for another kind', async () => {
    await expect(take(house(NUMBERED), { kind: 'gleif' })).rejects.toMatchObject({
      code: 'FETTLE_INPUT_HEADER',
      hint: 'The header belongs to the kind companies-house: import it as that kind.',
      action: action('register', 'import', 'companies-house', 'FILE'),
    })
  })
})

it.each([
  ['BasicCompanyData-2026-11-01-part1_7.zip', '2026-11-01'],
  ['20261121-0800-gleif.csv', '2026-11-21'],
  ['companies-20261399.csv', null],
  ['export-12026110111.csv', null],
])('the day in %s is %s', (name, day) => expect(dayIn(name)).toBe(day))

/** A zip of deflated files, with their sizes in the directory only, as a stream writes it. */
function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const packed = deflateRawSync(text)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(20, 4)
    head.writeUInt16LE(8, 8)
    head.writeUInt32LE(crc32(text), 14)
    head.writeUInt32LE(packed.length, 18)
    head.writeUInt32LE(Buffer.byteLength(text), 22)
    head.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    head.copy(entry, 6, 4, 30)
    entry.writeUInt32LE(offset, 42)
    parts.push(head, Buffer.from(name), packed)
    directory.push(entry, Buffer.from(name))
    offset += 30 + name.length + packed.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(directory.length / 2, 8)
  end.writeUInt16LE(directory.length / 2, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, ...directory, end])
}

describe('compressed sources', () => {
  it('gzip and zip are detected by their bytes', async () => {
    for (const packed of [gzipSync(house(NUMBERED)), zipOf({ 'readme.md': 'x', 'BasicCompanyData.csv': house(NUMBERED) })]) {
      const info = await take(packed, { kind: 'companies-house' })
      expect([info.companies, info.bytes]).toEqual([1, packed.length])
    }
  })

  it.each<[string, Buffer, string, string]>([
    ['a zip without a CSV', zipOf({ 'a.xml': '<a/>' }), 'FETTLE_INPUT_KIND', 'has no CSV'],
    ['a workbook of Excel', zipOf({ 'xl/workbook.xml': '<workbook/>' }), 'FETTLE_INPUT_KIND', 'is an Excel workbook'],
    ['a zip of two', zipOf({ 'a.csv': 'name\n', 'b.csv': 'name\n' }), 'FETTLE_INPUT_KIND', 'has 2 CSV files: a.csv, b.csv'],
    ['a zip that is cut off', zipOf({ 'a.csv': 'name\nAcme\n' }).subarray(0, 60), 'FETTLE_INPUT_READ', 'failed'],
    ['a gzip that is cut off', gzipSync('name\nAcme\n').subarray(0, 20), 'FETTLE_INPUT_READ', 'unexpected end of file'],
  ])('%s: reports the error and leaves no files', async (_, bytes, code, says) => {
    await expect(take(bytes)).rejects.toMatchObject({ code, message: expect.stringContaining(says) })
    expect(await readdir(join(root, 'registers'))).toEqual([])
  })
})

describe('an update', () => {
  it('records added, removed and changed companies with old and new values', async () => {
    const other = { ...NUMBERED, CompanyNumber: '00145678', CompanyName: 'ASHDOWN BREWING LIMITED' }
    const gone = { ...NUMBERED, CompanyNumber: 'SC272838', CompanyName: 'GLENFARROW LIMITED' }
    const first = await take(house(NUMBERED, other, gone), { kind: 'companies-house', snapshotDate: '2026-10-01' })
    expect(first.changes).toBeUndefined()
    const renamed = {
      ...NUMBERED,
      CompanyName: 'THORNBURY CAST LIMITED',
      CompanyStatus: 'Liquidation',
      CompanyCategory: 'PLC',
      'RegAddress.PostTown': 'Leeds',
      'SICCode.SicText_1': '24520 - Casting of steel',
    }
    const fresh = { ...NUMBERED, CompanyNumber: '13697141', CompanyName: 'YOUNG\u2028LIMITED' }
    const second = await take(house(fresh, other, renamed), { kind: 'companies-house', snapshotDate: '2026-11-01' })
    expect(second.changes).toMatchObject([
      {
        from: { snapshotDate: '2026-10-01', sha256: first.sha256 },
        to: { snapshotDate: '2026-11-01', sha256: second.sha256 },
        added: 1,
        removed: 1,
        changed: 1,
        fields: { name: 1, address: 1, status: 1, legalForm: 1, activities: 1 },
      },
    ])
    expect(await changesOf()).toEqual([
      expect.objectContaining({ change: 'added', id: '13697141', name: 'YOUNG\u2028LIMITED' }),
      expect.objectContaining({
        change: 'changed',
        connectId: 'GB-X-08064685',
        name: 'THORNBURY CAST LIMITED',
        fields: {
          name: { old: 'THORNBURY CASTINGS LIMITED', new: 'THORNBURY CAST LIMITED' },
          address: {
            old: 'J Doe, Unit 4, Foundry Lane, South Yorkshire, Sheffield, S9 2TX',
            new: 'J Doe, Unit 4, Foundry Lane, South Yorkshire, Leeds, S9 2TX',
          },
          status: { old: 'Active', new: 'Liquidation' },
          legalForm: { old: 'Private Limited Company', new: 'PLC' },
          activities: expect.objectContaining({ new: expect.stringMatching(/^24520 Casting of steel/) }),
        },
      }),
      expect.objectContaining({ change: 'removed', id: 'SC272838', name: 'GLENFARROW LIMITED' }),
    ])
    expect((await companies()).map(({ name }) => name)).toEqual([
      'YOUNG\u2028LIMITED',
      'ASHDOWN BREWING LIMITED',
      'THORNBURY CAST LIMITED',
    ])
    await take(house(other, fresh, renamed), { kind: 'companies-house' })
    expect(await changesOf()).toEqual([])
    expect((await registerInfo(join(root, 'registers'), 'test')).changes).toHaveLength(2)
  })

  it('reports a damaged file of changes', async () => {
    await take('id,name\n1,Acme\n')
    const info = await take('id,name\n1,Acme Tools\n')
    const path = join(root, 'registers', 'test', info.changes![0]!.file)
    const whole = await readFile(path, 'utf8')
    for (const text of [whole.slice(0, -20), whole.split('\n')[0]!, '{}\n', `${whole}{"change":"other"}\n`]) {
      await writeFile(path, text)
      await expect(changesOf()).rejects.toMatchObject({ code: 'FETTLE_INPUT_READ' })
    }
  })
})

describe('an import that was killed', () => {
  const rows = (count: number): string =>
    `id,name,town\n${Array.from({ length: count }, (_, at) => (at % 1000 === 7 ? `${at},"two\nlines ${at}",é` : `${at},Company ${at},Hull`)).join('\n')}\n`

  it.each([
    ['a plain file', 'plain'],
    ['a gzip', 'gzip'],
  ])('resumes and produces the same register: %s', async (_, how) => {
    const text = rows(65_000)
    const source = how === 'gzip' ? gzipSync(text, { level: 1 }) : text
    await killedAt(60_000, source)
    await expect(openRegister(join(root, 'registers'), ['test'])).rejects.toMatchObject({ code: 'FETTLE_REGISTER_UNKNOWN' })
    const again: number[] = []
    const info = await take(source, { onProgress: count => again.push(count) })
    expect(again.slice(0, 2)).toEqual([50_000, 60_000])
    expect([info.companies, info.skipped]).toEqual([65_000, 0])
    expect(await readdir(join(root, 'registers', 'test'))).toHaveLength(2)
    const whole = await take(source, { name: 'whole' })
    const file = (one: typeof info): Promise<Buffer> => readFile(join(root, 'registers', one.name, one.file))
    expect((await file(info)).equals(await file(whole))).toBe(true)
  })

  it('starts again with another source', async () => {
    await killedAt(60_000, rows(65_000))
    const info = await take('id,name\n1,Acme\n')
    expect(info.companies).toBe(1)
    expect(await readdir(join(root, 'registers', 'test'))).toHaveLength(2)
  })
})

/** Leaves the register as a kill would after so many rows: what is on disk at that moment. */
async function killedAt(rows: number, source: string | Buffer): Promise<void> {
  const [folder, then] = [join(root, 'registers', 'test'), join(root, 'then')]
  const onProgress = (count: number): void => {
    if (count !== rows) return
    cpSync(folder, then, { recursive: true })
    throw new Error('killed')
  }
  await expect(take(source, { onProgress })).rejects.toThrow('killed')
  cpSync(then, folder, { recursive: true })
}

it('two imports into one register do not mix', async () => {
  const second = { current: null as Promise<unknown> | null }
  const text = `id,name\n${Array.from({ length: 60_001 }, (_, at) => `${at},C${at}`).join('\n')}\n`
  const onProgress = (): void => {
    second.current ??= take('id,name\n1,Acme\n', { as: 'other.csv' }).catch((error: unknown) => error)
  }
  const info = await take(text, { onProgress })
  expect(info.companies).toBe(60_001)
  expect(await second.current).toMatchObject({ code: 'FETTLE_LOCKED' })
})
