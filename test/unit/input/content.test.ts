/** Gzip input is unpacked completely or rejected: damage and truncation never lose a row silently. */
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inspect, openSource } from '../../../src/input/index.ts'
import { openResults } from '../../../src/results/index.ts'
import { factsOf, file, folder, options, planOf, text } from './kit.ts'

const LIST = `Name,Country\n${'"Acmé, Ltd",GB\n'.repeat(200_000)}`

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces)
}

const preparation = ['unpacked from gzip']

describe('a list packed by gzip', () => {
  it('has the facts of what was packed, and the size and hash of the file', async () => {
    const packed = gzipSync(LIST)
    const { bytes, sha256, mtimeMs, packed: told, path, ...facts } = await factsOf(file(packed, 'list.csv.gz'))
    const plain = await factsOf(file(LIST))
    expect(plain).toMatchObject(facts)
    expect([bytes, told]).toEqual([packed.length, { as: 'gzip', bytes: Buffer.byteLength(LIST) }])
    expect(plain.packed).toBeUndefined()
  })

  it('is uploaded unpacked, byte for byte, repeatedly', async () => {
    // Several members, one of them empty, make one list (RFC 1952 §2.2).
    const [head, tail] = [LIST.slice(0, 1_000_003), LIST.slice(1_000_003)]
    const path = file(Buffer.concat([gzipSync(head), gzipSync(''), gzipSync(tail)]), 'list.csv.gz')
    const source = openSource(planOf(await factsOf(path), { preparation }), folder())
    const upload = await source.upload(0)
    expect(upload).toMatchObject({ filename: 'list.csv', bytes: Buffer.byteLength(LIST) })
    for (let attempt = 0; attempt < 2; attempt++) expect((await bytesOf(upload.open())).equals(Buffer.from(LIST))).toBe(true)
  })

  it('in another encoding is uploaded as UTF-8 without its mark', async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Name;No\r\n"Ünal; Ş";01\r\n', 'utf16le')])
    const facts = await factsOf(file(gzipSync(utf16), 'x.gz'))
    expect(facts).toMatchObject({ encoding: 'utf-16le', bom: true, delimiter: ';', rows: 1 })
    const upload = await openSource(planOf(facts, { preparation }), folder()).upload(0)
    expect((await bytesOf(upload.open())).toString()).toBe('Name;No\r\n"Ünal; Ş";01\r\n')
  })

  it('gives its own cells to the output', async () => {
    const work = folder()
    const output = {
      path: join(work, 'out.csv'),
      format: 'csv',
      columns: ['*', 'match.outcome'],
      unmatched: null,
      review: null,
    } as const
    const plan = planOf(await factsOf(file(gzipSync('Name,Country\nA,GB\nB,DE\n'), 'x.gz')), { preparation, output })
    const results = openResults(plan, work, { root: work })
    const body = (async function* () {
      yield Buffer.from('Name,Country,match.outcome\nA,GB,matched\nB,DE,unmatched\n')
    })()
    await results.receive(0, { bytes: null, body }, 2)
    await results.publish()
    expect(text(output.path)).toBe('Name,Country,match.outcome\nA,GB,matched\nB,DE,unmatched\n')
  })

  it('is refused when it is cut short or damaged, wherever that is', async () => {
    const packed = gzipSync(Array.from({ length: 3000 }, (_, row) => `Company ${row},${(row * 7919) % 1000}\n`).join(''))
    const place = fc.integer({ min: 3, max: packed.length - 1 })
    await fc.assert(
      fc.asyncProperty(place, fc.boolean(), async (at, isCut) => {
        const bad = Buffer.from(packed)
        bad[at]! ^= 0x55
        const { facts, issues } = await inspect(
          options(file(isCut ? packed.subarray(0, at) : bad, 'x.csv.gz'), { header: false }),
        )
        // Bytes 4 to 9 say when and where it was packed: nothing of the content.
        const isHarmless = !isCut && at >= 4 && at <= 9
        expect(issues.some(one => one.severity === 'error')).toBe(!isHarmless)
        if (isHarmless) expect(facts?.rows).toBe(3000)
      }),
      { numRuns: 60 },
    )
  })

  it.each([
    ['a web page', gzipSync('<!doctype html><html></html>'), 'FETTLE_INPUT_KIND'],
    ['packed twice', gzipSync(gzipSync(LIST)), 'FETTLE_INPUT_KIND'],
    ['nothing', gzipSync(''), 'FETTLE_INPUT_EMPTY'],
    ['not UTF-8', gzipSync(Buffer.from('Name\nM\xfcller\n', 'latin1')), 'FETTLE_INPUT_ENCODING'],
  ])('with %s in it is refused', async (_, bytes, code) => {
    const { issues } = await inspect(options(file(bytes, 'x.csv.gz')))
    expect(issues.filter(one => one.severity === 'error').map(one => one.code)).toEqual([code])
  })
})
