/** Uploads of an input: parts as byte ranges, tidied rows, constants, skipped lines around the table. */

import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openSource } from '../../../src/input/index.ts'
import { locateRowLines, recordStarts } from '../../../src/input/table/record-offsets.ts'
import type { InputOptions, Plan, PlannedMapping } from '../../../src/pipeline/model/types.ts'
import { splitIntoParts } from '../../../src/pipeline/planning/shards.ts'
import { runs } from '../../support/runs.ts'
import { factsOf, file, folder, names, planOf, sha256 } from './kit.ts'

const read = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** What each part sends, and the names of the files that were made for it. */
async function sentOf(
  content: string | Uint8Array,
  { split = null, how = {}, rest = {} }: { split?: number | null; how?: Partial<InputOptions>; rest?: Partial<Plan> },
): Promise<{ bodies: string[]; filenames: string[]; made: string[] }> {
  const work = folder()
  const facts = await factsOf(file(content), how)
  const rows = rest.rows ?? facts.rows
  const source = openSource(planOf(facts, { rows, sent: rows, parts: splitIntoParts(rest.sent ?? rows, split), ...rest }), work)
  const bodies: string[] = []
  const filenames: string[] = []
  for (let part = 0; part < splitIntoParts(rest.sent ?? rows, split).length; part++) {
    const upload = await source.upload(part)
    const body = await read(upload.open())
    expect(upload.bytes).toBe(Buffer.byteLength(body))
    bodies.push(body)
    filenames.push(upload.filename)
  }
  return { bodies, filenames, made: names(work) }
}

const name = (more: Partial<PlannedMapping> = {}): PlannedMapping => ({
  mapping: 'name',
  header: 'n',
  index: 0,
  pad: null,
  ...more,
})

describe('parts', () => {
  it('are bytes of the file, each with the header, and no copy is made', async () => {
    const content = '\ufeffn,x\r\nA,"1\r\n1"\r\n\r\nB,2\r\n"C ""c""",3\r\nD,4'
    const { bodies, filenames, made } = await sentOf(content, { split: 2 })
    expect(bodies).toEqual(['\ufeffn,x\r\nA,"1\r\n1"\r\n\r\nB,2\r\n', '\ufeffn,x\r\n"C ""c""",3\r\nD,4'])
    expect(filenames).toEqual(['input-1.csv', 'input-2.csv'])
    expect(made).toEqual([])
  })

  it('have no header when the input has none, and the first rows only when there is a limit', async () => {
    expect((await sentOf('1,2\n3,4\n5,6\n', { split: 2, how: { header: false } })).bodies).toEqual(['1,2\n3,4\n', '5,6\n'])
    expect((await sentOf('a,b\n1,"2\n2"\n\n3,4\n5,6\n', { rest: { limit: 2, rows: 2 } })).bodies).toEqual([
      'a,b\n1,"2\n2"\n\n3,4\n',
    ])
    expect((await sentOf('1,2\n3,4\n', { how: { header: false }, rest: { limit: 1, rows: 1 } })).bodies).toEqual(['1,2\n'])
  })

  it('are of the copy when there has to be one', async () => {
    const { bodies, made } = await sentOf(Buffer.from('n;t\nCaf\xe9;"a;b"\nB;c\nC;d\n', 'latin1'), {
      split: 2,
      how: { encoding: 'windows-1252' },
    })
    expect(bodies).toEqual(['n;t\nCafé;"a;b"\nB;c\n', 'n;t\nC;d\n'])
    expect(made).toEqual(['upload.csv'])
  })

  it('can be opened concurrently, with one copy for all', async () => {
    const work = folder()
    const rows = Array.from({ length: 60_000 }, (_, n) => `Caf\xe9 ${n};"a;${n}"\n`)
    const facts = await factsOf(file(Buffer.from(`n;t\n${rows.join('')}`, 'latin1')), { encoding: 'windows-1252' })
    const source = openSource(planOf(facts, { parts: splitIntoParts(60_000, 10_000) }), work)
    const bodies = await Promise.all([0, 1, 2, 3, 4, 5].map(async part => read((await source.upload(part)).open())))
    const whole = bodies.map(body => body.replace('n;t\n', '')).join('')
    expect(whole).toBe(rows.join('').replaceAll('\xe9', 'é'))
    expect(names(work)).toEqual(['upload.csv'])
  })

  it('hold every row once, in order, for any cells', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r', '\r\n', ' '), maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom('\n', '\r\n'),
        async (rows, split, end) => {
          const quoted = [['n', 'x'], ...rows].map(row => row.map(one => `"${one.replaceAll('"', '""')}"`).join(',')).join(end)
          const facts = { ...(await factsOf(file('n,x\n1,2\n'))), rows: rows.length }
          const path = file(quoted)
          const plan = planOf(
            { ...facts, path, bytes: Buffer.byteLength(quoted), sha256: sha256(quoted) },
            { parts: splitIntoParts(rows.length, split) },
          )
          const source = openSource(plan, folder())
          const sent: string[][] = []
          for (const [part] of plan.parts.entries()) {
            const body = await read((await source.upload(part)).open())
            const [header, ...own] = parse(body, { record_delimiter: ['\r\n', '\n', '\r'] }) as string[][]
            expect(header).toEqual(['n', 'x'])
            sent.push(...own)
          }
          expect(sent).toEqual(rows)
        },
      ),
      { numRuns: runs(8, 25) },
    )
  })

  it('begin at the same byte and on the same line however the file is cut into pieces', async () => {
    const bytes = Buffer.from('n,x\r\n"a\r\nb",1\r\n\r\n\r\nc,"2""2"\rd,3\n')
    const startsBy = async (size: number) => {
      const pieces = (async function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
      })()
      return recordStarts(pieces, [0, 1, 2, 3])
    }
    const whole = await startsBy(bytes.length)
    const places = [
      [0, 1],
      [5, 2],
      [19, 6],
      [28, 7],
    ]
    expect(whole).toEqual({ starts: places.map(([offset, line]) => ({ offset, line })), records: 4 })
    for (let size = 1; size < bytes.length; size++) expect(await startsBy(size)).toEqual(whole)
  })
})

describe('the lines of rows', () => {
  const linesIn = async (content: string, how: Partial<InputOptions>, rows: readonly number[]) =>
    (await locateRowLines(planOf(await factsOf(file(content), how)), rows)).map(({ line }) => line)

  it('match the file, for any lines above the table and any cells', async () => {
    expect(await linesIn('n,x\nA,"1\n1"\n\nB,2\nC,3\n', {}, [1, 2, 3])).toEqual([2, 5, 6])
    expect(await linesIn('Title\n\nsep=;\nn;x\nA;1\nB;2\n', { skip: { head: 2, tail: 0 } }, [2])).toEqual([6])
    expect(await linesIn('1,2\n3,4\n', { header: false }, [1, 2])).toEqual([1, 2])
  })

  it('are absent for relaxed quotes', async () => {
    expect(await linesIn('n,x\nA "B",1\n', { quotes: 'relaxed' }, [1])).toEqual([null])
  })
})

describe('rows that are changed on the way', () => {
  it('are tidied in mapped columns only, with constants behind them', async () => {
    const mappings = [
      name({ trim: true }),
      name({ mapping: 'orgNumber', index: 1, pad: 4, trim: true }),
      name({ mapping: 'countryCode', header: null, index: 3, value: 'GB, "UK"' }),
    ]
    const { bodies } = await sentOf('n,no,x\n "\u00a0A  B ",12\u00a0, y \n'.replace(' "', '"'), { rest: { mappings } })
    expect(bodies).toEqual(['n,no,x,countryCode\nA B,0012, y ,"GB, ""UK"""\n'])
  })

  it('have a constant of another name when the header has that one', async () => {
    const { bodies } = await sentOf('n,country\nA,\n', {
      rest: { mappings: [name(), name({ mapping: 'country', index: 2, value: 'GB' })] },
    })
    expect(bodies).toEqual(['n,country,country (fettle)\nA,,GB\n'])
  })
})

describe('lines around the table', () => {
  const WITH = 'Suppliers, "as of" 2026\n\nn,x\nA,1\nB,2\n\nTotal;"2 rows\n\n'

  it('are skipped, and everything else is uploaded byte for byte', async () => {
    const how = { skip: { head: 2, tail: 2 } }
    const { bodies, made } = await sentOf(WITH, { how })
    expect(bodies).toEqual(['n,x\nA,1\nB,2\n\n'])
    expect(made).toEqual([])
    expect((await sentOf(`\ufeff${WITH}`, { how })).bodies).toEqual(['n,x\nA,1\nB,2\n\n'])
    expect((await sentOf(Buffer.from(`\ufeff${WITH}`, 'utf16le'), { how })).bodies).toEqual(['n,x\nA,1\nB,2\n\n'])
  })

  it('are counted in the lines that problems name, and a sep= line below them is one', async () => {
    const facts = await factsOf(file('Title\nsep=;\nn;x\nA;1\n'), { skip: { head: 1, tail: 0 } })
    expect(facts).toMatchObject({ header: ['n', 'x'], rows: 1, delimiter: ';', skipped: { head: 1, tail: 0, from: 6 } })
    await expect(factsOf(file('Title\nn,x\nA,1,2\n'), { skip: { head: 1, tail: 0 } })).rejects.toThrow('line 3 has 3')
  })

  it('are not more than there are', async () => {
    await expect(factsOf(file('n,x\nA,1\n'), { skip: { head: 9, tail: 0 } })).rejects.toThrow('no more lines than')
    await expect(factsOf(file('n,x\nA,1\n'), { skip: { head: 0, tail: 3 } })).rejects.toThrow('no more lines than')
  })
})
