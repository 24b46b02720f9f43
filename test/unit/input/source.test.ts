import { appendFileSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSource } from '../../../src/input/index.ts'
import type { PlannedMapping } from '../../../src/pipeline/model/types.ts'
import { factsOf, file, folder, names, planOf, sha256 } from './kit.ts'

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces)
}

const mapping = (index: number, pad: number | null): PlannedMapping => ({ mapping: 'orgNumber', header: null, index, pad })

describe('a file that is sent unchanged', () => {
  it('is sent byte for byte, repeatedly, and hashed on the way', async () => {
    const content = `\ufeffName,No\r\n${'"Acmé, Ltd",01\r\n'.repeat(120_000)}`
    const path = file(content)
    const work = folder()
    const source = openSource(planOf(await factsOf(path)), work)
    const upload = await source.upload(0)
    expect(upload).toMatchObject({ filename: 'input.csv', bytes: Buffer.byteLength(content), hasHeader: true })
    expect(upload.sha256()).toBeNull()
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(sha256(await bytesOf(upload.open()))).toBe(sha256(content))
      expect(upload.sha256()).toBe(sha256(content))
    }
    expect(names(work)).toEqual([])
  })

  it('can be abandoned in the middle and opened again', async () => {
    const path = file(`a\n${'x\n'.repeat(2_000_000)}`)
    const upload = await openSource(planOf(await factsOf(path)), folder()).upload(0)
    for await (const piece of upload.open()) {
      expect(piece.length).toBeGreaterThan(0)
      break
    }
    expect(upload.sha256()).toBeNull()
    expect(sha256(await bytesOf(upload.open()))).toBe(sha256(readFileSync(path)))
  })

  it('is uploaded from its header on when a sep= line is above it', async () => {
    const upload = await openSource(planOf(await factsOf(file('\ufeffsep=;\r\nName;No\r\nA;1\r\n'))), folder()).upload(0)
    expect((await bytesOf(upload.open())).toString()).toBe('Name;No\r\nA;1\r\n')
    expect(upload.bytes).toBe(14)
  })
})

describe('an input that changed since the plan', () => {
  const planned = async () => {
    const path = file('a,b\n1,2\n')
    return { path, source: openSource(planOf(await factsOf(path)), folder()) }
  }

  it('is refused when its size or its bytes are others', async () => {
    const { path, source } = await planned()
    appendFileSync(path, '3,4\n')
    await expect(source.upload(0)).rejects.toMatchObject({
      code: 'FETTLE_INPUT_CHANGED',
      message: expect.stringContaining('had 8 bytes and has 12'),
    })
    writeFileSync(path, 'a,b\n1,3\n')
    utimesSync(path, 5, 5)
    await expect(source.upload(0)).rejects.toMatchObject({ code: 'FETTLE_INPUT_CHANGED', exitCode: 65 })
    rmSync(path)
    await expect(source.upload(0)).rejects.toMatchObject({ code: 'FETTLE_INPUT_READ' })
  })

  it('is accepted when only its time differs', async () => {
    const { path, source } = await planned()
    utimesSync(path, 5, 5)
    expect((await source.upload(0)).bytes).toBe(8)
  })

  it('fails the transfer when its bytes change while it is sent', async () => {
    const { path, source } = await planned()
    const { mtime } = statSync(path)
    const upload = await source.upload(0)
    writeFileSync(path, 'a,b\n9,9\n')
    utimesSync(path, mtime, mtime)
    await expect(bytesOf(upload.open())).rejects.toMatchObject({ code: 'FETTLE_INPUT_CHANGED' })
    expect(upload.sha256()).toBeNull()
  })
})

describe('a prepared copy', () => {
  const prepare = async (
    content: string | Uint8Array,
    how: Parameters<typeof factsOf>[1],
    rest: Parameters<typeof planOf>[1],
  ) => {
    const work = folder()
    const plan = planOf(await factsOf(file(content), how), rest)
    const upload = await openSource(plan, work).upload(0)
    const sent = await bytesOf(upload.open())
    expect(upload.bytes).toBe(sent.length)
    expect(upload.sha256()).toBe(sha256(sent))
    expect(statSync(join(work, 'upload.csv')).mode & 0o777).toBe(0o600)
    return sent.toString()
  }

  it('is UTF-8 for any input', async () => {
    const bytes = Buffer.from([...Buffer.from('Name;Town\r\nCaf'), 0xe9, 0x80, ...Buffer.from(';"a;\r\nb"\r\n')])
    expect(await prepare(bytes, { encoding: 'windows-1252' }, {})).toBe('Name;Town\r\nCafé€;"a;\r\nb"\r\n')
    const utf16 = Buffer.from('\ufeffName,Town\nÅ,日本\n', 'utf16le')
    expect(await prepare(utf16, {}, {})).toBe('Name,Town\nÅ,日本\n')
  })

  it('pads all-digit cells of mapped columns and no others', async () => {
    const sent = await prepare(
      'n,no,x\nA,123,7\nB,12345678,7\nC,SC123,7\nD,,7\nE, 12,7\n',
      {},
      { mappings: [mapping(0, null), mapping(1, 8)] },
    )
    expect(sent).toBe('n,no,x\nA,00000123,7\nB,12345678,7\nC,SC123,7\nD,,7\nE, 12,7\n')
  })

  it('quotes what relaxed quoting let through', async () => {
    expect(await prepare('n,c\nOOO "Romashka",RU\n"R" Ltd,FR\n', { quotes: 'relaxed' }, {})).toBe(
      'n,c\n"OOO ""Romashka""",RU\n"""R"" Ltd",FR\n',
    )
  })

  it('is the same every time, made again when it is missing or cut, and removed at the end', async () => {
    const work = folder()
    const source = openSource(planOf(await factsOf(file('a,b\n1,2\n3,4\n')), { mappings: [mapping(1, 3)] }), work)
    const first = sha256(await bytesOf((await source.upload(0)).open()))
    writeFileSync(join(work, 'upload.csv'), 'a,b')
    expect(sha256(await bytesOf((await source.upload(0)).open()))).toBe(first)
    rmSync(join(work, 'upload.csv'))
    expect(sha256(await bytesOf((await source.upload(0)).open()))).toBe(first)
    await source.remove()
    expect(names(work)).toEqual([])
  })
})
