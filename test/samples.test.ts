/** The sample files are what their generator makes, and are what their README says. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'

interface Samples {
  makeSamples(seed?: string): Map<string, Buffer>
  differences(folder: string): string[]
}
type Row = Record<string, string>

const { makeSamples, differences }: Samples = await import(new URL('../scripts/samples.mjs', import.meta.url).href)
const folder = fileURLToPath(new URL('../samples', import.meta.url))
const bytes = (path: string) => readFileSync(join(folder, path))
const rows = (text: string, delimiter = ','): Row[] => parse(text, { columns: true, delimiter })
const readme = bytes('README.md').toString('utf8')
const register = rows(bytes('register.csv').toString('utf8'))
const ids = new Set(register.map(company => company.id))

describe('the generator', () => {
  it('makes exactly the committed files', () => {
    expect(differences(folder)).toEqual([])
  })

  it('reports a changed and a missing file', () => {
    const copy = mkdtempSync(join(tmpdir(), 'fettle-samples-'))
    try {
      for (const path of makeSamples().keys()) {
        mkdirSync(dirname(join(copy, path)), { recursive: true })
        copyFileSync(join(folder, path), join(copy, path))
      }
      expect(differences(copy)).toEqual([])
      writeFileSync(join(copy, 'clean.csv'), 'changed')
      rmSync(join(copy, 'expected/suppliers.csv'))
      expect(differences(copy)).toEqual(['clean.csv', 'expected/suppliers.csv'])
    } finally {
      rmSync(copy, { recursive: true })
    }
  })

  it('makes other companies from another seed', () => {
    expect(makeSamples('another').get('register.csv')).not.toEqual(bytes('register.csv'))
  })
})

describe('register.csv', () => {
  it('has the documented columns, enough companies and countries, and stays small', () => {
    const columns =
      'id,name,country,orgNumber,vatNumber,tradingNames,previousNames,address1,address2,town,postcode,phone,email,website,status'
    expect(Object.keys(register[0]!).join()).toBe(columns)
    expect(register).toHaveLength(6000)
    expect(new Set(register.map(company => company.country)).size).toBe(18)
    expect(bytes('register.csv').length).toBeLessThan(1_300_000)
  })

  it('has unique ids and numbers, also after zeros were lost and restored', () => {
    expect(ids.size).toBe(register.length)
    expect(new Set(register.map(company => company.orgNumber)).size).toBe(register.length)
    expect(new Set(register.map(company => company.orgNumber!.replace(/^0+/, '').padStart(8, '0'))).size).toBe(register.length)
  })

  it('has British numbers of eight characters, many with leading zeros', () => {
    const british = register.filter(company => company.country === 'GB')
    expect(british.every(company => /^(\d{8}|(SC|NI|OC|SO|NC)\d{6})$/.test(company.orgNumber!))).toBe(true)
    expect(british.filter(company => company.orgNumber!.startsWith('0')).length).toBeGreaterThan(800)
  })

  it('names every company, and hardly any two alike', () => {
    const names = register.map(company => company.name!.toLowerCase())
    expect(names.every(name => name.length > 3 && !/[{}]|undefined|null|^ | $| {2}/.test(name))).toBe(true)
    expect(names.length - new Set(names).size).toBeLessThan(10)
  })

  it('has no number that could be real where a country uses check digits', () => {
    const luhn = (digits: string) =>
      [...digits].reverse().reduce((sum, d, i) => sum + (i % 2 ? [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][Number(d)]! : Number(d)), 0)
    const weighted = (digits: string, weights: number[]) =>
      weights.reduce((sum, weight, i) => sum + weight * Number(digits[i]), 0)
    const isReal: Record<string, (digits: string) => boolean> = {
      FR: digits => luhn(digits) % 10 === 0,
      IT: digits => luhn(digits) % 10 === 0,
      SE: digits => luhn(digits) % 10 === 0,
      ES: digits => luhn(digits) % 10 === 0,
      BE: digits => 97 - (Number(digits.slice(0, 8)) % 97) === Number(digits.slice(8)),
      DK: digits => weighted(digits, [2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
      NO: digits => weighted(digits, [3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
      FI: digits => weighted(digits, [7, 9, 10, 5, 8, 4, 2, 1]) % 11 === 0,
      CH: digits => weighted(digits, [5, 4, 3, 2, 7, 6, 5, 4, 1]) % 11 === 0,
    }
    const real = register.filter(({ country, orgNumber }) => isReal[country!]?.(orgNumber!.replace(/\D/g, '')))
    expect(real.map(company => company.orgNumber)).toEqual([])
    const austrian = register.map(company => /^ATU(\d{8})$/.exec(company.vatNumber!)?.[1]).filter(digits => digits !== undefined)
    expect(austrian.length).toBeGreaterThan(20)
    expect(austrian.filter(digits => (luhn(digits.slice(0, 7)) + Number(digits[7]) + 4) % 10 === 0)).toEqual([])
  })

  it('is counted in the README', () => {
    const count = (column: string, value: string) =>
      register.filter(company => company[column] === value).length.toLocaleString('en-GB')
    const countries = [...new Set(register.map(company => company.country!))]
    for (const country of countries) expect(readme).toContain(` ${country} ${count('country', country)}`)
    expect(readme).toContain(
      `Active ${count('status', 'active')}, dissolved ${count('status', 'dissolved')}, in liquidation ${count('status', 'liquidation')}.`,
    )
  })

  it('uses reserved domains only', () => {
    expect(
      register.flatMap(({ email, website }) => [email, website]).filter(text => text && !/^[a-z0-9@.-]+\.example$/.test(text)),
    ).toEqual([])
  })
})

const german = new TextDecoder('latin1').decode(bytes('suppliers-de.csv'))
const extracts = [
  { file: 'suppliers', key: 'Supplier No', count: 500, data: rows(bytes('suppliers.csv').toString('utf8')) },
  { file: 'suppliers-de', key: 'Lieferant', count: 500, data: rows(german, ';') },
  { file: 'clean', key: 'id', count: 20, data: rows(bytes('clean.csv').toString('utf8')) },
]

describe.each(extracts)('$file.csv', ({ file, key, count, data }) => {
  const expected = rows(bytes(`expected/${file}.csv`).toString('utf8'))

  it('has an answer for every row, under the row’s own unique key', () => {
    expect(data).toHaveLength(count)
    expect(expected.map(answer => answer.key)).toEqual(data.map(row => row[key]))
    expect(expected.map(answer => answer.row)).toEqual(data.map((_, i) => String(i + 1)))
    expect(new Set(data.map(row => row[key])).size).toBe(count)
  })

  it('expects companies of the register, and none for absent rows', () => {
    expect(expected.filter(answer => answer.expected !== '' && !ids.has(answer.expected!))).toEqual([])
    expect(expected.filter(answer => (answer.expected === '') !== answer.kind!.startsWith('absent'))).toEqual([])
  })

  it('points duplicates at the first row of the same company, and has no others', () => {
    const first = new Map<string, string>()
    for (const { row, expected: id, kind, duplicateOf } of expected) {
      if (id === '' || kind === 'ambiguous') continue
      expect(duplicateOf).toBe(first.get(id!) ?? '')
      if (!first.has(id!)) first.set(id!, row!)
    }
  })

  it('holds each kind of dirt as often as the README states', () => {
    const counts = new Map<string, number>()
    for (const { kind } of expected) counts.set(kind!, (counts.get(kind!) ?? 0) + 1)
    const column = extracts.findIndex(extract => extract.file === file)
    const table = readme.matchAll(/^\| `([a-z-]+)` \|[^|]*\| *(\d*) *\| *(\d*) *\| *(\d*) *\|$/gm)
    const documented = new Map(
      [...table].map(line => [line[1]!, Number(line[2 + column])] as const).filter(([, rows]) => rows > 0),
    )
    expect(counts).toEqual(documented)
  })
})

describe('the dirt', () => {
  it('includes what breaks a careless reader', () => {
    const cells = extracts[0]!.data.flatMap(row => Object.values(row))
    for (const trap of [/\n/, /"/, /,/, /^=/, / $/, /\u00a0/]) expect(cells.some(cell => trap.test(cell))).toBe(true)
    expect(bytes('suppliers.csv').includes('\r')).toBe(false)
  })

  it('has about half of its rows without a number', () => {
    const without = extracts[0]!.data.filter(row => row['Reg No'] === '').length
    expect(without).toBeGreaterThan(200)
    expect(without).toBeLessThan(300)
  })

  it('is windows-1252 in the German file: not UTF-8, not Latin-1, CRLF', () => {
    const raw = bytes('suppliers-de.csv')
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(raw)).toThrow()
    expect([...raw].some(byte => byte >= 0x80 && byte < 0xa0)).toBe(true)
    expect(
      raw
        .toString('latin1')
        .split('\n')
        .slice(0, -1)
        .every(line => line.endsWith('\r')),
    ).toBe(true)
  })
})
