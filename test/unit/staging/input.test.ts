/** The kind of an input: resolved from the path of the pipeline, and for a recorded run from its plan. */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { explainPlan, recordedInput } from '../../../src/pipeline/index.ts'
import { prepareValue } from '../../../src/prepare/prepare.ts'
import { NO_OVERRIDES } from '../../../src/prepare/read-pipeline.ts'
import { stdinOf } from '../../../src/staging/staged-input.ts'

const LIST = 'name,country\nHarrow Optics Ltd,GB\nNorth Sea Cables Ltd,GB\n'
const SHA256 = createHash('sha256').update(LIST).digest('hex')

let folder: string
const home = process.cwd()

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fettle-input-'))
  mkdirSync(join(folder, 'stdin'))
  process.chdir(folder)
})
afterEach(() => {
  process.chdir(home)
  rmSync(folder, { recursive: true, force: true })
})

const prepared = (input: string) =>
  prepareValue(
    { name: 'p', input, mappings: { name: 'name', country: 'country' } },
    {
      ...NO_OVERRIDES,
      shard: input === '-' ? null : { number: 1, of: 2 },
      env: { FETTLE_REGISTER: 'sample' },
      cwd: folder,
      runsDir: 'runs',
      stdin: stdinOf({ open: () => Readable.from([Buffer.from(LIST)]), keeps: true }),
    },
  )

test('a local file is a file, also under the name that a copy of standard input would have', async () => {
  for (const name of [`stdin/${'ab'.repeat(32)}.csv`, `stdin/${SHA256}.csv`]) {
    writeFileSync(name, LIST)
    const { plan, input, issues } = await prepared(name)
    expect(issues.filter(one => one.severity !== 'info')).toEqual([])
    expect(input).toMatchObject({ kind: 'file', shown: name, readFrom: name })
    expect(explainPlan(plan!, input!)).toMatch(/path +"stdin/)
  }
})

test('the input of a recorded plan is standard input if its name is its hash', async () => {
  const { plan, input, release } = await prepared('-')
  expect(input).toMatchObject({ kind: 'stdin', shown: 'standard input', path: `runs/stdin/${SHA256}.csv` })
  expect(recordedInput(plan!.input)).toEqual({ kind: 'stdin', shown: 'standard input', readFrom: plan!.input.path })
  expect(recordedInput({ ...plan!.input, sha256: 'ab'.repeat(32) }).kind).toBe('file')
  expect(recordedInput({ ...plan!.input, path: 's3://lists/a.csv' })).toEqual({
    kind: 'object',
    shown: 's3://lists/a.csv',
    readFrom: null,
  })
  release()
})
