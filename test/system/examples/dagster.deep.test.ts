/** Runs examples/dagster in Dagster; everything it records about the assets comes from the reporter. */

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { follow, importRegister, pipelineOf, ROOT, ROWS } from '../cli/fettle.ts'
import { CREDENTIALS, scripted } from '../cli/servers.ts'
import { type Project, project, run, runKeysOf } from './kit.ts'
import { pythonMissing, pythonWith } from './python.ts'
import { replaced } from './walk/copies.ts'

const EXAMPLE = join(ROOT, 'examples/dagster/suppliers.py')

describe.skipIf(pythonMissing !== null)('Dagster', () => {
  let bin: string
  beforeAll(async () => {
    await importRegister()
    bin = await pythonWith('examples/dagster/requirements.txt')
  })

  const materialise = async (work: Project, example = EXAMPLE) => {
    const args = ['-W', 'ignore', join(ROOT, 'test/system/examples/in_dagster.py'), example]
    const { stdout, stderr } = await run(join(bin, 'python'), args, work)
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) || expect.fail(stderr))
  }
  const settings = { DAGSTER_DISABLE_TELEMETRY: '1' }
  const write = ({ cwd }: Project, more: string): void =>
    writeFileSync(join(cwd, 'pipelines/suppliers.yml'), pipelineOf('suppliers', more))

  test('receives counts, digests and checks, including failed ones, and no row', async () => {
    const work = project(settings)
    const outputs = 'output: {path: out/suppliers.csv, unmatched: out/un.csv, review: out/re.csv}'
    write(work, `${outputs}\nchecks: {matched: {warn: "< 90%"}, duplicates: {fail: "> 10%"}, failed: {fail: "> 0"}}`)
    const told = await materialise(work)
    expect([...runKeysOf(work)]).toEqual([told.run])
    expect(told.success, told.log.join('\n')).toBe(true)
    expect(told.assets).toMatchObject({
      suppliers: { rows: 5, matched: 3, duplicates: 1, unmatched: 1, match_rate: 0.8, status: 'fail', 'dagster/row_count': 5 },
      suppliers_unmatched: { 'dagster/row_count': 1 },
      suppliers_review: { 'dagster/row_count': 0 },
    })
    const digest = createHash('sha256')
      .update(readFileSync(join(work.cwd, 'out/suppliers.rejected.csv')))
      .digest('hex')
    expect(told.versions.suppliers).toBe(digest)
    expect(told.checks).toEqual({
      matched: [false, 'WARN', '4 of 5 (80.0%)'],
      duplicates: [false, 'ERROR', '1 of 5 (20.0%)'],
      failed: [true, 'ERROR', '0 of 5 (0.0%)'],
    })
    expect(told.log).toContain('suppliers: matching started')
    for (const row of ROWS.split('\n').slice(1, 6)) expect(JSON.stringify(told)).not.toContain(row.split(',')[0])
  })

  test('a run that Dagster terminates stops fettle, which sends nothing after it', async () => {
    const service = await scripted('matching')
    const { cwd, env } = project({ ...settings, ...CREDENTIALS, FETTLE_URL: service.url })
    const python = `import importlib.util as i, sys; s = i.spec_from_file_location("s", sys.argv[1]); m = i.module_from_spec(s); s.loader.exec_module(m); print(m.RUN)`
    const shell = await run(join(bin, 'python'), ['-W', 'ignore', '-c', python, EXAMPLE], { cwd, env })
    const under = follow(spawn('bash', ['-c', shell.stdout], { cwd, env }))
    await service.asked('POST /dataCleaning/jobs/job-1/submit')
    // As Dagster does: to the shell alone.
    under.child.kill('SIGINT')
    const { code, stdout } = await under.ended
    expect(code, stdout).toBe(143)
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1)!)).toMatchObject({ status: 'cancelled', exitCode: 143 })
  })

  // 137: `-9`, as Python names it, is the kill of the whole step (test/system/examples/walk).
  test.each([
    ...[75, 130, 137, 143].map(code => ({ code, ended: { success: true, retries: 1 } })),
    { code: 1, ended: { success: true, retries: 0 } },
    ...[2, 65, 70, 73, 76, 77, 127].map(code => ({ code, ended: { success: false, retries: 0 } })),
  ])('fettle ends with $code once: success $ended.success, retries $ended.retries', async ({ code, ended }) => {
    const work = project(settings)
    write(work, 'output: out/suppliers.csv')
    const end = code === 137 ? 'kill -9 $$' : `exit ${code}`
    const script = `#!/bin/sh\n[ -e ended ] && exit 0\ntouch ended\n${end}\n`
    writeFileSync(join(work.cwd, 'node_modules/.bin/fettle'), script)
    const example = join(work.cwd, 'suppliers.py')
    writeFileSync(example, replaced(readFileSync(EXAMPLE, 'utf8'), ['seconds_to_wait=300', 'seconds_to_wait=0']))
    const told = await materialise(work, example)
    expect(told).toMatchObject(ended)
    if (!ended.success) expect(told.failures).toEqual([expect.stringMatching(new RegExp(`code ${code}$`))])
  })

  test('receives the reason for a missing asset, and does not retry', async () => {
    const work = project(settings)
    write(work, 'chekcs: {}')
    const told = await materialise(work)
    expect(told).toMatchObject({ success: false, assets: {}, checks: {}, retries: 0 })
    expect(told.exceptions.join('\n')).toContain('chekcs')
  })
})
