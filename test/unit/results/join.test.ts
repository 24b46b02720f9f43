import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openSource } from '../../../src/input/index.ts'
import type { Plan, PlannedOutput } from '../../../src/pipeline/model/types.ts'
import { openResults } from '../../../src/results/index.ts'
import { runs } from '../../support/runs.ts'
import { factsOf, file, folder, names, planOf, sha256, text } from '../input/kit.ts'

async function* pieces(content: string | Buffer, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const download = (content: string, bytes: number | null = Buffer.byteLength(content)) => ({ bytes, body: pieces(content) })

const output = (rest: Partial<PlannedOutput> = {}): PlannedOutput => ({
  path: 'out/result.csv',
  format: 'csv',
  columns: ['*', 'general.connectId', 'match.outcome'],
  unmatched: null,
  review: null,
  ...rest,
})

/** Results of a small input in a fresh root. */
async function make(content: string, rest: Partial<Plan> = {}) {
  const root = folder()
  const work = folder()
  writeFileSync(join(root, 'in.csv'), content)
  const facts = { ...(await factsOf(join(root, 'in.csv'))), path: 'in.csv' }
  const plan = planOf(facts, { output: output(), ...rest })
  return { root, work, plan, results: openResults(plan, work, { root }) }
}

const INPUT = 'Name;No;Mail\r\nAcme;0123;a@x.org\r\n"Bolt; Inc";77;\r\nCore;5;c@x.org\r\n'
const ENRICHED = [
  'Name,No,Mail,general.connectId,match.outcome,match.score,match.why,match.candidateId,match.candidateName',
  'Acme,0123,a@x.org,CC-1,matched,0.970,name 0.97,CC-1,Acme Ltd',
  'Bolt; Inc,77,,,review,0.720,name 0.72,CC-9,Bolt GmbH',
  'Core,5,c@x.org,,unmatched,,nothing near,,',
  '',
].join('\n')

describe('receiving', () => {
  it('keeps a whole file under its final name, counted and hashed', async () => {
    const { work, results } = await make(INPUT)
    const got = await results.receive(0, download(ENRICHED), 3)
    expect(names(work)).toEqual(['enriched-0.csv.gz'])
    const packed = readFileSync(join(work, 'enriched-0.csv.gz'))
    expect(gunzipSync(packed).toString()).toBe(ENRICHED)
    const packedSha256 = sha256(packed)
    const form = { encoding: 'utf-8', evidence: null, packing: null, delimiter: ',' }
    expect(got).toEqual({ bytes: ENRICHED.length, rows: 3, sha256: sha256(ENRICHED), packedSha256, form })
  })

  it('detects every cut, with and without an announced length', async () => {
    const quoted = ENRICHED.replace('Core', '"Core\n""x"""')
    for (const announced of [quoted.length, null]) {
      const { work, results } = await make('a\n1\n')
      for (let length = 0; length < quoted.length; length++) {
        const attempt = results.receive(0, download(quoted.slice(0, length), announced), 3)
        await expect(attempt, `${length} of ${quoted.length}`).rejects.toMatchObject({
          code: 'FETTLE_DOWNLOAD_CUT',
          exitCode: 75,
        })
        expect(names(work)).toEqual(['enriched-0.csv.gz.partial'])
      }
    }
  })

  it('reports received and expected counts', async () => {
    const { results } = await make(INPUT)
    await expect(results.receive(0, download(ENRICHED.slice(0, 200), 400), 3)).rejects.toThrow(
      '200 bytes and 2 rows came, 400 bytes and 3 rows were due',
    )
  })

  it('accepts a file without a final line end when it arrives equal twice', async () => {
    const { results } = await make(INPUT)
    const bare = ENRICHED.trimEnd()
    await expect(results.receive(0, download(bare, null), 3)).rejects.toMatchObject({ code: 'FETTLE_DOWNLOAD_CUT' })
    expect((await results.receive(0, download(bare, null), 3)).rows).toBe(3)
    expect((await results.receive(0, download(bare), 3)).rows).toBe(3)
  })

  it('calls a whole file of other rows, or a damaged one, what it is', async () => {
    const { results } = await make(INPUT)
    await expect(results.receive(0, download(ENRICHED), 4)).rejects.toMatchObject({
      code: 'FETTLE_LEDGER',
      message: expect.stringContaining('4 rows sent'),
    })
    await expect(results.receive(0, download(ENRICHED), 2)).rejects.toMatchObject({ code: 'FETTLE_LEDGER', exitCode: 76 })
    await expect(results.receive(0, download(ENRICHED.replace(',matched', '')), 3)).rejects.toMatchObject({
      code: 'FETTLE_LEDGER',
    })
  })

  it('passes on the error of the connection, and starts again', async () => {
    const { work, results } = await make(INPUT)
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('Name')
      throw new Error('reset')
    }
    await expect(results.receive(0, { bytes: null, body: broken() }, 3)).rejects.toThrow('reset')
    await results.receive(0, download(ENRICHED), 3)
    expect(names(work)).toEqual(['enriched-0.csv.gz'])
  })

  it('reports that the run directory cannot be written', async () => {
    const results = openResults(planOf(await factsOf(file(INPUT))), '/proc/nowhere')
    await expect(results.receive(0, download(ENRICHED), 3)).rejects.toMatchObject({ code: 'FETTLE_OUTPUT_WRITE' })
  })
})

describe('publishing', () => {
  it('refuses rows that came in another order, though most of their cells are alike', async () => {
    const input = 'Id,Name,Town,Region,Kind,Country\n1,Acme,Leeds,North,Ltd,GB\n2,Beta,Leeds,North,Ltd,GB\n'
    const [head, one, two] = input.split('\n')
    const { root, results } = await make(input, { mappings: [{ mapping: 'name', header: 'Name', index: 1, pad: null }] })
    const swapped = [`${head},general.connectId`, `${two},GB-2`, `${one},GB-1`, ''].join('\n')
    await results.receive(0, download(swapped), 2)
    await expect(results.publish()).rejects.toMatchObject({ code: 'FETTLE_LEDGER' })
    expect(names(root)).toEqual(['in.csv', 'out'])
    expect(names(join(root, 'out'))).toEqual([])
  })

  it('gives no file its name when the counts are not accepted', async () => {
    const { root, results } = await make(INPUT, { output: output({ path: 'out.csv' }) })
    writeFileSync(join(root, 'out.csv'), 'good')
    await results.receive(0, download(ENRICHED), 3)
    const refuse = (): void => {
      throw new Error('does not add up')
    }
    await expect(results.publish(refuse)).rejects.toThrow('does not add up')
    expect([text(join(root, 'out.csv')), names(root)]).toEqual(['good', ['in.csv', 'out.csv']])
  })

  it('joins the input as it was with the chosen columns, and sorts rows into files', async () => {
    const { root, results } = await make(INPUT, { output: output({ unmatched: 'out/no.csv', review: 'out/maybe.csv' }) })
    await results.receive(0, download(ENRICHED), 3)
    const published = await results.publish()
    expect(text(join(root, 'out/result.csv'))).toBe(
      'Name;No;Mail;general.connectId;match.outcome\nAcme;0123;a@x.org;CC-1;matched\n"Bolt; Inc";77;;;review\nCore;5;c@x.org;;unmatched\n',
    )
    expect(text(join(root, 'out/no.csv'))).toBe('Name;No;Mail;general.connectId;match.outcome\nCore;5;c@x.org;;unmatched\n')
    expect(text(join(root, 'out/maybe.csv'))).toBe(
      'Name;No;Mail;general.connectId;match.outcome;match.candidateId;match.candidateName\n"Bolt; Inc";77;;;review;CC-9;Bolt GmbH\n',
    )
    expect(published.files.map(one => [one.kind, one.path, one.rows])).toEqual([
      ['output', 'out/result.csv', 3],
      ['unmatched', 'out/no.csv', 1],
      ['review', 'out/maybe.csv', 1],
    ])
    for (const { path, bytes, sha256: digest } of published.files) {
      const content = text(join(root, path))
      expect([bytes, digest]).toEqual([Buffer.byteLength(content), sha256(content)])
    }
    expect(published.outcomes).toEqual({
      matched: 1,
      manualMatched: 0,
      review: 1,
      unmatched: 1,
      duplicates: 0,
      failed: 0,
      skipped: 0,
    })
    const scores = new Array(20).fill(0)
    scores[19] = 1
    scores[14] = 1
    expect(published.scores).toEqual(scores)
    expect(published.lowestScores).toEqual({ matched: 0.97, review: 0.72 })
    expect(names(join(root, 'out'))).toEqual(['maybe.csv', 'no.csv', 'result.csv'])
  })

  it('writes the same bytes a second time', async () => {
    const { root, results } = await make(INPUT, { output: output({ format: 'excel' }) })
    await results.receive(0, download(ENRICHED), 3)
    const first = await results.publish()
    expect(await results.publish()).toEqual(first)
    expect(text(join(root, 'out/result.csv'))).toMatch(/^\ufeffName;No;Mail.*\r\n/)
  })

  it('writes original cells although padded ones were uploaded, for a limited run', async () => {
    const { root, work, plan, results } = await make(INPUT, {
      limit: 2,
      preparation: ['pad', 'limit'],
      mappings: [{ mapping: 'orgNumber', header: 'No', index: 1, pad: 8 }],
    })
    const upload = await openSource(plan, work, { root }).upload(0)
    let sent = ''
    for await (const piece of upload.open()) sent += piece
    expect(sent).toBe('Name;No;Mail\r\nAcme;00000123;a@x.org\r\n"Bolt; Inc";00000077;\r\n')
    const enriched = ENRICHED.split('\n').slice(0, 3).join('\n').replace('0123', '00000123').replace('77', '00000077')
    await results.receive(0, download(`${enriched}\n`), 2)
    await results.publish()
    expect(text(join(root, 'out/result.csv'))).toContain('Acme;0123;a@x.org;CC-1')
  })

  it('writes JSON lines', async () => {
    const { root, results } = await make(INPUT, {
      output: output({ path: 'r.jsonl', format: 'jsonl', columns: ['match.score', '*'] }),
    })
    await results.receive(0, download(ENRICHED), 3)
    await results.publish()
    expect(text(join(root, 'r.jsonl')).split('\n')[1]).toBe('{"match.score":0.720,"Name":"Bolt; Inc","No":"77","Mail":null}')
  })

  it('joins several parts in order', async () => {
    const { root, results } = await make(INPUT)
    const [head, ...rows] = ENRICHED.trimEnd().split('\n')
    await results.receive(0, download(`${head}\n${rows[0]}\n`), 1)
    await results.receive(1, download(`${head}\n${rows[1]}\n${rows[2]}\n`), 2)
    expect((await results.publish()).outcomes).toMatchObject({ matched: 1, review: 1, unmatched: 1 })
    expect(text(join(root, 'out/result.csv')).split('\n')).toHaveLength(5)
  })

  it('works from tags alone: every row has an outcome', async () => {
    const { root, results } = await make('Name\nA\nB\nC\n', {
      output: output({ columns: ['*', 'match.outcome', 'match.score'] }),
    })
    const csv = 'Name,general.rowNumber,general.connectId,general.duplicate\nA,1,CC-1,N\nB,2,CC-1,Y\nC,3,,N\n'
    await results.receive(0, download(csv), 3)
    const { outcomes, scores, lowestScores } = await results.publish()
    expect(outcomes).toEqual({
      matched: 1,
      manualMatched: 0,
      review: 0,
      unmatched: 1,
      duplicates: 1,
      failed: 0,
      skipped: 0,
    })
    expect(scores).toEqual([])
    expect(lowestScores).toEqual({ matched: null, review: null })
    expect(text(join(root, 'out/result.csv'))).toBe('Name,match.outcome,match.score\nA,matched,\nB,duplicate,\nC,unmatched,\n')
  })

  it('counts a row whose company an earlier row has as a duplicate where the file does not mark them', async () => {
    const { root, results } = await make('Name\nA\nB\nC\n', { output: output({ columns: ['*', 'match.outcome'] }) })
    await results.receive(0, download('Name,general.rowNumber,general.connectId\nA,1,CC-1\nB,2,CC-1\nC,3,\n'), 3)
    expect((await results.publish()).outcomes).toMatchObject({ matched: 1, duplicates: 1, unmatched: 1 })
    expect(text(join(root, 'out/result.csv'))).toBe('Name,match.outcome\nA,matched\nB,duplicate\nC,unmatched\n')
  })

  it('names the columns of a file without a header as the service does', async () => {
    const root = folder()
    const work = folder()
    const facts = await factsOf(file('A,1\nB,2\n'), { header: false })
    const results = openResults(planOf(facts, { output: output() }), work, { root })
    await results.receive(0, download('COLUMN A,COLUMN B,general.connectId,match.outcome\nA,1,CC-1,matched\nB,2,,unmatched\n'), 2)
    await results.publish()
    expect(text(join(root, 'out/result.csv'))).toBe(
      'COLUMN A,COLUMN B,general.connectId,match.outcome\nA,1,CC-1,matched\nB,2,,unmatched\n',
    )
  })

  it('is not misled by an input column named like a tag', async () => {
    const { root, results } = await make('Name,general.connectId\nA,mine\n')
    await results.receive(0, download('Name,general.connectId,general.connectId,match.outcome\nA,mine,CC-1,matched\n'), 1)
    await results.publish()
    expect(text(join(root, 'out/result.csv'))).toBe(
      'Name,general.connectId,general.connectId,match.outcome\nA,mine,CC-1,matched\n',
    )
  })

  it('keeps odd cells byte for byte', async () => {
    const odd = ['=1+1', '-5', '\u202eevil', 'e\u0301', '👩‍👧', ' x ', 'a\u0007b']
    const { root, results } = await make(`Name,x\n${odd.map(cell => `"${cell}",1\n`).join('')}`)
    await results.receive(
      0,
      download(`Name,x,general.connectId,match.outcome\n${odd.map(cell => `"${cell}",1,,unmatched\n`).join('')}`),
      odd.length,
    )
    await results.publish()
    const lines = text(join(root, 'out/result.csv')).split('\n')
    expect(lines.slice(1, -1).map(line => line.split(',')[0])).toEqual(odd)
  })
})

describe('rows that do not belong together', () => {
  const refuse = async (enriched: string, rows: number, why: string, rest: Partial<Plan> = {}) => {
    const { root, results } = await make('Name,No\nA,1\nB,2\n', { output: output({ columns: ['*'] }), ...rest })
    await results.receive(0, download(enriched), rows)
    await expect(results.publish()).rejects.toMatchObject({ code: 'FETTLE_LEDGER', message: expect.stringContaining(why) })
    expect(names(join(root, 'out'))).toEqual([])
  }

  it('are refused, and nothing is written', async () => {
    await refuse(
      'Name,No,general.connectId,general.rowNumber\nA,1,,1\nB,2,,3\n',
      2,
      'row 2 of the enriched file is not row 2 of the input: its general.rowNumber is 3',
    )
    await refuse('Name,No,general.connectId,general.rowNumber\nA,1,,7\nB,2,,8\n', 2, 'its general.rowNumber is 7')
    await refuse('Name,No,match.outcome\nB,2,matched\nA,1,matched\n', 2, '2 of its 2 cells are not the ones that were sent')
    await refuse('Name,No,match.outcome\nA,2,matched\nB,1,matched\n', 2, '1 of its 2 cells are not the ones that were sent')
    const key = { header: 'No', index: 1 }
    await refuse('Name,No,match.outcome\nA,2,matched\nB,1,matched\n', 2, 'its key is not the one that was sent', { key })
    await refuse('Name,No,match.outcome\nA,1,maybe\nB,2,matched\n', 2, 'the unknown outcome "maybe"')
    await refuse('Name,No,match.outcome\nA,1,matched\n', 1, '2 rows sent and 1 came back')
    await refuse('Name,No,match.outcome\nA,1,matched\nB,2,matched\nC,3,matched\n', 3, 'more came back')
  })

  it('may be counted from 0, from 1, or with the header', async () => {
    for (const first of [0, 1, 2]) {
      const { results } = await make('Name,No\nA,1\nB,2\n', { output: output({ columns: ['*'] }) })
      await results.receive(0, download(`Name,No,general.connectId,general.rowNumber\nA,1,,${first}\nB,2,,${first + 1}\n`), 2)
      expect((await results.publish()).outcomes.unmatched).toBe(2)
    }
  })
})

describe('what stops it', () => {
  it('not a chosen tag that was not delivered: its column is empty and reported', async () => {
    const { results } = await make(INPUT, { output: output({ columns: ['*', 'general.phone'] }) })
    await results.receive(0, download(ENRICHED), 3)
    expect(await results.publish()).toMatchObject({ missing: ['general.phone'] })
  })

  it('an input that changed, and an output that cannot be written; the file received is kept', async () => {
    const changed = await make(INPUT)
    await changed.results.receive(0, download(ENRICHED), 3)
    writeFileSync(join(changed.root, 'in.csv'), 'x')
    await expect(changed.results.publish()).rejects.toMatchObject({ code: 'FETTLE_INPUT_CHANGED' })
    expect(names(changed.work)).toEqual(['enriched-0.csv.gz'])
    const outside = await make(INPUT, { output: output({ unmatched: '../no.csv' }) })
    await outside.results.receive(0, download(ENRICHED), 3)
    await expect(outside.results.publish()).rejects.toMatchObject({
      code: 'FETTLE_OUTPUT_WRITE',
      message: expect.stringContaining('no.csv'),
    })
    expect(names(join(outside.root, 'out'))).toEqual([])
  })
})

describe('samples for reports', () => {
  const sampled = async (report: Plan['report']) => {
    const key = { header: 'No', index: 1 }
    const mappings: Plan['mappings'] = [
      { mapping: 'name', header: 'Name', index: 0, pad: null },
      { mapping: 'email', header: 'Mail', index: 2, pad: null },
    ]
    const { results } = await make(INPUT, { report, key, mappings })
    await results.receive(0, download(ENRICHED), 3)
    return (await results.publish()).samples
  }
  const bolt = {
    row: 2,
    line: 3,
    key: '77',
    outcome: 'review',
    score: 0.72,
    why: 'name 0.72',
    reason: '',
    cells: { name: 'Bolt; Inc', email: '' },
    candidate: { id: 'CC-9', name: 'Bolt GmbH' },
    fingerprint: expect.stringMatching(/^k[0-9a-f]{32}$/),
    candidates: [{ id: 'CC-9', name: 'Bolt GmbH', score: 0.72, why: 'name 0.72', parts: {}, fields: {} }],
    decision: null,
  }

  it('contain what the pipeline allows, masked', async () => {
    expect(await sampled({ rows: 'none', mask: [] })).toEqual([])
    expect(await sampled({ rows: 'review', mask: [] })).toEqual([bolt])
    const all = await sampled({ rows: 'all', mask: ['email', 'No'] })
    expect(all).toEqual([
      { ...bolt, key: '***' },
      {
        row: 3,
        line: 4,
        key: '***',
        outcome: 'unmatched',
        score: null,
        why: 'nothing near',
        reason: 'not-given',
        cells: { name: 'Core', email: '***' },
        candidate: { id: '', name: '' },
        fingerprint: expect.stringMatching(/^k[0-9a-f]{32}$/),
        candidates: [],
        decision: null,
      },
    ])
  })

  it('are at most fifty of a kind', async () => {
    const rows = Array.from({ length: 120 }, (_, at) => `C${at}`)
    const { results } = await make(`Name\n${rows.join('\n')}\n`, {
      output: output({ columns: ['*'] }),
      report: { rows: 'all', mask: [] },
    })
    await results.receive(
      0,
      download(`Name,match.outcome\n${rows.map((row, at) => `${row},${at % 2 ? 'review' : 'unmatched'}\n`).join('')}`),
      120,
    )
    const { samples } = await results.publish()
    expect([samples.length, samples.at(-1)!.row]).toEqual([100, 100])
  })
})

describe('the sum of rows', () => {
  it('is the number of rows, for any outcomes', async () => {
    const outcome = fc.constantFrom('matched', 'manualMatched', 'review', 'unmatched', 'duplicate', 'failed')
    await fc.assert(
      fc.asyncProperty(fc.array(outcome, { minLength: 1, maxLength: 30 }), async outcomes => {
        const { results } = await make(`Name\n${outcomes.map((_, at) => `C${at}\n`).join('')}`, {
          output: output({ columns: ['*'] }),
        })
        await results.receive(
          0,
          download(`Name,match.outcome\n${outcomes.map((one, at) => `C${at},${one}\n`).join('')}`),
          outcomes.length,
        )
        const sums = Object.values((await results.publish()).outcomes) as number[]
        expect(sums.reduce((sum, one) => sum + one)).toBe(outcomes.length)
      }),
      { numRuns: runs(8, 25) },
    )
  })
})
