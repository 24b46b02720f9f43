/** Runs examples/airflow in Airflow against a service that counts its requests. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { atEnd, fettle, ROOT } from '../cli/fettle.ts'
import { CREDENTIALS, realService, scripted } from '../cli/servers.ts'
import { outputsOf, outputsOfOneRun, type Project, project, run, runKeysOf } from './kit.ts'
import { pythonMissing, pythonWith } from './python.ts'

const DAGS = join(ROOT, 'examples/airflow/dags')

describe.skipIf(pythonMissing !== null)('Airflow', () => {
  let bin: string
  let service: Awaited<ReturnType<typeof realService>>
  let home: string
  const settings = (url: string) => ({
    ...CREDENTIALS,
    FETTLE_URL: url,
    AIRFLOW_HOME: home,
    AIRFLOW__CORE__DAGS_FOLDER: DAGS,
    AIRFLOW__CORE__LOAD_EXAMPLES: 'False',
    AIRFLOW__USAGE_DATA_COLLECTION__ENABLED: 'False',
  })
  const airflow = (args: readonly string[], where: Project) => run(join(bin, 'airflow'), args, where)
  const jobs = (): number =>
    service.requests.filter(({ method, route }) => method === 'POST' && route === '/v1/dataCleaning/jobs').length

  beforeAll(async () => {
    // Its log and its keys are its own affair: not among the files that are searched for secrets.
    home = mkdtempSync(join(tmpdir(), 'fettle-airflow-'))
    atEnd(() => rmSync(home, { recursive: true, force: true }))
    bin = await pythonWith('examples/airflow/requirements.txt')
    service = await realService()
    expect((await airflow(['db', 'migrate'], project(settings(service.url)))).code).toBe(0)
  })

  test('submits, polls and collects: one job, the bytes of one run, the last line as value', async () => {
    const work = project(settings(service.url))
    const { code, stdout, stderr } = await airflow(['dags', 'test', 'fettle_suppliers'], work)
    const said = stdout + stderr
    expect(code, said).toBe(0)
    expect(said).toMatch(/DagRun Finished: .*state=success/)
    expect(said).toMatch(/Returned value was: \w+: \d of 5 matched/)
    expect(jobs()).toBe(1)
    expect([...runKeysOf(work)]).toEqual([expect.stringMatching(/^fettle_suppliers\/manual__.*\/submit$/)])
    expect(outputsOf(work)).toEqual(await outputsOfOneRun(settings(service.url)))
  })

  test('maps a task over the shards of plan: one job each, the bytes of one run', async () => {
    const work = project(settings(service.url))
    const before = jobs()
    const { code, stdout, stderr } = await airflow(['dags', 'test', 'fettle_suppliers_shards'], work)
    const said = stdout + stderr
    expect(code, said).toBe(0)
    expect(said).toMatch(/DagRun Finished: .*state=success/)
    expect(new Set([...said.matchAll(/end task task_id=shard map_index=(\d)/g)].map(([, index]) => index)).size).toBe(4)
    expect(jobs() - before).toBe(4)
    expect(outputsOf(work)).toEqual(await outputsOfOneRun(settings(service.url)))
  })

  test('the sensor waits on 75 and fails on 76; the pod writes its result for the side-car after every outcome', async () => {
    const statuses = { now: 'matching' }
    const slow = await scripted(() => statuses.now)
    const work = project(settings(slow.url))
    expect((await fettle(['run', 'pipelines/suppliers.yml', '--detach', '-q'], work)).code).toBe(0)
    const ask = async () => {
      const { stdout, stderr } = await run(join(bin, 'python'), [join(ROOT, 'test/system/examples/in_airflow.py'), DAGS], work)
      return JSON.parse(stdout.trimEnd().split('\n').at(-1) || expect.fail(stderr))
    }
    const waiting = await ask()
    expect(waiting).toMatchObject({
      errors: {},
      dags: ['fettle_suppliers', 'fettle_suppliers_pod', 'fettle_suppliers_shards'],
      look: false,
      // What is no AirflowFailException is tried again.
      codes: {
        ...Object.fromEntries([75, 130, 137, 143, -9].map(code => [code, 'AirflowException'])),
        99: 'AirflowSkipException',
        ...Object.fromEntries([1, 2, 76].map(code => [code, 'AirflowFailException'])),
      },
      pods: {
        ...Object.fromEntries([1, 2, 65, 76].map(code => [code, 'AirflowFailException'])),
        ...Object.fromEntries([75, 130, 137, 143].map(code => [code, 'AirflowException'])),
        99: 'AirflowSkipException',
      },
      place: ['/work', '/airflow/xcom', '/work'],
    })
    statuses.now = 'matchingError'
    expect((await ask()).look).toContain('return code 76')

    const [command, ...args] = waiting.pod as [string, ...string[]]
    expect(args).toContain('/airflow/xcom/return.json')
    const one = project()
    const told = async (): Promise<unknown> => {
      await run(
        command,
        args.map(arg => (arg.startsWith('/airflow/') ? 'return.json' : arg)),
        one,
      )
      return JSON.parse(readFileSync(join(one.cwd, 'return.json'), 'utf8'))
    }
    expect(await told()).toMatchObject({ exitCode: 0, totals: { rows: 5 } })
    writeFileSync(join(one.cwd, 'pipelines/suppliers.yml'), 'nmae: suppliers\n')
    expect(await told()).toMatchObject({ exitCode: 2, error: { code: expect.stringMatching(/^FETTLE_/) } })
  })
})
