/** Files that pyarrow and DuckDB write, in every codec, are read as the text that Python expects of each value. */
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { inspect } from '../../../src/input/table/inspect.ts'
import { readRows } from '../../../src/input/table/records.ts'
import type { InputOptions } from '../../../src/pipeline/model/types.ts'
import { folderOf, ROOT } from '../../system/cli/fettle.ts'
import { run } from '../../system/examples/kit.ts'
import { pythonMissing, pythonWith } from '../../system/examples/python.ts'

interface Written {
  readonly files: readonly string[]
  readonly columns: readonly string[]
  readonly rows: readonly string[][]
}

describe.skipIf(pythonMissing !== null)('files of other writers', () => {
  let cwd: string
  let written: Written
  beforeAll(async () => {
    const bin = await pythonWith('test/unit/input/requirements.txt')
    cwd = folderOf()
    const script = join(ROOT, 'test/unit/input/write_parquet.py')
    const { code, stdout, stderr } = await run(join(bin, 'python'), [script], { cwd, env: { PATH: process.env.PATH ?? '' } })
    expect(code, stderr).toBe(0)
    written = JSON.parse(stdout)
  })

  test('are read cell by cell', async () => {
    expect(written.files).toHaveLength(9)
    for (const file of written.files) {
      const options = { encoding: 'auto', delimiter: 'auto', header: true, quotes: 'strict', sheet: null }
      const path = join(cwd, file)
      const { facts, issues } = await inspect({ ...options, skip: { head: 0, tail: 0 }, path } as InputOptions)
      expect(facts, JSON.stringify(issues)).toMatchObject({ header: written.columns, rows: written.rows.length })
      const rows: string[][] = []
      for await (const row of readRows(facts!)) rows.push(row)
      expect(rows, file).toEqual(written.rows)
    }
  })
})
