/** A Parquet list is matched as the same list in CSV is: the same outcome of every row, whole, in shards and resumed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ByteWriter, parquetWrite } from 'hyparquet-writer'
import { expect, test } from 'vitest'
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
