/** A Parquet list is matched as the same list in CSV is: the same outcome of every row, whole, in shards and resumed. A Parquet output keeps its types. */
import { readFileSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { ByteWriter, parquetWrite } from 'hyparquet-writer'
import { expect, test } from 'vitest'
import { openParquet } from '../../../src/input/parquet/read-parquet.ts'
import { fettle, folderOf } from './fettle.ts'

const ROWS = Array.from({ length: 40 }, (_, at) => ({
  id: `${at + 1}`.padStart(4, '0'),
  name: at % 3 === 0 ? 'Harrow Optics Ltd' : `Unlisted Works ${at} Ltd`,
  country: 'GB',
}))

function project(): string {
  const cwd = folderOf({
    'rows.csv': ['id,name,country', ...ROWS.map(row => Object.values(row).join(','))].join('\n'),
    'p.yml':
      'name: list\nvars: {list: rows.csv}\ninput: ${vars.list}\nregister: sample\nmappings: {name: name, country: country}\noutput: out/${vars.list}.csv\n',
  })
  const writer = new ByteWriter()
  const data = (['id', 'name', 'country'] as const).map(name => ({
    name,
    data: ROWS.map(row => row[name]),
    type: 'STRING' as const,
  }))
  parquetWrite({ writer, columnData: data, rowGroupSize: 7 })
  writeFileSync(join(cwd, 'rows.parquet'), writer.getBytes())
  return cwd
}

test('run and shards give the bytes of the CSV', async () => {
  const cwd = project()
  for (const list of ['rows.csv', 'rows.parquet']) {
    const { code, stderr } = await fettle(['run', 'p.yml', '--var', `list=${list}`, '-q'], { cwd })
    expect(code, stderr).toBe(0)
  }
  const wanted = readFileSync(join(cwd, 'out/rows.csv.csv'), 'utf8')
  expect(wanted.split('\n')).toHaveLength(42)
  expect(readFileSync(join(cwd, 'out/rows.parquet.csv'), 'utf8')).toBe(wanted)
  const other = project()
  const args = ['p.yml', '--var', 'list=rows.parquet']
  for (const shard of ['1/2', '2/2'])
    expect(await fettle(['run', ...args, '--shard', shard, '-q'], { cwd: other })).toMatchObject({ code: 0 })
  const merged = await fettle(['merge', 'list', '-q'], { cwd: other })
  expect(merged.code, merged.stderr).toBe(0)
  expect(readFileSync(join(other, 'out/rows.parquet.csv'), 'utf8')).toBe(wanted)
})

test('clean and check name the types', async () => {
  const cwd = project()
  const cleaned = await fettle(['clean', 'rows.parquet', '--sample', '-q'], { cwd })
  expect(cleaned.code, cleaned.stderr).toBe(0)
  const { stdout } = await fettle(['check', 'p.yml', '--var', 'list=rows.parquet', '--explain'], { cwd })
  expect(stdout).toContain('of parquet')
  expect(stdout).toContain('the rows of Parquet as text')
})

const TYPED = [
  { name: 'root', num_children: 4 },
  { name: 'id', type: 'INT64', repetition_type: 'REQUIRED' },
  { name: 'name', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
  { name: 'credit', type: 'INT64', converted_type: 'DECIMAL', precision: 12, scale: 2, repetition_type: 'OPTIONAL' },
  {
    ...{ name: 'changed', type: 'INT64', repetition_type: 'OPTIONAL' },
    logical_type: { type: 'TIMESTAMP', unit: 'MICROS', isAdjustedToUTC: true },
  },
]

test('an output has the types of the list and of our columns', async () => {
  const cwd = folderOf({
    'p.yml': `name: typed
input: rows.parquet
register: sample
mappings: { name: name, orgNumber: id, country: { value: GB } }
output:
  path: out/all.parquet
  review: out/review.parquet
  unmatched: out/unmatched.jsonl
  columns: ["*", match.outcome, match.score, general.rowNumber, general.duplicate, general.incorporationDate]
enrich: { product: basicPlus, tags: [general.incorporationDate, general.rowNumber, general.duplicate] }
`,
  })
  const writer = new ByteWriter()
  const data = {
    id: [11_076_475n, 2n, 11_076_475n],
    name: ['Varnix Steel Ltd', 'Unlisted Works Ltd', 'Varnix Steel Ltd'],
    credit: [1250n, null, -5n],
    changed: [1_769_847_300_250_000n, null, 0n],
  }
  const columnData = Object.entries(data).map(([name, data]) => ({ name, data }))
  parquetWrite({ writer, columnData, schema: TYPED as never })
  writeFileSync(join(cwd, 'rows.parquet'), writer.getBytes())
  const { code, stderr } = await fettle(['run', 'p.yml', '-q'], { cwd })
  expect(code, stderr).toBe(0)
  const handle = await open(join(cwd, 'out/all.parquet'))
  const table = await openParquet(handle, 'all.parquet')
  expect(table.types).toEqual([
    ...['int64', 'string', 'decimal(12,2)', 'timestamp(us,utc)'],
    ...['string', 'double', 'int64', 'boolean', 'date'],
  ])
  let lines: string[] = []
  for await (const piece of table.text()) lines = [...lines, ...piece.toString().split('\n').filter(Boolean)]
  await handle.close()
  expect(lines[1]).toMatch(/^11076475,Varnix Steel Ltd,12\.50,2026-01-31T08:15:00\.250Z,matched,[01](?:\.\d+)?,1,false,/)
  expect(JSON.parse(readFileSync(join(cwd, 'out/unmatched.jsonl'), 'utf8'))).toMatchObject({ id: 2, credit: null, changed: null })
  expect(lines[2]).toMatch(/^2,Unlisted Works Ltd,,,unmatched,/)
  expect(lines[3]).toMatch(/^11076475,Varnix Steel Ltd,-0\.05,1970-01-01T00:00:00Z,duplicate,.*,3,true,/)
})
