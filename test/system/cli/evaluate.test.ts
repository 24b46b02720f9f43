/** `fettle evaluate`: a list whose right answers are known, against the sample register. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { beforeAll, expect, test } from 'vitest'
import { csvText } from '../../../src/formats/text-formats.ts'
import { fettle, folderOf, lastLine, ROOT } from './fettle.ts'

const LIST = readFileSync(join(ROOT, 'samples/suppliers.csv'), 'utf8')
const FOUND = ['general.connectId', 'match.outcome', 'match.candidateId', 'general.companyNumber']
const PIPELINE = `name: p
service: embedded
register: sample
input: { path: suppliers.csv, key: Supplier No }
mappings: { name: Company Name, orgNumber: Reg No, country: Country }
enrich: { product: basic, tags: [general.connectId, general.companyNumber] }
output: { path: out.csv, columns: ["*", ${FOUND.join(', ')}], unmatched: unmatched.csv, review: review.csv }
`

type Cells = Record<string, string>
let found: Cells[] = []
let cwd = ''

const isFound = (row: Cells): boolean => row['match.outcome'] === 'matched' || row['match.outcome'] === 'duplicate'
const rowsOf = (outcome: string): Cells[] => found.filter(row => row['match.outcome'] === outcome)

beforeAll(async () => {
  cwd = folderOf({ 'suppliers.csv': LIST, 'p.yml': PIPELINE })
  const { code, stderr } = await fettle(['run', 'p.yml', '-q'], { cwd })
  expect(code, stderr).toBe(0)
  found = parse(readFileSync(join(cwd, 'out.csv')), { columns: true, bom: true })
})

/** The list with its answers in the column `Right`: what the run found or proposes, but for some rows. */
function writeList(name: string, others: ReadonlyMap<Cells, string> = new Map()): void {
  const header = Object.keys(found[0]!).filter(column => !FOUND.includes(column))
  const right = (row: Cells): string =>
    isFound(row) ? row['general.connectId']! : rowsOf('review').includes(row) ? row['match.candidateId']! : ''
  const rows = found.map(row => [...header.map(column => row[column]!), others.get(row) ?? right(row)])
  writeFileSync(
    join(cwd, name),
    csvText([[...header, 'Right'], ...rows], { delimiter: ',', lineEnd: '\n', columns: header.length + 1 }),
  )
}

const evaluate = (...args: string[]) => fettle(['evaluate', 'p.yml', '--sample', ...args], { cwd })
const figuresOf = (ended: Awaited<ReturnType<typeof evaluate>>) => {
  expect(ended.code, ended.stderr).toBe(0)
  const line = lastLine(ended)
  expect(line).toMatchObject({ schema: 'fettle/evaluate/v1', ok: true, exitCode: 0, name: 'p' })
  return line.evaluation as Record<string, unknown> & { readonly evidence: readonly { readonly rows: number }[] }
}

test('finds the wrong and missed rows that the answers have, and counts answers that are not in the register', async () => {
  const matched = rowsOf('matched')
  const [wrong, absent, several, numbered, second] = matched as [Cells, Cells, Cells, Cells, Cells]
  const byNumber = matched.find(row => row.Country === 'GB' && /^\d{8}$/.test(row['general.companyNumber']!) && row !== wrong)!
  const [missed, unknown] = rowsOf('unmatched').filter(row => row['match.candidateId'] !== '') as [Cells, Cells]
  writeList(
    'judged.csv',
    new Map([
      [numbered, numbered['general.connectId']!],
      [byNumber, byNumber['general.companyNumber']!],
      [several, `${second['general.connectId']} | ${several['general.connectId']}`],
      [missed, missed['match.candidateId']!],
      [wrong, second['general.connectId']!],
      [absent, ''],
      [unknown, 'ZZ-X-1'],
    ]),
  )
  const result = figuresOf(await evaluate('--input', 'judged.csv', '--truth', 'Right', '--json'))
  const all = found.filter(isFound).length
  const review = rowsOf('review').length
  expect(result).toMatchObject({
    ...{ list: found.length, rows: found.length, inRegister: all + review, truth: 'the column Right' },
    unknown: { rows: 1, first: [{ row: found.indexOf(unknown) + 1, answer: 'ZZ-X-1' }] },
    precision: { found: all - 2, of: all },
    recall: { found: all - 2, of: all + review },
    review: { found: review, of: found.length },
    misses: { wrong: 2, missed: 1, review },
    registers: [{ name: 'sample' }],
  })
  expect(result.evidence.reduce((sum, { rows }) => sum + rows, 0)).toBe(found.length)
  const { stdout } = await evaluate('--input', 'judged.csv', '--truth', '#10')
  expect(stdout).toMatch(/precision {2}99\.5% \(98\.2% to 99\.9%\): \d+ of \d+ matches are right/)
  expect(stdout).toMatch(/review {5}132 per 1,000 rows \(105 to 164\)/)
  expect(stdout).toContain(`unknown    1 answer not in the register: ZZ-X-1 (row ${found.indexOf(unknown) + 1})`)
  expect(stdout).toMatch(/threshold {2}98% of the matches are right from score 0\.\d{3} on: recall/)
  expect(stdout).toMatch(/evidence +rows +matched +wrong +precision +review +not found/)
})

test('takes the answers from an earlier output, without the rows that it did not decide', async () => {
  const result = figuresOf(await evaluate('--input', 'out.csv', '--truth', 'general.connectId', '--json'))
  const all = found.filter(isFound).length
  expect(result).toMatchObject({ list: 500, rows: 500 - rowsOf('review').length, precision: { found: all, of: all, share: 1 } })
  expect(result).toMatchObject({ recall: { share: 1 }, review: { found: 0 }, misses: { wrong: 0, missed: 0, review: 0 } })
})

test('writes the misses as a table that a review applies, and takes its decisions as answers', async () => {
  writeList('right.csv')
  const { stdout } = await evaluate('--input', 'right.csv', '--truth', 'Right', '--misses', 'misses.csv')
  const review = rowsOf('review')
  expect(stdout).toContain(`misses     ${review.length} rows in misses.csv`)
  const table: Cells[] = parse(readFileSync(join(cwd, 'misses.csv')), { columns: true, bom: true })
  const first = table.filter(line => line.key === review[0]!['Supplier No'])
  expect(first[0]).toMatchObject({ miss: 'review', decision: '', company: review[0]!['match.candidateId'] })
  expect(first[0]!.reason).toMatch(/^right answer, /)
  const lines = table.map(line => ({ ...line, decision: line === first[0] ? 'accept' : '' }))
  const columns = Object.keys(table[0]!)
  const rows = lines.map(line => columns.map(column => (line as Cells)[column]!))
  writeFileSync(join(cwd, 'done.csv'), csvText([columns, ...rows], { delimiter: ',', lineEnd: '\n', columns: columns.length }))
  const applied = await fettle(['review', 'p', '--apply', 'done.csv', '--json'], { cwd })
  expect(lastLine(applied).totals, applied.stderr).toMatchObject({ manualMatched: 1, review: review.length - 1 })
  const byDecision = figuresOf(await evaluate('--decisions', 'done.csv', '--json'))
  expect(byDecision).toMatchObject({
    rows: 1,
    inRegister: 1,
    review: { found: 1 },
    recallWithReview: { share: 1 },
    truth: 'done.csv',
  })
  const again = await evaluate('--input', 'right.csv', '--truth', 'Right', '--misses', 'misses.csv')
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('misses.csv exists; refusing to overwrite it')])
})

test('refuses answers that cannot be used, with what to do', async () => {
  writeList('right.csv')
  writeList('none.csv', new Map(found.map(row => [row, ''])))
  writeList('else.csv', new Map(found.map((row, at) => [row, `nobody ${at}`])))
  const refused = async (...args: string[]): Promise<[number, string]> => {
    const { code, stderr, stdout } = await evaluate(...args)
    expect(stdout).toBe('')
    return [code, stderr]
  }
  const right = (file: string): string[] => ['--input', file, '--truth', 'Right']
  expect(await refused('--input', 'right.csv', '--truth', 'Rihgt')).toEqual([
    65,
    expect.stringMatching(/FETTLE_INPUT_HEADER right\.csv:1[\s\S]*did you mean "Right"/),
  ])
  expect(await refused('--input', 'right.csv', '--truth', 'Reg No')).toEqual([
    65,
    expect.stringMatching(/FETTLE_TRUTH right\.csv:1[\s\S]*is mapped as orgNumber/),
  ])
  expect(await refused(...right('none.csv'))).toEqual([
    65,
    expect.stringMatching(/FETTLE_TRUTH[\s\S]*has no answer for a row of none\.csv/),
  ])
  expect(await refused(...right('else.csv'))).toEqual([
    65,
    expect.stringMatching(/FETTLE_TRUTH else\.csv:2\n[\s\S]*none of the answers of \d+ rows is in sample: [\s\S]*\(row 1\)/),
  ])
  expect(await refused()).toEqual([2, expect.stringContaining('has no review.decisions')])
  expect(await refused(...right('right.csv'), '--precision', '3')).toEqual([
    2,
    expect.stringContaining('above .5 and up to .999'),
  ])
  expect(await refused(...right('right.csv'), '--misses', 'misses.txt')).toEqual([2, expect.stringContaining('.csv or .xlsx')])
  expect(await refused(...right('nothing.csv'))).toEqual([65, expect.stringContaining('nothing.csv')])
  expect(await refused(...right('right.csv'), '--decisions', 'done.csv')).toEqual([2, expect.stringContaining('truth')])
})
