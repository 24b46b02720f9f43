/** Rows of nothing but delimiters and blanks, and headings: counted, not sent, and `skipped` in their place, however the list is cut and sent. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvText } from '../../../src/formats/text-formats.ts'
import { inspect, openSource } from '../../../src/input/index.ts'
import { RecordScanner } from '../../../src/input/scan/record-scanner.ts'
import { knownSum } from '../../../src/journal/outcomes.ts'
import {
  mergedPlan,
  type Plan,
  parsePipelineValue,
  planRun,
  type Section,
  type SectionReader,
} from '../../../src/pipeline/index.ts'
import { planChoices } from '../../../src/prepare/prepare.ts'
import { receivedPath } from '../../../src/results/file-names.ts'
import { openResults } from '../../../src/results/index.ts'
import { runs } from '../../support/runs.ts'
import { file, folder, options, text } from './kit.ts'

const blanks = fc.constantFrom('', ' ', '\t', '\n', ' \r\n ')
const filled = fc.constantFrom('Mott', 'Rae', 'Unk', 'Mott "x"', '"', ';', '\u00a0', '# head')
const cell = fc.oneof(blanks, filled)
const rowOf = (cells: fc.Arbitrary<string>) => fc.array(cells, { minLength: 2, maxLength: 2 })
const table = fc.array(fc.oneof(rowOf(blanks), rowOf(cell), fc.tuple(filled, filled)), { minLength: 1, maxLength: 14 })

const isBlank = (row: readonly string[]): boolean => row.join('').replace(/[ \t\r\n]/g, '') === ''
/** Rows that stand for headings inside the list. */
const isHead = (row: readonly string[]): boolean => row[1] === '# head'
const isSkipped = (row: readonly string[]): boolean => isBlank(row) || isHead(row)

/** Takes those rows for headings. */
function headReader(): SectionReader {
  let row = 0
  const found: Section[] = []
  return {
    add(cells) {
      row++
      if (isHead(cells)) found.push({ row, text: cells[1]!, isTotal: false, proof: 'of the test' })
    },
    end: () => ({ found, doubtful: [] }),
  }
}
const written = (rows: readonly (readonly string[])[]): string =>
  csvText([['id', 'name'], ...rows], { delimiter: ';', lineEnd: '\n', columns: 2 })

it('the scanner counts the rows that are blank when parsed, wherever the pieces are cut', () => {
  fc.assert(
    fc.property(table, fc.integer({ min: 1, max: 9 }), fc.constantFrom(';', '\t'), (rows, size, delimiter) => {
      const bytes = Buffer.from(csvText(rows, { delimiter, lineEnd: '\n', columns: 2 }))
      const scanner = new RecordScanner(delimiter)
      for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size))
      scanner.end()
      const empty = [...rows.keys()].filter(at => isBlank(rows[at]!)).map(at => at + 1)
      expect([scanner.records, scanner.empty.count, scanner.empty.first]).toEqual([rows.length, empty.length, empty.slice(0, 4)])
    }),
    { numRuns: runs(150, 500) },
  )
})

interface Sending {
  readonly split?: number | null
  readonly collapse?: boolean
  readonly shards?: number
  readonly limit?: number | null
}

/** Plans and sends a list as a run does, answers it, and joins the answers. */
async function carriedOut(path: string, { split = null, collapse = false, shards = 0, limit = null }: Sending) {
  const parsed = parsePipelineValue(
    {
      name: 'empty',
      input: 'input.csv',
      mappings: { name: 'name' },
      enrich: 'basic',
      job: { collapse, ...(split === null ? {} : { split }) },
      output: { path: 'out.csv', columns: ['*', 'general.connectId', 'match.outcome'], unmatched: 'unmatched.csv' },
    },
    { file: 'empty.yml', env: {}, vars: {}, run: { date: '2026-01-02' } },
  )
  const pipeline = parsed.pipeline!
  const { facts, marks, issues } = await inspect({ ...options(path), sections: 'skip' }, { sections: headReader })
  const context = { file: 'empty.yml', limit, service: { kind: 'embedded' } as const, issues }
  const first = planRun(pipeline, facts!, context)
  if (first.plan === null) return { issues: first.issues }
  const list = { pipeline, facts: facts!, plan: first.plan, path, marks, context }
  const choices = Array.from({ length: shards }, (_, at) => ({ number: at + 1, of: shards }))
  const planned = await planChoices(list, choices)
  const plans = planned.flatMap(one => one.plan ?? [])
  if (plans.length < planned.length) return { issues: planned.flatMap(one => one.issues) }
  const work = folder()
  let part = 0
  const bodies: string[] = []
  for (const plan of plans)
    for (const body of await sent(plan)) {
      bodies.push(body)
      writeFileSync(receivedPath(work, part++), gzipSync(answer(body)))
    }
  const plan = shards === 0 ? plans[0]! : mergedPlan(plans)
  const root = folder()
  const { outcomes, files } = await openResults(plan, work, { root }).publish(ofSent => expect(knownSum(ofSent)).toBe(plan.sent))
  return { issues, plan, bodies, outcomes, files, output: text(join(root, 'out.csv')) }
}

async function sent(plan: Plan): Promise<string[]> {
  const bodies: string[] = []
  const work = folder()
  for (const part of plan.sent === 0 ? [] : plan.parts.keys()) {
    const pieces: Uint8Array[] = []
    for await (const piece of (await openSource(plan, work).upload(part)).open()) pieces.push(Buffer.from(piece))
    bodies.push(Buffer.concat(pieces).toString())
  }
  return bodies
}

const cellsOf = (body: string, delimiter: string): string[][] =>
  parse(body, { delimiter, record_delimiter: ['\n'] }) as string[][]

/** The enriched file of a service: `M…` is matched. */
function answer(body: string): string {
  const [header, ...rows] = cellsOf(body, ';')
  const enriched = rows.map(row => [...row, ...(row[1]!.startsWith('M') ? ['7', 'matched'] : ['', 'unmatched'])])
  const head = [...header!, 'general.connectId', 'match.outcome']
  return csvText([head, ...enriched], { delimiter: ',', lineEnd: '\n', columns: head.length })
}

const LIST = 'id;name\n;\n1;Mott\n; \n"";"  "\n2;Rae\n3;Mott\n;\n'

describe('empty rows', () => {
  it('are counted, named, not sent, and in the output as they are', async () => {
    const { issues, plan, bodies, outcomes, output, files } = await carriedOut(file(LIST), {})
    expect(issues).toMatchObject([{ code: 'FETTLE_INPUT_LINES', severity: 'info', count: 4, rows: [1, 3, 4] }])
    expect(plan).toMatchObject({ rows: 7, skipped: 4, sent: 3, preparation: ['without 4 empty rows'] })
    expect(bodies).toEqual(['id;name\n1;Mott\n2;Rae\n3;Mott\n'])
    expect(output).toBe(
      'id;name;general.connectId;match.outcome\n;;;skipped\n1;Mott;7;matched\n; ;;skipped\n;  ;;skipped\n2;Rae;;unmatched\n3;Mott;7;matched\n;;;skipped\n',
    )
    expect(outcomes).toMatchObject({ matched: 2, unmatched: 1, skipped: 4 })
    expect(files?.map(({ kind, rows }) => [kind, rows])).toEqual([
      ['output', 7],
      ['unmatched', 1],
    ])
  })

  it('are left out of the columns that are judged', async () => {
    const watch = () => [{ index: 1, of: ['profile'] as const }]
    const { cells } = await inspect(options(file('id;name\n;\n1;\n;\n2;Rae\n')), { watch })
    expect(cells[0]?.empty).toMatchObject({ count: 1, rows: [2] })
  })

  it('and headings: not sent, left out of the columns that are judged, and named by their lines', async () => {
    const list = 'id;name\n;# head\n1;Mott\n\n;# head\n"2\n";Rae\n3;# head\n'
    const { plan, bodies, output, outcomes } = await carriedOut(file(list), {})
    expect(plan).toMatchObject({
      ...{ rows: 5, skipped: 3, sent: 2, input: { emptyRows: 3, sections: [1, 3, 5] } },
      preparation: ['without 3 rows (empty, headings or totals)'],
    })
    expect(bodies).toEqual(['id;name\n1;Mott\n"2\n";Rae\n'])
    expect(output).toBe(
      'id;name;general.connectId;match.outcome\n;# head;;skipped\n1;Mott;7;matched\n;# head;;skipped\n"2\n";Rae;;unmatched\n3;# head;;skipped\n',
    )
    expect(outcomes).toMatchObject({ matched: 1, unmatched: 1, skipped: 3 })
    const watch = () => [{ index: 0, of: ['profile'] as const }]
    const asked = { ...options(file(list)), sections: 'skip' } as const
    const { cells, sections } = await inspect(asked, { watch, sections: headReader })
    expect(cells[0]).toMatchObject({ empty: { count: 0, rows: [] }, distinct: { count: 2 } })
    expect([...sections!.lines]).toEqual([
      [1, 2],
      [3, 5],
      [5, 8],
    ])
    expect((await inspect(options(file(list)), { sections: headReader })).facts?.sections).toBeUndefined()
  })

  it('and headings of a list that is written meanwhile are not taken from the new rows', async () => {
    const path = file('id;name\n;# head\n1;Mott\n')
    const sections = (): SectionReader => {
      const reader = headReader()
      return {
        add: row => reader.add(row),
        end() {
          writeFileSync(path, 'id;name\n2;Rae\n3;Unk\n')
          return reader.end()
        },
      }
    }
    const { facts, issues } = await inspect({ ...options(path), sections: 'skip' }, { sections })
    expect({ facts, issues }).toMatchObject({ facts: null, issues: [{ code: 'FETTLE_INPUT_CHANGED', severity: 'error' }] })
  })

  it('alone do not make a list, nor do the rows of a limit that are all empty', async () => {
    const refused = async (content: string, sending: Sending) =>
      (await carriedOut(file(content), sending)).issues.filter(one => one.severity === 'error')
    expect(await refused('id;name\n;\n ;\n', {})).toMatchObject([{ code: 'FETTLE_INPUT_EMPTY' }])
    expect(await refused(LIST, { limit: 1 })).toMatchObject([{ code: 'FETTLE_INPUT_EMPTY' }])
    expect((await carriedOut(file(LIST), { limit: 3 })).plan).toMatchObject({ rows: 3, skipped: 2, sent: 1 })
  })

  it('have one place and one outcome each, however the list is cut and sent', async () => {
    const sending = fc.record({
      split: fc.constantFrom(null, 1, 2, 5),
      collapse: fc.boolean(),
      shards: fc.constantFrom(0, 1, 2, 3),
      limit: fc.constantFrom(null, 4, 9),
    })
    await fc.assert(
      fc.asyncProperty(table, sending, async (rows, how) => {
        const planned = rows.slice(0, how.limit ?? rows.length)
        const filledRows = planned.filter(row => !isSkipped(row))
        const result = await carriedOut(file(written(rows)), how)
        if (result.plan === undefined) {
          expect(filledRows).toEqual([])
          return
        }
        const { plan, bodies, outcomes, output } = result
        expect([plan.rows, plan.skipped ?? 0]).toEqual([planned.length, planned.length - filledRows.length])
        expect(plan.sent).toBe(how.collapse ? new Set(filledRows.map(row => row[1])).size : filledRows.length)
        expect(bodies.flatMap(body => cellsOf(body, ';').slice(1)).some(isSkipped)).toBe(false)
        const [, ...joined] = cellsOf(output, ';')
        expect(joined.map(row => row.slice(0, 2))).toEqual(planned)
        expect(joined.map(row => row.at(-1) === 'skipped')).toEqual(planned.map(isSkipped))
        expect(joined.map(row => row[2])).toEqual(planned.map(([, name]) => (name!.startsWith('M') ? '7' : '')))
        expect([knownSum(outcomes), outcomes.skipped]).toEqual([plan.rows, plan.skipped ?? 0])
      }),
      { numRuns: runs(40, 200) },
    )
  })
})
