/** Dagster with its daemon: what is killed at which moment of examples/dagster. */
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd, ROOT } from '../../cli/fettle.ts'
import { CREDENTIALS } from '../../cli/servers.ts'
import { project, run } from '../kit.ts'
import { pythonWith } from '../python.ts'
import { noteProcesses, type Victim } from './cell.ts'
import { PROJECT, replaced, rowsOf } from './copies.ts'
import { ancestorsOf, type Family } from './processes.ts'
import type { Tool } from './walk.ts'

/** The settings of docs and README, with shorter times. Where no run is lost, a slow machine must not end one. */
const instanceOf = (
  victim: Victim,
): string => `run_monitoring: {enabled: true, max_runtime_seconds: ${victim === 'task' || victim === 'machine' ? 120 : 1200}, poll_interval_seconds: 5}
run_retries: {enabled: true, max_retries: 3}
telemetry: {enabled: false}
`

/** A tick of the daemon: one run, whose retries have the same tag. */
const tickOf = (cell: string): string => `

@dg.sensor(target=dg.AssetSelection.all(), minimum_interval_seconds=5, default_status=dg.DefaultSensorStatus.RUNNING)
def tick(context):
    yield dg.RunRequest(run_key="tick", tags={"cell": "${cell}"})


defs = dg.Definitions(assets=[suppliers], sensors=[tick], resources=defs.resources)
`

export async function dagster(family: Family): Promise<Tool> {
  const bin = await pythonWith('examples/dagster/requirements.txt')
  const folder = mkdtempSync(join(tmpdir(), 'fettle-dagster-walk-'))
  atEnd(async () => {
    await family.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  const home = join(folder, 'home')
  const [name, value] = family.mark.split('=') as [string, string]
  const work = project({ ...CREDENTIALS, [name]: value, DAGSTER_HOME: home, DAGSTER_DISABLE_TELEMETRY: '1' })
  noteProcesses(work)
  let daemon: ChildProcess
  const startDaemon = (): void => {
    daemon = family.start(
      join(bin, 'dagster-daemon'),
      ['run', '-w', join(home, 'workspace.yaml')],
      work,
      join(folder, 'walk.log'),
    )
  }
  const runsOf = async (cell: string) => {
    const sql = `select r.run_id, r.status from runs r join run_tags t on t.run_id = r.run_id where t.key = 'cell' and t.value = '${cell}' order by r.id`
    return (await rowsOf(join(home, 'history/runs.db'), sql)).map(([id, status]) => ({ id: String(id), status: String(status) }))
  }
  return {
    name: 'Dagster',
    lastOf: '^run ',
    start: async () => {},
    tick: async cells => {
      await family.kill()
      rmSync(home, { recursive: true, force: true })
      mkdirSync(home)
      writeFileSync(join(home, 'dagster.yaml'), instanceOf(cells[0]!.victim))
      const example = readFileSync(join(ROOT, 'examples/dagster/suppliers.py'), 'utf8')
      for (const { name, work: own } of cells) {
        const text = replaced(example, [PROJECT, JSON.stringify(own.cwd)], ['seconds_to_wait=300', 'seconds_to_wait=10'])
        writeFileSync(join(home, `${name}.py`), text + tickOf(name))
      }
      const files = cells.map(({ name }) => `  - python_file: {relative_path: ${name}.py, location_name: ${name}}\n`)
      writeFileSync(join(home, 'workspace.yaml'), `load_from:\n${files.join('')}`)
      startDaemon()
    },
    taskOf: pid => {
      // The step and its run: what lies between the shell and the server of the code.
      const all = ancestorsOf(pid)
      const below = all.slice(
        0,
        Math.max(
          0,
          all.findIndex(({ command }) => command.includes(' api grpc ')),
        ),
      )
      return below.filter(({ command }) => !command.startsWith('bash ')).map(one => one.pid)
    },
    schedulers: () => [daemon.pid!],
    restart: async () => startDaemon(),
    endOf: async ({ name }) => {
      const runs = await runsOf(name)
      const isGood = runs.some(({ status }) => status === 'SUCCESS')
      if (!isGood && (runs.length < 4 || runs.some(({ status }) => status !== 'FAILURE'))) return null
      if (runs.length > 1) return { isGood, text: 'run again' }
      const retries = "select count(*) from event_logs where dagster_event_type = 'STEP_RESTARTED'"
      const [[count] = []] = await rowsOf(join(home, `history/runs/${runs[0]?.id}.db`), retries)
      return { isGood, text: Number(count) > 0 ? 'step again' : 'no retry' }
    },
    terminate: async ({ name }) => {
      const [one] = await runsOf(name)
      const program =
        'import sys; from dagster import DagsterInstance\nwith DagsterInstance.get() as i: i.run_coordinator.cancel_run(sys.argv[1])'
      const { code, stderr } = await run(join(bin, 'python'), ['-W', 'ignore', '-c', program, one?.id ?? ''], work)
      if (code !== 0) throw new Error(stderr)
    },
    isTerminated: async ({ name }) => (await runsOf(name)).every(({ status }) => status === 'CANCELED'),
  }
}
