import { mkdtemp, open, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LARGE } from '../../../../src/service/matching/decide/score.ts'
import { buildIndex, IndexBuilder, match, rowEvidence, viewIndex } from '../../../../src/service/matching/index.ts'
import { makeCurrent, type OpenedRegisters } from '../../../../src/service/registers/current.ts'
import type { Engine } from '../../../../src/service/registers/engine.ts'
import { engineFiles } from '../../../../src/service/registers/engine-digest.ts'
import { importRegister, openRegister, removeRegister } from '../../../../src/service/registers/index.ts'
import { loadIndex, storeIndex } from '../../../../src/service/registers/stored-index.ts'
import { COMPANIES, company } from '../matching/companies.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fettle-index-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const FACTS = { digest: 'd1', snapshotDate: '2026-01-31', companies: COMPANIES.length }

/** Stores the index of these companies. */
const save = (path: string, companies = COMPANIES, block?: number): Promise<void> =>
  storeIndex(
    path,
    FACTS,
    async store => {
      const builder = new IndexBuilder()
      for (const company of companies) builder.add(company)
      for (const column of builder.finish()) await store(...column)
    },
    block,
  )

const WORDS = [
  'Alder',
  'Birch',
  'Cedar',
  'Works',
  'Holdings',
  'Limited',
  'Leeds',
  'Northgate',
  'Fasteners',
  '77',
  '1204',
  'Aldre',
]

/** Companies that share words, towns and postcodes. */
const manyCompanies = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    company({
      id: `c${at}`,
      name: `${WORDS[at % 3]} ${WORDS[3 + (at % 5)]} ${at % 1500}`,
      country: 'GB',
      orgNumber: String(10_000_000 + at),
      address1: `${at % 90} ${WORDS[at % 7]} Road`,
      town: ['Leeds', 'York', 'Hull'][at % 3]!,
      postcode: `LS${1 + (at % 9)} ${1 + (at % 7)}AA`,
      website: at % 4 === 0 ? `www.site${at}.co.uk` : '',
    }),
  )

/** Changes one byte of a file in place. */
async function flip(path: string, at: number): Promise<void> {
  const handle = await open(path, 'r+')
  const byte = Buffer.alloc(1)
  await handle.read(byte, 0, 1, at)
  await handle.write(Buffer.from([byte[0]! ^ 0x55]), 0, 1, at)
  await handle.close()
}

describe('an index file', () => {
  it('restores all companies and answers', async () => {
    const path = join(root, 'sub', 'a.index')
    const built = buildIndex(COMPANIES)
    await save(path)
    const image = await loadIndex(path, 'd1')
    expect(image).not.toBeNull()
    const read = viewIndex(image!)
    expect([...read.companies]).toEqual(COMPANIES)
    for (const { name, town } of COMPANIES) expect(match(read, { name, town })).toEqual(match(built, { name, town }))
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(join(root, 'sub'))).toEqual(['a.index'])
    image!.pages.close()
  })

  it('answers the same read in parts as in memory, for any row', async () => {
    const path = join(root, 'a.index')
    const companies = manyCompanies(800)
    const whole = buildIndex(companies)
    // Small blocks: hardly any has two columns.
    await save(path, companies, 64)
    const words = fc.subarray(WORDS, { minLength: 1, maxLength: 4 }).map(some => some.join(' '))
    const cell = fc.option(fc.constantFrom(...companies), { nil: undefined })
    const row = fc.record({ name: words, of: cell, town: cell, postcode: cell, orgNumber: cell })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 5 }), async rows => {
        const image = (await loadIndex(path, 'd1'))!
        const parts = viewIndex(image)
        for (const { name, of, town, postcode, orgNumber } of rows) {
          const query = {
            name: of?.name ?? name,
            ...(town && { town: town.town }),
            ...(postcode && { postcode: postcode.postcode }),
            ...(orgNumber && { orgNumber: orgNumber.orgNumber }),
          }
          const [found, expected] = [parts, whole].map(index => ({
            answer: match(index, query, 20),
            of: rowEvidence(index, query),
          }))
          expect(found).toEqual(expected)
          for (const { company } of found!.answer.candidates) expect(parts.companies.at(company)).toEqual(companies[company])
        }
        image.pages.close()
      }),
      { numRuns: 60 },
    )
  })

  it('of a large register, which is read ahead, gives the same answers in parts as in memory, with companies without name or address too', async () => {
    const path = join(root, 'a.index')
    const bare = [company({ id: 'x1', name: '' }), company({ id: 'x2', name: '', orgNumber: '99999999', country: 'GB' })]
    const companies = [...bare, ...manyCompanies(LARGE), ...bare.map(one => ({ ...one, id: `y${one.id}` }))]
    await save(path, companies)
    const image = (await loadIndex(path, 'd1'))!
    const { memory, places } = image
    const [parts, whole] = [viewIndex(image), viewIndex({ memory, places })]
    const queries = [
      { name: 'Alder Works 77', town: 'Leeds', postcode: 'LS1 1AA', address1: '4 Cedar Road', country: 'GB' },
      { name: 'Birch', orgNumber: '99999999', countryCode: 'GB' },
      { orgNumber: '99999999', town: 'Hull' },
      { name: 'Aldre Wroks 1204', companyId: 'yx1' },
    ]
    const answers = queries.map(query => match(parts, query, 20))
    await image.pages.loadAll()
    expect(answers).toEqual(queries.map(query => match(whole, query, 20)))
    expect(answers.map(({ candidates }) => candidates.length > 0)).toEqual([true, true, true, true])
    expect(answers[2]!.candidates.map(one => companies[one.company]!.id)).toEqual(expect.arrayContaining(['x2', 'yx2']))
  })

  it('is read in parts: what a row does not need stays in the file', async () => {
    const path = join(root, 'a.index')
    await save(path, manyCompanies(800), 64)
    const image = (await loadIndex(path, 'd1'))!
    const bytes = (): number => new Uint8Array(image.memory).filter(byte => byte !== 0).length
    const opened = bytes()
    expect(match(viewIndex(image), { name: 'Alder Works 77' }).candidates).not.toEqual([])
    const matched = bytes()
    await image.pages.loadAll()
    const all = bytes()
    expect(opened).toBeLessThan(matched)
    expect(matched - opened).toBeLessThan((all - opened) / 5)
  })

  it('is ignored when it is missing, truncated, damaged or of another register', async () => {
    const path = join(root, 'a.index')
    const size = async (): Promise<number> => (await stat(path)).size
    expect(await loadIndex(path, 'd1')).toBeNull()
    const damage: [string, () => Promise<void>][] = [
      ['the last checksum', async () => flip(path, (await size()) - 1)],
      ['the memory, last byte', async () => flip(path, (await size()) - 10)],
      ['the header', () => flip(path, 3)],
      ['the version', () => flip(path, 36)],
      ['cut off', async () => truncate(path, (await size()) - 1)],
      ['cut off in the header', () => truncate(path, 20)],
      ['something else', () => writeFile(path, 'hello\n')],
      ['empty', () => writeFile(path, '')],
    ]
    for (const [what, harm] of damage) {
      await save(path)
      expect(await loadIndex(path, 'd1'), what).not.toBeNull()
      await harm()
      expect(await loadIndex(path, 'd1'), what).toBeNull()
    }
    await save(path)
    expect(await loadIndex(path, 'd2')).toBeNull()
  })

  it('is removed when it cannot be written', async () => {
    await writeFile(join(root, 'file'), '')
    await expect(save(join(root, 'file', 'a.index'))).rejects.toThrow()
    expect(await readdir(root)).toEqual(['file'])
  })
})

it('depends on the code and the data files of matching and normalisation', async () => {
  const files = (await engineFiles()).map(file => basename(file))
  expect(files).toEqual(
    expect.arrayContaining(['weights.ts', 'company-name.ts', 'countries.json', 'legal-forms.json', 'abbreviations.json']),
  )
})

describe('a large register', () => {
  const take = async (word: string): Promise<string> => {
    const file = join(root, 'large.csv')
    await writeFile(
      file,
      `id,name\n${Array.from({ length: 10_000 }, (_, at) => `${at},${word} ${at.toString(36)} Works`).join('\n')}\n`,
    )
    await importRegister({ file, name: 'large', dir: root, now: new Date(0) })
    return word
  }
  const named = async (): Promise<string> => (await openRegister(root, ['large'])).index.companies.at(77).name

  it('stores its index, reads it again, and rebuilds it after a change of the register', async () => {
    await take('Alder')
    expect(await named()).toBe('Alder 25 Works')
    const [file] = await readdir(join(root, '.indexes'))
    const path = join(root, '.indexes', file!)
    const written = (await stat(path)).mtimeMs
    expect(await named()).toBe('Alder 25 Works')
    expect((await stat(path)).mtimeMs).toBe(written)
    await take('Birch')
    expect(await named()).toBe('Birch 25 Works')
    expect(await readdir(join(root, '.indexes'))).toEqual([file])
    await flip(path, 20_000)
    await expect(named()).rejects.toThrow(`cannot read the index ${path} of a register: a checksum is wrong. It was removed`)
    expect(await named()).toBe('Birch 25 Works')
    await removeRegister(root, 'large')
    expect(await readdir(root)).toEqual(['large.csv'])
  })

  it('does work again that a damaged index ended, once the index is built again', async () => {
    await take('Alder')
    const opened = async (): Promise<OpenedRegisters> => {
      const { index, officers, pages } = await openRegister(root, ['large'])
      const engine = { at: position => index.companies.at(position) } as Engine
      return { engine, officers, registers: [], isDamaged: () => pages?.isDamaged === true, close: async () => pages?.close() }
    }
    await (await opened()).close?.()
    const current = makeCurrent(await opened(), opened)
    const [file] = await readdir(join(root, '.indexes'))
    await flip(join(root, '.indexes', file!), 20_000)
    let tries = 0
    const found = await current.using(async engine => {
      tries++
      return engine.at(77).name
    })
    expect([found, tries]).toEqual(['Alder 25 Works', 2])
    const broken = current.using(async () => {
      throw new Error('of its own')
    })
    await expect(broken).rejects.toThrow('of its own')
    await current.close()
  })
})
