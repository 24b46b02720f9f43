import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { companyWithId, match } from '../../../../src/service/matching/index.ts'
import {
  importRegister,
  listRegisters,
  openRegister,
  registerInfo,
  removeRegister,
} from '../../../../src/service/registers/index.ts'

const NOW = new Date('2026-03-01T10:00:00.000Z')
const HEADER =
  'id,name,country,orgNumber,vatNumber,tradingNames,previousNames,address1,address2,town,postcode,phone,email,website,status'

let root = ''
let dir = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fettle-register-'))
  dir = join(root, 'registers')
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** Writes a CSV and imports it as `name`. */
async function take(
  text: string | Buffer,
  name = 'test',
  more: { snapshotDate?: string; force?: boolean; onProgress?: (rows: number) => void } = {},
) {
  const file = join(root, 'register.csv')
  await writeFile(file, text)
  return importRegister({ file, name, dir, now: NOW, ...more })
}

const companiesOf = async (...names: string[]) => [...(await openRegister(dir, names)).index.companies]

describe('importing', () => {
  it('stores the facts of the source and all companies', async () => {
    const text = `${HEADER}\nA1,Acme Ltd,United Kingdom,01234567,GB1,Acme Tools|Acme Parts,Old Acme,1 Road,,Leeds,LS1 1AA,0113,a@acme.example,acme.example,Active\nB2,Beta,,,,,,,,,,,,,\n`
    const info = await take(text, 'mine', { snapshotDate: '2026-02-28' })
    expect(info).toMatchObject({
      name: 'mine',
      source: 'register.csv',
      kind: 'csv',
      importedAt: '2026-03-01T10:00:00.000Z',
      snapshotDate: '2026-02-28',
      companies: 2,
      skipped: 0,
      skippedRows: [],
      countries: { GB: 1, '': 1 },
      sha256: createHash('sha256').update(text).digest('hex'),
      bytes: Buffer.byteLength(text),
    })
    const register = await openRegister(dir, ['mine'])
    expect([...register.index.companies]).toEqual([
      {
        id: 'A1',
        connectId: 'GB-X-01234567',
        name: 'Acme Ltd',
        country: 'GB',
        orgNumber: '01234567',
        vatNumber: 'GB1',
        tradingNames: ['Acme Tools', 'Acme Parts'],
        previousNames: ['Old Acme'],
        address1: '1 Road',
        address2: '',
        town: 'Leeds',
        postcode: 'LS1 1AA',
        phone: '0113',
        email: 'a@acme.example',
        website: 'acme.example',
        status: 'Active',
      },
      expect.objectContaining({ id: 'B2', connectId: 'XX-X-B2', name: 'Beta', country: '' }),
    ])
    expect(companyWithId(register.index, 'GB-X-01234567')?.name).toBe('Acme Ltd')
    expect(companyWithId(register.index, 'GB-X-7')).toBeNull()
    expect(register.snapshotDate).toBe('2026-02-28')
    expect(match(register.index, { name: 'ACME TOOLS', postcode: 'LS1 1AA' }).decision).toBe('matched')
  })

  it('reads headers in any case and order, ignores other columns, a BOM and CRLF', async () => {
    await take('\ufeffNAME,Extra,OrgNumber,country\r\n"Acme, Ltd",x,42,GB\r\n')
    const companies = await companiesOf('test')
    expect(companies).toMatchObject([{ id: 'GB-42', name: 'Acme, Ltd', orgNumber: '42', connectId: 'GB-X-42' }])
  })

  it('skips, counts and names bad rows', async () => {
    const info = await take(
      'id,name,town\n1,Acme,Leeds\n2,Beta\n3,  ,Hull\n1,Acme again,York\n4,"two\nlines",Bath\n5,Last,Bath,extra\n',
    )
    expect(info.companies).toBe(2)
    expect(info.skipped).toBe(4)
    expect(info.skippedRows).toEqual([
      { line: 3, why: '2 cells where the header has 3' },
      { line: 4, why: 'no name' },
      { line: 5, why: 'the id 1 is on an earlier line too' },
      { line: 8, why: '4 cells where the header has 3' },
    ])
  })

  it('names only the first twenty bad rows, and reports progress', async () => {
    const seen: number[] = []
    const rows = Array.from({ length: 25_000 }, (_, at) => (at < 30 ? `${at},` : `${at},Company ${at}`))
    const info = await take(`id,name\n${rows.join('\n')}\n`, 'many', { onProgress: count => seen.push(count) })
    expect([info.companies, info.skipped, info.skippedRows.length]).toEqual([24_970, 30, 20])
    expect(seen).toEqual([10_000, 20_000])
  })

  it('distinguishes companies with one number', async () => {
    await take('id,name,country,orgNumber\nK1,Jung,DE,HRB 1\nM1,Alt,DE,HRB 1\n')
    const companies = await companiesOf('test')
    expect(companies.map(one => one.connectId)).toEqual(['DE-X-HRB_1', 'DE-X-M1'])
  })

  it('round-trips any text of a cell', async () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter(text => text.trim() === text && text !== '' && !/[\r\n]/.test(text))
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 8 }), async names => {
        await take(`id,name\n${names.map((text, at) => `${at},"${text.replaceAll('"', '""')}"`).join('\n')}\n`, 'test', {
          force: true,
        })
        expect((await companiesOf('test')).map(one => one.name)).toEqual(names)
      }),
      { numRuns: 25 },
    )
  })

  it('creates files that only the owner can read', async () => {
    const info = await take('name\nAcme\n')
    const mode = async (path: string) => (await stat(path)).mode & 0o777
    expect(await mode(join(dir, 'test'))).toBe(0o700)
    expect(await mode(join(dir, 'test', 'info.json'))).toBe(0o600)
    expect(await mode(join(dir, 'test', info.file))).toBe(0o600)
  })
})

describe('a failed import', () => {
  it.each([
    ['no name column', 'id,town\n1,Leeds\n', 'FETTLE_INPUT_HEADER'],
    ['a column twice', 'name,NAME\nAcme,Beta\n', 'FETTLE_INPUT_HEADER'],
    ['an empty file', '', 'FETTLE_INPUT_EMPTY'],
    ['a quote never closed', 'id,name\n1,"Acme\n2,Beta\n', 'FETTLE_INPUT_QUOTE'],
    ['text after a quote', 'id,name\n1,"Acme" Ltd\n', 'FETTLE_INPUT_QUOTE'],
    ['another encoding', Buffer.from('name\nM\xfcller\n', 'latin1'), 'FETTLE_INPUT_ENCODING'],
  ])('%s: reports the error and leaves no files', async (_, text, code) => {
    await expect(take(text)).rejects.toMatchObject({ code, exitCode: 65 })
    expect(await listRegisters(dir)).toEqual([])
    expect(await readdir(dir)).toEqual([])
  })

  it('leaves an existing register unchanged', async () => {
    await take('name\nAcme\n')
    await expect(take('id,name\n1,Beta\n2,"Gamma\n')).rejects.toMatchObject({ code: 'FETTLE_INPUT_QUOTE' })
    expect((await companiesOf('test')).map(one => one.name)).toEqual(['Acme'])
    expect(await readdir(join(dir, 'test'))).toHaveLength(2)
  })

  it('names a missing file and an invalid name', async () => {
    await expect(importRegister({ file: join(root, 'none.csv'), name: 'test', dir, now: NOW })).rejects.toMatchObject({
      code: 'FETTLE_INPUT_READ',
    })
    await expect(importRegister({ file: root, name: 'test', dir, now: NOW })).rejects.toMatchObject({ code: 'FETTLE_INPUT_READ' })
    for (const name of ['', 'Über', '../x', 'a'.repeat(41)])
      await expect(take('name\nAcme\n', name)).rejects.toMatchObject({ code: 'FETTLE_USAGE' })
  })

  it('names the folder it cannot write to', async () => {
    await writeFile(join(root, 'registers'), 'a file where the folder should be')
    await expect(take('name\nAcme\n')).rejects.toMatchObject({ code: 'FETTLE_OUTPUT_WRITE', exitCode: 73 })
  })
})

describe('an import that would lose companies', () => {
  const rows = (count: number): string => `id,name\n${Array.from({ length: count }, (_, at) => `${at},Company ${at}\n`).join('')}`

  it.each([
    ['only broken rows', 'id,name\n1,A,B\n2,\n', /0 companies; rows skipped: 2, the first on line 2 since: 3 cells/],
    ['a header only', 'id,name\n', /0 companies; rows skipped: 0\./],
  ])('is rejected for %s, with and without an existing register', async (_, text, message) => {
    await expect(take(text)).rejects.toMatchObject({
      code: 'FETTLE_INPUT_EMPTY',
      exitCode: 65,
      message: expect.stringMatching(message),
    })
    expect(await readdir(dir)).toEqual([])
    await take(rows(4))
    await expect(take(text)).rejects.toThrow(/The existing 4 stay\.$/)
    expect(await companiesOf('test')).toHaveLength(4)
    expect(await readdir(join(dir, 'test'))).toHaveLength(2)
    expect(await take(text, 'test', { force: true })).toMatchObject({ companies: 0 })
    expect(await companiesOf('test')).toEqual([])
  })

  it('is rejected with both counts when less than half would be left, unless it is forced', async () => {
    await take(rows(9))
    await expect(take(rows(4))).rejects.toMatchObject({
      code: 'FETTLE_IMPORT_SHRINKS',
      exitCode: 65,
      message: expect.stringMatching(/register "test": 4 companies would replace 9; rows skipped: 0\. The existing 9 stay\.$/),
      hint: expect.stringContaining('force the import'),
    })
    expect((await registerInfo(dir, 'test')).companies).toBe(9)
    expect(await readdir(join(dir, 'test'))).toHaveLength(2)
    expect((await take(rows(5))).companies).toBe(5)
    expect((await take(rows(1), 'test', { force: true })).companies).toBe(1)
  })
})

describe('a second import', () => {
  it('replaces the first and leaves no old files', async () => {
    await take('name\nAcme\n')
    const info = await take('name\nBeta\nGamma\n')
    expect((await companiesOf('test')).map(one => one.name)).toEqual(['Beta', 'Gamma'])
    const changes = info.changes?.map(({ file }) => file) ?? []
    expect(changes).toHaveLength(1)
    expect((await readdir(join(dir, 'test'))).sort()).toEqual([info.file, 'info.json', ...changes].sort())
  })

  it('of the same file reads nothing, unless it is forced or the date is another', async () => {
    const info = await take('name\nAcme\n')
    const later = { now: new Date('2026-04-01T10:00:00.000Z'), file: join(root, 'register.csv'), name: 'test', dir }
    expect(await importRegister(later)).toEqual(info)
    expect(await importRegister({ ...later, snapshotDate: '2020-01-01' })).toMatchObject({
      importedAt: '2026-04-01T10:00:00.000Z',
    })
    expect(await importRegister({ ...later, force: true })).toMatchObject({ changes: [{}, {}] })
    expect(await take('name\nAcme\nBeta\n')).toMatchObject({ companies: 2, importedAt: NOW.toISOString() })
  })

  it('keeps names that the first had, with the day on which they ended', async () => {
    const head = 'id,name,country,previousNames\n'
    await take(`${head}A,Quillon Castings Ltd,GB,Old Forge Ltd\nB,Beta Ltd,GB,\n`, 'test', { snapshotDate: '2026-01-31' })
    await take(`${head}A,Marwick Metals Ltd,GB,\nB,Beta Limited,GB,\n`, 'test', { snapshotDate: '2026-02-28' })
    await take(`${head}B,BETA LIMITED,GB,\nA,Thornbury plc,GB,Marwick Metals Ltd\n`, 'test', { snapshotDate: '2026-03-31' })
    const names = (await companiesOf('test')).map(({ id, previousNames, previousUntil }) => ({
      id,
      previousNames,
      previousUntil,
    }))
    expect(names).toEqual([
      { id: 'B', previousNames: [], previousUntil: undefined },
      {
        id: 'A',
        previousNames: ['Marwick Metals Ltd', 'Quillon Castings Ltd', 'Old Forge Ltd'],
        previousUntil: ['', '2026-02-28', ''],
      },
    ])
    const { index } = await openRegister(dir, ['test'])
    expect(match(index, { name: 'Quillon Castings', country: 'GB' })).toMatchObject({
      decision: 'matched',
      why: expect.stringContaining('former name 1.00'),
    })
  })

  it('keeps no names of companies that are known by the position of their row', async () => {
    await take('name\nAcme\nBeta\n')
    await take('name\nZeta\nAcme\nBeta\n')
    expect((await companiesOf('test')).flatMap(one => one.previousNames)).toEqual([])
  })

  it('changes nothing when it is killed before publishing', async () => {
    await take('name\nAcme\n')
    await writeFile(join(dir, 'test', 'companies-dead.jsonl'), '{"half":')
    await writeFile(join(dir, 'test', '.info.json.tmp'), '{')
    expect((await companiesOf('test')).map(one => one.name)).toEqual(['Acme'])
    await take('name\nBeta\n')
    expect(await readdir(join(dir, 'test'))).toHaveLength(3)
  })

  it('leaves no register when the first one is killed', async () => {
    await mkdir(join(dir, 'half'), { recursive: true })
    await writeFile(join(dir, 'half', 'companies-dead.jsonl'), '{}\n')
    expect(await listRegisters(dir)).toEqual([])
    await expect(registerInfo(dir, 'half')).rejects.toMatchObject({ code: 'FETTLE_REGISTER_UNKNOWN' })
  })
})

describe('listing, removing, opening', () => {
  it('lists registers by name, and none in a missing folder', async () => {
    expect(await listRegisters(dir)).toEqual([])
    await take('name\nAcme\n', 'two')
    await take('name\nAcme\n', 'one')
    expect((await listRegisters(dir)).map(info => info.name)).toEqual(['one', 'two'])
    expect((await registerInfo(dir, 'two')).companies).toBe(1)
  })

  it('suggests the most similar register', async () => {
    await expect(registerInfo(dir, 'gleif')).rejects.toThrow('there are none yet')
    await take('name\nAcme\n', 'companies-house')
    await expect(registerInfo(dir, 'company-house')).rejects.toThrow('did you mean "companies-house"?')
    await expect(openRegister(dir, ['zzz'])).rejects.toThrow('there are: companies-house')
  })

  it('removes a register', async () => {
    await take('name\nAcme\n')
    await removeRegister(dir, 'test')
    expect(await readdir(dir)).toEqual([])
    await expect(removeRegister(dir, 'test')).rejects.toMatchObject({ code: 'FETTLE_REGISTER_UNKNOWN' })
  })

  it('opens several registers as one, in the order in which they are named', async () => {
    await take('id,name,country,orgNumber\n1,Acme,GB,01234567\n2,Beta,GB,\n', 'one', { snapshotDate: '2026-02-01' })
    await take('id,name,country,orgNumber\n8,Acme Limited,GB,1234567\n9,Acme SA,FR,01234567\n', 'two', {
      snapshotDate: '2026-01-01',
    })
    const register = await openRegister(dir, ['one', 'two'])
    expect([...register.index.companies].map(one => one.name)).toEqual(['Acme', 'Beta', 'Acme Limited', 'Acme SA'])
    expect(register.snapshotDate).toBe('2026-01-01')
    expect(register.infos.map(info => info.name)).toEqual(['one', 'two'])
    expect((await companiesOf('two', 'one')).map(one => one.name)).toEqual(['Acme Limited', 'Acme SA', 'Acme', 'Beta'])
    expect(await openRegister(dir, [])).toMatchObject({ infos: [], snapshotDate: null })
    expect(await companiesOf()).toEqual([])
  })

  it('distinguishes companies to which two registers gave one id', async () => {
    await take('id,name,country\n1,Acme,GB\n', 'one')
    await take('id,name,country\n1,Beta,GB\n2,Gamma,GB\n', 'two')
    const ids = ['GB-X-1', 'GB-X-1_two', 'GB-X-2']
    expect((await companiesOf('one', 'two')).map(company => company.connectId)).toEqual(ids)
    const { index } = await openRegister(dir, ['one', 'two'])
    expect(ids.map(id => companyWithId(index, id)?.name)).toEqual(['Acme', 'Beta', 'Gamma'])
  })

  it('rejects a damaged register', async () => {
    const info = await take('name\nAcme\nBeta\n')
    const path = join(dir, 'test', info.file)
    await chmod(path, 0o600)
    const whole = await readFile(path, 'utf8')
    await writeFile(path, whole.slice(0, whole.length / 2))
    await expect(openRegister(dir, ['test'])).rejects.toMatchObject({ code: 'FETTLE_INPUT_READ' })
    await writeFile(path, whole.slice(0, whole.indexOf('\n') + 1))
    await expect(openRegister(dir, ['test'])).rejects.toThrow('it has 1 companies instead of 2')
  })
})
