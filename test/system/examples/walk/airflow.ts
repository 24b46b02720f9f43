/** Airflow with a scheduler, an API server and LocalExecutor: what is killed at which moment of examples/airflow/dags/suppliers.py. */
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../support/free-port.ts'
import { atEnd, ROOT } from '../../cli/fettle.ts'
import { CREDENTIALS } from '../../cli/servers.ts'
import { type Project, project, run } from '../kit.ts'
import { pythonWith } from '../python.ts'
import { type Cell, noteProcesses, until } from './cell.ts'
import { PROJECT, replaced, rowsOf } from './copies.ts'
import { ancestorsOf, type Family } from './processes.ts'
import type { Tool } from './walk.ts'

const EXAMPLE = join(ROOT, 'examples/airflow/dags')

export async function airflow(family: Family): Promise<Tool> {
  const home = mkdtempSync(join(tmpdir(), 'fettle-airflow-walk-'))
  atEnd(async () => {
    await family.kill()
    rmSync(home, { recursive: true, force: true })
  })
  const dags = join(home, 'dags')
  mkdirSync(dags)
  const bin = await pythonWith('examples/airflow/requirements.txt')
  const port = await freePort()
  const [name, value] = family.mark.split('=') as [string, string]
  const work: Project = project({
    ...CREDENTIALS,
    [name]: value,
    AIRFLOW_HOME: home,
    AIRFLOW__CORE__DAGS_FOLDER: dags,
    AIRFLOW__CORE__LOAD_EXAMPLES: 'False',
    AIRFLOW__USAGE_DATA_COLLECTION__ENABLED: 'False',
    AIRFLOW__CORE__EXECUTOR: 'LocalExecutor',
    AIRFLOW__CORE__PARALLELISM: '5',
    AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION: 'False',
    AIRFLOW__CORE__EXECUTION_API_SERVER_URL: `http://127.0.0.1:${port}/execution/`,
    AIRFLOW__API__BASE_URL: `http://127.0.0.1:${port}`,
    AIRFLOW__API__WORKERS: '1',
    AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS: 'True',
    AIRFLOW__API_AUTH__JWT_SECRET: 'walk'.repeat(16),
    AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL: '3',
    AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD: '15',
    AIRFLOW__SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL: '5',
    AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT: '20',
    AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL: '5',
  })
  noteProcesses(work)
  const log = join(home, 'walk.log')
  const start = (...args: string[]): ChildProcess => family.start(join(bin, 'airflow'), args, work, log)
  let scheduler: ChildProcess
  const startScheduler = (): void => {
    scheduler = start('scheduler', '--skip-serve-logs')
  }
  async function startAll(): Promise<void> {
    start('api-server', '--host', '127.0.0.1', '--port', `${port}`)
    const isUp = () =>
      fetch(`http://127.0.0.1:${port}/api/v2/version`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until('the API server of Airflow', isUp)
    start('dag-processor')
    startScheduler()
  }
  const query = (sql: string) => rowsOf(join(home, 'airflow.db'), sql)
  const dagOf = ({ name }: Cell): string => `fettle_suppliers_${name}`
  return {
    name: 'Airflow',
    lastOf: '^collect ',
    start: async () => {
      const { code, stdout, stderr } = await run(join(bin, 'airflow'), ['db', 'migrate'], work)
      if (code !== 0) throw new Error(stdout + stderr)
      await startAll()
    },
    tick: async cells => {
      for (const { name, work: own } of cells) {
        const operator = readFileSync(join(EXAMPLE, 'fettle_operator.py'), 'utf8')
        writeFileSync(join(dags, `fettle_operator_${name}.py`), replaced(operator, [PROJECT, JSON.stringify(own.cwd)]))
        // The same DAG under another name, once and at once, with pauses of seconds.
        const changes = [
          ['from fettle_operator import', `from fettle_operator_${name} import`],
          ['"fettle_suppliers"', `"fettle_suppliers_${name}"`],
          ['schedule="17 3 * * *"', 'schedule="@once"'],
          ['timedelta(minutes=5)', 'timedelta(seconds=10)'],
          ['poke_interval=60', 'poke_interval=2'],
        ] as const
        const text = replaced(readFileSync(join(EXAMPLE, 'suppliers.py'), 'utf8'), ...changes)
        writeFileSync(join(dags, `suppliers_${name}.py`), text)
      }
    },
    taskOf: pid => {
      // Its task runner and the supervisor of that: what lies between the shell and the scheduler.
      const all = ancestorsOf(pid)
      const below = all.slice(
        0,
        Math.max(
          0,
          all.findIndex(one => one.pid === scheduler.pid),
        ),
      )
      return below.filter(({ command }) => !command.startsWith('/usr/bin/bash')).map(one => one.pid)
    },
    schedulers: () => [scheduler.pid!],
    restart: async isAll => {
      if (isAll) await startAll()
      else startScheduler()
    },
    endOf: async cell => {
      const [[state] = []] = await query(`select state from dag_run where dag_id = '${dagOf(cell)}'`)
      if (state !== 'success' && state !== 'failed') return null
      const tasks = await query(
        `select task_id, try_number, state from task_instance where dag_id = '${dagOf(cell)}' order by task_id`,
      )
      // Poked every two seconds, a sensor may get another try without a kill: when Airflow hears of one poke after it queued the next.
      const isKilled = (task: unknown) => task !== 'wait' || (cell.moment === 'matching' && cell.victim !== 'fettle')
      const again = tasks.filter(([task, tries]) => isKilled(task) && Number(tries) > 1).map(([task]) => `\`${task}\` again`)
      return { isGood: state === 'success', text: again.length === 0 ? 'no retry' : again.join(', ') }
    },
    terminate: async cell => {
      const { access_token: token } = (await (await fetch(`http://127.0.0.1:${port}/auth/token`)).json()) as {
        access_token: string
      }
      const [[run] = []] = await query(`select run_id from dag_run where dag_id = '${dagOf(cell)}'`)
      const path = `/api/v2/dags/${dagOf(cell)}/dagRuns/${encodeURIComponent(String(run))}`
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ state: 'failed' })
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'PATCH', headers, body })
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    },
    isTerminated: async cell =>
      (await query(`select state from dag_run where dag_id = '${dagOf(cell)}'`)).some(([state]) => state === 'failed'),
  }
}
