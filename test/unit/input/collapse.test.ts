/** Collapsed rows: rows with equal mapped cells are uploaded once, and all of them get the answer. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DigestIndex } from '../../../src/files/digest-index.ts'
import { csvText } from '../../../src/formats/text-formats.ts'
import { countRows, openSource } from '../../../src/input/index.ts'
import type { Plan, PlannedOutput } from '../../../src/pipeline/model/types.ts'
import { splitIntoParts } from '../../../src/pipeline/planning/shards.ts'
import { openResults } from '../../../src/results/index.ts'
import { runs } from '../../support/runs.ts'
import { factsOf, file, folder, planOf, text } from './kit.ts'

const OUTPUT: PlannedOutput = {
  path: 'out.csv',
  format: 'csv',
  columns: ['*', 'general.connectId', 'general.duplicate', 'match.outcome'],
  unmatched: null,
  review: 'review.csv',
}

/** An enriched file as a service makes one of what was sent: `M…` is matched, `R…` in review, the rest unmatched. */
function answer(sent: string): string {
  const [header, ...rows] = parse(sent, { record_delimiter: ['\r\n', '\n', '\r'] }) as string[][]
  const outcome = (name: string) => (name.startsWith('M') ? 'matched' : name.startsWith('R') ? 'review' : 'unmatched')
  const enriched = rows.map(row => [...row, row[1]!.startsWith('M') ? `id of ${row[1]}` : '', 'N', outcome(row[1]!)])
  const head = [...header!, 'general.connectId', 'general.duplicate', 'match.outcome']
  return csvText([head, ...enriched], { delimiter: ',', lineEnd: '\n', columns: head.length })
}

async function collapsed(content: string, split: number | null = null, rest: Partial<Plan> = {}) {
  const root = folder()
  const work = folder()
  const input = file(content)
  const facts = await factsOf(input)
  const mappings: Plan['mappings'] = [{ mapping: 'name', header: 'name', index: 1, pad: null }]
  const draft = planOf(facts, { mappings, output: OUTPUT, collapse: true, ...rest })
  const { sent } = (await countRows(draft)).all
  const plan = { ...draft, sent, parts: splitIntoParts(sent, split) }
  const bodies: string[] = []
  for (const part of plan.parts.keys()) {
    const pieces: Uint8Array[] = []
    for await (const piece of (await openSource(plan, work).upload(part)).open()) pieces.push(piece)
    const body = Buffer.concat(pieces).toString()
    bodies.push(body)
    writeFileSync(join(work, `enriched-${part}.csv.gz`), gzipSync(answer(body)))
  }
  let ofSent: unknown = null
  const results = openResults(plan, work, { root })
  const published = await results.publish(outcomes => {
    ofSent = outcomes
  })
  return {
    root,
    work,
    plan,
    bodies,
    published,
    ofSent,
    output: text(join(root, 'out.csv')),
    review: text(join(root, 'review.csv')),
  }
}

const LIST = 'id,name\n1,Mott\n2,Rae\n3,Mott\n4,Unk\n5,Rae\n6,"Mott"\n7,Unk\n'

describe('rows alike on the mapped cells', () => {
  it('are sent once, by the first of them', async () => {
    const { bodies, plan } = await collapsed(LIST)
    expect(plan).toMatchObject({ rows: 7, sent: 3 })
    expect(bodies).toEqual(['id,name\n1,Mott\n2,Rae\n4,Unk\n'])
  })

  it('all have the answer, and who was found once is a duplicate afterwards', async () => {
    const { output, review, published, ofSent } = await collapsed(LIST)
    expect(output).toBe(
      'id,name,general.connectId,general.duplicate,match.outcome\n' +
        '1,Mott,id of Mott,N,matched\n2,Rae,,N,review\n3,Mott,id of Mott,Y,duplicate\n4,Unk,,N,unmatched\n5,Rae,,N,review\n' +
        '6,Mott,id of Mott,Y,duplicate\n7,Unk,,N,unmatched\n',
    )
    expect(review.split('\n')).toHaveLength(4)
    expect(published.outcomes).toMatchObject({ matched: 1, duplicates: 2, review: 2, unmatched: 2 })
    expect(ofSent).toMatchObject({ matched: 1, duplicates: 0, review: 1, unmatched: 1 })
  })

  it('are found again over the borders of parts', async () => {
    const whole = await collapsed(LIST)
    const { bodies, output } = await collapsed(LIST, 1)
    expect(bodies).toHaveLength(3)
    expect(output).toBe(whole.output)
  })

  it('are alike as they are sent: tidied first', async () => {
    const mappings: Plan['mappings'] = [{ mapping: 'name', header: 'name', index: 1, pad: null, trim: true }]
    const { plan } = await collapsed('id,name\n1,Mott  Ltd\n2, Mott Ltd\n', null, { mappings })
    expect(plan.sent).toBe(1)
  })

  it('match a run that uploads every row, except for duplicates', async () => {
    // No space at the end: an id of a company has none.
    const name = fc.stringMatching(/^[MRU](?:["\n, é]{0,2}x)?$/)
    await fc.assert(
      fc.asyncProperty(
        fc.array(name, { minLength: 1, maxLength: 15 }),
        fc.option(fc.integer({ min: 1, max: 4 })),
        async (all, split) => {
          const content = csvText([['id', 'name'], ...all.map((one, at) => [String(at), one])], {
            delimiter: ',',
            lineEnd: '\n',
            columns: 2,
          })
          const { output, plan } = await collapsed(content, split)
          expect(plan.sent).toBe(new Set(all).size)
          const [, ...rows] = parse(output, { record_delimiter: ['\n'] }) as string[][]
          expect(rows.map(row => row[1])).toEqual(all)
          for (const [at, [, one, id, , outcome]] of rows.entries()) {
            const isRepeat = all.indexOf(one!) < at
            expect(id).toBe(one!.startsWith('M') ? `id of ${one}` : '')
            if (one!.startsWith('M')) expect(outcome).toBe(isRepeat ? 'duplicate' : 'matched')
          }
        },
      ),
      { numRuns: runs(6, 15) },
    )
  })

  it('fail with their part, in any position, and no other row moves', async () => {
    const { root, work, plan } = await collapsed(LIST, 1)
    rmSync(join(work, 'enriched-0.csv.gz'))
    const { outcomes, files } = await openResults(plan, work, { root }).publish(undefined, new Set([0]))
    expect(text(join(root, 'out.csv'))).toBe(
      'id,name,general.connectId,general.duplicate,match.outcome\n' +
        '1,Mott,,,failed\n2,Rae,,N,review\n3,Mott,,,failed\n4,Unk,,N,unmatched\n5,Rae,,N,review\n6,Mott,,,failed\n7,Unk,,N,unmatched\n',
    )
    expect(outcomes).toMatchObject({ failed: 3, review: 2, unmatched: 2, matched: 0 })
    expect(files.map(({ kind, rows }) => [kind, rows])).toEqual([
      ['output', 7],
      ['review', 2],
    ])
  })

  it('that are others when they are sent than when they were counted are not sent', async () => {
    const plan = planOf(await factsOf(file(LIST)), { collapse: true, sent: 5, parts: splitIntoParts(5, null) })
    await expect(openSource(plan, folder()).upload(0)).rejects.toMatchObject({ code: 'FETTLE_INPUT_CHANGED' })
  })
})

it.each([0, 100, 20_000, 50_000])('numbers stay with their question however many there are, if %i are expected', expected => {
  const fold = new DigestIndex(expected)
  const question = (n: number) => {
    const bytes = Buffer.alloc(16)
    bytes.writeUInt32LE(n >> 2, 0)
    bytes.writeUInt32LE(n, 12)
    return bytes
  }
  const numbers = Array.from({ length: 20_000 }, (_, n) => n)
  const moved = (): number[] => numbers.filter(n => fold.add(question(n)) !== n)
  expect([moved(), moved()]).toEqual([[], []])
  expect(fold.size).toBe(20_000)
})
