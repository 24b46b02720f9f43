/** The journal of a run over many rows: ids and counts, and no cell of the list. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { run } from '../../../src/index.ts'

test('has at most 30 kB for 500 rows, and no cell', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-journal-rows-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const company = (at: number): string => (at % 2 === 0 ? 'Harrow Optics Ltd' : `Zzyzx${at} Quux Ltd`)
  const rows = Array.from({ length: 500 }, (_, at) => `KEY-${at},${company(at)},Xanadu${at},GB`)
  writeFileSync(join(folder, 'in.csv'), ['id,name,town,country', ...rows, 'KEY-0,Zzyzx Ltd,Xanadu,GB', ''].join('\n'))
  const pipeline = {
    name: 'many',
    input: { path: 'in.csv', key: 'id' },
    mappings: { name: 'name', country: 'country' },
    output: 'out.csv',
    poll: { every: '500ms' },
  }
  const options = {
    cwd: folder,
    env: { FETTLE_DATA: join(folder, 'data'), FETTLE_REGISTER: 'sample' },
    refresh: { keys: ['KEY-7'] },
  }
  const { metadata } = await run(pipeline, options)
  const [journal = '', contents] = ['journal.jsonl', 'journal-rows.jsonl'].map(name =>
    readFileSync(join(metadata.directory!, name), 'utf8'),
  )
  for (const kept of ['"samples"', '"plan.profile"', '"args.refresh-key"', '"plan.issues"'])
    expect(contents?.includes(kept), kept).toBe(true)
  expect(journal.match(/KEY-\d|Zzyzx|Quux|Xanadu|Harrow/)).toBeNull()
  expect(journal.length).toBeLessThanOrEqual(30_000)
})
