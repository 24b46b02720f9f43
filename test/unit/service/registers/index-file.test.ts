import { mkdtemp, open, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildIndex, match, viewIndex } from '../../../../src/service/matching/index.ts'
import { engineFiles } from '../../../../src/service/registers/engine-digest.ts'
import { importRegister, openRegister, removeRegister } from '../../../../src/service/registers/index.ts'
import { loadIndex, saveIndex } from '../../../../src/service/registers/index-file.ts'
import { COMPANIES } from '../matching/companies.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fettle-index-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const FACTS = { digest: 'd1', snapshotDate: '2026-01-31', companies: COMPANIES.length }

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
    await saveIndex(path, built.image, FACTS)
    const image = await loadIndex(path, 'd1')
    expect(image).not.toBeNull()
    const read = viewIndex(image!)
    expect([...read.companies]).toEqual(COMPANIES)
    for (const { name, town } of COMPANIES) expect(match(read, { name, town })).toEqual(match(built, { name, town }))
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(join(root, 'sub'))).toEqual(['a.index'])
  })

  it('is ignored when it is missing, truncated, damaged or of another register', async () => {
    const path = join(root, 'a.index')
    const size = async (): Promise<number> => (await stat(path)).size
    expect(await loadIndex(path, 'd1')).toBeNull()
    const { image } = buildIndex(COMPANIES)
    const damage: [string, () => Promise<void>][] = [
      ['the memory, last byte but some', async () => flip(path, (await size()) - 100)],
      ['the memory, first byte', () => flip(path, 16_384)],
      ['the header', () => flip(path, 3)],
      ['the version', () => flip(path, 36)],
      ['cut off', async () => truncate(path, (await size()) - 1)],
      ['cut off in the header', () => truncate(path, 20)],
      ['something else', () => writeFile(path, 'hello\n')],
      ['empty', () => writeFile(path, '')],
    ]
    for (const [what, harm] of damage) {
      await saveIndex(path, image, FACTS)
      expect(await loadIndex(path, 'd1'), what).not.toBeNull()
      await harm()
      expect(await loadIndex(path, 'd1'), what).toBeNull()
    }
    await saveIndex(path, image, FACTS)
    expect(await loadIndex(path, 'd2')).toBeNull()
  })

  it('is removed when it cannot be written', async () => {
    await writeFile(join(root, 'file'), '')
    await expect(saveIndex(join(root, 'file', 'a.index'), buildIndex(COMPANIES).image, FACTS)).rejects.toThrow()
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
    expect(await named()).toBe('Birch 25 Works')
    await removeRegister(root, 'large')
    expect(await readdir(root)).toEqual(['large.csv'])
  })
})
