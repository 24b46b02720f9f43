/** Runs examples/prefect in Prefect with a temporary server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { atEnd, importRegister, ROOT } from '../cli/fettle.ts'
import { outputsOf, outputsOfOneRun, project, run, runKeysOf } from './kit.ts'
import { pythonMissing, pythonWith } from './python.ts'

describe.skipIf(pythonMissing !== null)('Prefect', () => {
  let bin: string
  let home: string
  beforeAll(async () => {
    await importRegister()
    home = mkdtempSync(join(tmpdir(), 'fettle-prefect-'))
    atEnd(() => rmSync(home, { recursive: true, force: true }))
    bin = await pythonWith('examples/prefect/requirements.txt')
  })

  test('runs a task for each shard, merges them, and stores the report as an artifact', async () => {
    const work = project({
      PREFECT_HOME: home,
      PREFECT_SERVER_ANALYTICS_ENABLED: 'false',
      DO_NOT_TRACK: '1',
      PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS: '300',
    })
    const args = [join(ROOT, 'test/system/examples/in_prefect.py'), join(ROOT, 'examples/prefect/suppliers.py')]
    const { code, stdout, stderr } = await run(join(bin, 'python'), args, work)
    expect(code, stderr).toBe(0)
    const told = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
    expect(told.result).toMatchObject({ schema: 'fettle/result/v1', pipeline: 'suppliers', totals: { rows: 5, matched: 3 } })
    // Six tasks, and the only one of a pipeline that is not there: it was not tried again.
    expect(told.states).toEqual([...Array(6).fill('Completed'), 'Failed'])
    expect(told.refused).toMatch(/^exit code 2: .*FETTLE_PIPELINE_READ/)
    expect(told.again).toEqual([true, true, true, true, true, false, false, false])
    expect(told.artifacts.suppliers).toEqual(['markdown', expect.stringContaining('suppliers')])
    // One flow run, one key, in each of its processes.
    expect([...runKeysOf(work)]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)])
    expect(outputsOf(work)).toEqual(await outputsOfOneRun())
  })
})
