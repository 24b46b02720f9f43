/**
 * Shards of a list, each answered by a job of its own and joined: the same bytes as one run over one job, whatever the list is
 * written in, however it is cut, and whether or not rows that are alike are sent once.
 */
import { copyFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvText } from '../../../src/formats/text-formats.ts'
import { countRows, inspect, openSource } from '../../../src/input/index.ts'
import { Checkpoints, locateRows } from '../../../src/input/table/record-offsets.ts'
import type { InputFacts, InputOptions, Plan, PlannedOutput, Shard } from '../../../src/pipeline/model/types.ts'
import { mergedPlan, shareOf, splitIntoParts } from '../../../src/pipeline/planning/shards.ts'
import { receivedPath } from '../../../src/results/file-names.ts'
import { openResults, readReview } from '../../../src/results/index.ts'
import { runs } from '../../support/runs.ts'
import { file, folder, options, planOf, text } from './kit.ts'

const OUTPUT: PlannedOutput = {
  path: 'out.csv',
  format: 'csv',
  columns: ['*', 'general.connectId', 'general.duplicate', 'match.outcome'],
  unmatched: 'unmatched.csv',
  review: 'review.csv',
}

/**
 * The enriched file of one job: `M…` is matched, `R…` in review, the rest unmatched. A company is the first three characters of
 * its name, and the second row of a job to have it is a duplicate.
 */
function answer(sent: string, hasHeader: boolean, delimiter: string): string {
  const rows = parse(sent, { delimiter, record_delimiter: ['\r\n', '\n', '\r'], bom: true }) as string[][]
  const header = hasHeader ? rows.shift()! : rows[0]!.map((_, at) => `column ${at + 1}`)
  const taken = new Set<string>()
  const enriched = rows.map(row => {
    const name = row[1]!.trim()
    if (!name.startsWith('M')) return [...row, '', 'N', name.startsWith('R') ? 'review' : 'unmatched']
    const id = `id-${name.slice(0, 3).trim()}`
    const isKnown = taken.has(id)
    taken.add(id)
    return [...row, id, isKnown ? 'Y' : 'N', isKnown ? 'duplicate' : 'matched']
  })
  const head = [...header, 'general.connectId', 'general.duplicate', 'match.outcome']
  return csvText([head, ...enriched], { delimiter: ',', lineEnd: '\n', columns: head.length })
}

/** Sends the parts of a plan, and answers them; gives what was sent. */
async function carryOut(plan: Plan, work: string): Promise<string[]> {
  const bodies: string[] = []
  for (const part of plan.sent === 0 ? [] : plan.parts.keys()) {
    const pieces: Uint8Array[] = []
    const upload = await openSource(plan, work).upload(part)
    for await (const piece of upload.open()) pieces.push(Buffer.from(piece))
    const body = Buffer.concat(pieces).toString()
    expect(upload.bytes).toBe(Buffer.byteLength(body))
    bodies.push(body)
    writeFileSync(receivedPath(work, part), gzipSync(answer(body, plan.input.header !== null, plan.input.delimiter)))
  }
  return bodies
}

/** Everything that a run leaves of its rows. */
async function publish(plan: Plan, work: string) {
  const root = folder()
  const { samples, ...rest } = await openResults(plan, work, { root }).publish()
  const files = ['out.csv', 'unmatched.csv', 'review.csv'].map(name => text(join(root, name)))
  const review = []
  for await (const row of readReview(work)) review.push(row)
  return { files, samples, review, rest }
}

interface Cut {
  readonly of: number
  readonly split?: number | null
  readonly how?: Partial<InputOptions>
  readonly rest?: Partial<Plan>
}

async function planned(path: string, { how = {}, rest = {} }: Cut) {
  const { facts, marks, issues } = await inspect(options(path, how))
  if (facts === null || issues.some(one => one.severity === 'error')) throw new Error(issues.map(one => one.message).join('; '))
  const rows = rest.limit ?? facts.rows
  const mappings: Plan['mappings'] = [{ mapping: 'name', header: null, index: 1, pad: null }]
  const base = planOf(facts, { mappings, output: OUTPUT, ...rest, rows })
  return { facts, marks, rows, base }
}

const isAccepted = async (path: string, { how = {} }: Cut): Promise<boolean> =>
  (await inspect(options(path, how))).issues.every(({ severity }) => severity !== 'error')

/** The plan of one shard, as preparing it makes one. */
async function shardPlan(path: string, cut: Cut, number: number): Promise<Plan> {
  const { facts, marks, rows, base } = await planned(path, cut)
  const range = shareOf(rows, { number, of: cut.of })
  const asked = base.collapse
    ? (await countRows(base, '', [range.from, range.to])).before.map(({ sent }) => sent)
    : [range.from, range.to]
  const span = await locateRows(facts, marks, range)
  const shard: Shard = { number, of: cut.of, from: range.from, asked: asked[0]!, span }
  const sent = asked[1]! - asked[0]!
  return { ...base, shard, rows: range.to - range.from, sent, parts: splitIntoParts(sent, cut.split ?? null) }
}

async function sharded(path: string, cut: Cut) {
  const work = folder()
  const plans: Plan[] = []
  const bodies: string[] = []
  let part = 0
  for (let number = 1; number <= cut.of; number++) {
    const plan = await shardPlan(path, cut, number)
    const own = folder()
    const sent = await carryOut(plan, own)
    for (const at of sent.keys()) copyFileSync(receivedPath(own, at), receivedPath(work, part++))
    plans.push(plan)
    bodies.push(...sent)
  }
  return { bodies, plans, ...(await publish(mergedPlan(plans), work)) }
}

async function whole(path: string, cut: Cut) {
  const { base } = await planned(path, cut)
  const sent = base.collapse ? (await countRows(base)).all.sent : base.rows
  const work = folder()
  const plan = { ...base, sent, parts: splitIntoParts(sent, null) }
  const bodies = await carryOut(plan, work)
  return { bodies, ...(await publish(plan, work)) }
}

const LIST = 'id,name\n1,Mott\n2,Rae\n3,Mott\n4,Unk\n5,Rae\n6,"Mott ""x"""\n7,Unk\n'

describe('a shard', () => {
  it('sends its own rows, as bytes of the file, and makes no copy', async () => {
    const { bodies } = await sharded(file(LIST), { of: 3 })
    expect(bodies).toEqual(['id,name\n1,Mott\n2,Rae\n', 'id,name\n3,Mott\n4,Unk\n', 'id,name\n5,Rae\n6,"Mott ""x"""\n7,Unk\n'])
  })

  it('without rows sends nothing', async () => {
    const { bodies, plans } = await sharded(file('id,name\n1,Mott\n'), { of: 3 })
    expect(bodies).toEqual(['id,name\n1,Mott\n'])
    expect(plans.map(({ rows }) => rows)).toEqual([0, 0, 1])
  })

  it('does not ask what a row of an earlier shard asks', async () => {
    const { bodies, rest } = await sharded(file(LIST), { of: 3, rest: { collapse: true } })
    expect(bodies).toEqual(['id,name\n1,Mott\n2,Rae\n', 'id,name\n4,Unk\n', 'id,name\n6,"Mott ""x"""\n'])
    expect(rest.outcomes).toMatchObject({ matched: 1, duplicates: 2, review: 2, unmatched: 2 })
  })

  it('recognises a company that another shard found', async () => {
    const { files, rest } = await sharded(file(LIST), { of: 7 })
    expect(files[0]).toContain('3,Mott,id-Mot,Y,duplicate\n')
    expect(rest.outcomes).toMatchObject({ matched: 1, duplicates: 2, review: 2, unmatched: 2 })
  })

  it('reads of a long list its own rows alone', async () => {
    const filler = 'x'.repeat(200)
    const rows = Array.from({ length: 30_000 }, (_, n) => `${n},Mott ${n},${filler}\n`)
    const path = file(`id,name,filler\n${rows.join('')}`)
    const { facts, marks } = await inspect(options(path))
    expect(marks.length).toBeGreaterThan(4)
    const span = await locateRows(facts as InputFacts, marks, { from: 20_000, to: 20_002 })
    expect(text(path).slice(span.from, span.to!)).toBe(`20000,Mott 20000,${filler}\n20001,Mott 20001,${filler}\n`)
    expect(span.from - marks.findLast(({ offset }) => offset <= span.from)!.offset).toBeLessThan(1_100_000)
    expect(await locateRows(facts as InputFacts, new Checkpoints().all, { from: 20_000, to: 20_002 })).toEqual(span)
    expect(statSync(path).size).toBeGreaterThan(6_000_000)
  })
})

/** How a list may be written down: encoding, packing, mark, delimiter, line ends, lines around it. */
const DIALECTS: readonly {
  readonly name: string
  readonly how?: Partial<InputOptions>
  write(rows: readonly string[][]): Buffer
}[] = [
  { name: 'plain', write: rows => Buffer.from(csv(rows, ',', '\n')) },
  { name: 'mark, CRLF, semicolons', write: rows => Buffer.from(`\ufeff${csv(rows, ';', '\r\n')}`) },
  { name: 'sep= line, tabs, CR', write: rows => Buffer.from(`sep=\t\r${csv(rows, '\t', '\r')}`) },
  { name: 'windows-1252', how: { encoding: 'windows-1252' }, write: rows => Buffer.from(csv(rows, ',', '\n'), 'latin1') },
  { name: 'utf-16le', write: rows => Buffer.from(`\ufeff${csv(rows, ';', '\r\n')}`, 'utf16le') },
  { name: 'gzip', write: rows => gzipSync(csv(rows, ',', '\n')) },
  {
    name: 'lines around',
    how: { skip: { head: 2, tail: 1 } },
    write: rows => Buffer.from(`A list\n\n${csv(rows, ',', '\n')}\nend of list\n`),
  },
  { name: 'relaxed quotes', how: { quotes: 'relaxed' }, write: rows => Buffer.from(csv(rows, ',', '\n')) },
]

const csv = (rows: readonly string[][], delimiter: string, end: string): string =>
  rows.map(row => row.map(cell => `"${cell.replaceAll('"', '""')}"`).join(delimiter)).join(end)

describe('shards joined', () => {
  const name = fc.oneof(
    fc.constantFrom('Mot', 'Mot Ltd', 'Mix', ' Mix', 'Rae', 'Unk', 'Unk "é"', ''),
    fc.string({ unit: fc.constantFrom('M', 'R', 'u', 'é', '"', ',', ';', '\n', ' '), maxLength: 5 }),
  )
  const table = fc.array(fc.tuple(fc.constantFrom('1', 'é', ''), name, fc.constantFrom('x', 'y')), {
    minLength: 1,
    maxLength: 14,
  })

  for (const { name: dialect, how = {}, write } of DIALECTS)
    it(`are one run: ${dialect}`, { timeout: 120_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(
          table,
          fc.integer({ min: 1, max: 6 }),
          fc.boolean(),
          fc.boolean(),
          fc.constantFrom(null, 1, 2),
          fc.constantFrom(null, 3),
          async (rows, of, collapse, header, split, limit) => {
            const lines = [...(header ? [['id', 'name', 'town']] : []), ...rows]
            const path = file(write(lines), dialect === 'gzip' ? 'input.csv.gz' : 'input.csv')
            const most = limit !== null && limit < rows.length ? { limit } : {}
            const cut: Cut = {
              of,
              split,
              how: { ...how, header, delimiter: DELIMITERS[dialect] ?? ',' },
              rest: { collapse, ...most },
            }
            // Read with relaxed quotes, a cell of lines that look like rows is refused, whole or in shards.
            if (dialect === 'relaxed quotes') fc.pre(await isAccepted(path, cut))
            const one = await whole(path, cut)
            const many = await sharded(path, cut)
            expect(many.files).toEqual(one.files)
            expect(many.samples).toEqual(one.samples)
            expect(many.review).toEqual(one.review)
            const sums = ({ files: _, ...others }: typeof one.rest) => others
            expect(sums(many.rest)).toEqual(sums(one.rest))
            expect(many.plans.reduce((sum, { sent }) => sum + sent, 0)).toBe(
              one.bodies.reduce((sum, body) => sum + recordsIn(body, cut), 0),
            )
          },
        ),
        { numRuns: runs(3, 10) },
      )
    })
})

const DELIMITERS: Readonly<Record<string, string>> = {
  'mark, CRLF, semicolons': ';',
  'sep= line, tabs, CR': '\t',
  'utf-16le': ';',
}

const recordsIn = (body: string, { how }: Cut): number =>
  (parse(body, { delimiter: how?.delimiter ?? ',', record_delimiter: ['\r\n', '\n', '\r'], bom: true }) as string[][]).length -
  (how?.header === false ? 0 : 1)
