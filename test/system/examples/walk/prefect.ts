/** Prefect with a server and `serve`: what is killed at which moment of examples/prefect, with one shard. */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../support/free-port.ts'
import { atEnd, ROOT } from '../../cli/fettle.ts'
import { CREDENTIALS } from '../../cli/servers.ts'
import { project, run } from '../kit.ts'
import { pythonWith } from '../python.ts'
import { type Cell, noteProcesses, until } from './cell.ts'
import { PROJECT, replaced } from './copies.ts'
import { ancestorsOf, type Family } from './processes.ts'
import type { Tool } from './walk.ts'

interface FlowRun {
  readonly id: string
  readonly state_type: string
  readonly run_count: number
}

export async function prefect(family: Family): Promise<Tool> {
  const bin = await pythonWith('examples/prefect/requirements.txt')
  const folder = mkdtempSync(join(tmpdir(), 'fettle-prefect-walk-'))
  atEnd(async () => {
    await family.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  const port = await freePort()
  const api = `http://127.0.0.1:${port}/api`
  const [name, value] = family.mark.split('=') as [string, string]
  const { env, cwd } = project({
    ...CREDENTIALS,
    [name]: value,
    PREFECT_HOME: join(folder, 'home'),
    PREFECT_API_URL: api,
    PREFECT_SERVER_ANALYTICS_ENABLED: 'false',
    DO_NOT_TRACK: '1',
  })
  noteProcesses({ cwd, env })
  const work = { cwd: folder, env }
  const log = join(folder, 'walk.log')
  const ask = async (path: string, body?: unknown): Promise<FlowRun> => {
    const json = { 'content-type': 'application/json' }
    const post = body === undefined ? {} : { method: 'POST', headers: json, body: JSON.stringify(body) }
    const answer = await fetch(`${api}${path}`, post)
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as FlowRun
  }
  let server: ChildProcess
  let runner: ChildProcess
  let flows: Map<string, { readonly id: string; readonly byHand: string[] }>
  /** Whether the `serve` that started the flow runs was killed with them, so that nobody will report them as crashed. */
  let isMachineLost = false
  async function startServer(): Promise<void> {
    server = family.start(
      join(bin, 'prefect'),
      ['server', 'start', '--no-ui', '--host', '127.0.0.1', '--port', `${port}`],
      work,
      log,
    )
    const isUp = () =>
      fetch(`${api}/health`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until('the server of Prefect', isUp)
  }
  const startRunner = (): void => {
    runner = family.start(join(bin, 'python'), ['serve_all.py'], work, log)
  }
  return {
    name: 'Prefect',
    lastOf: '^run ',
    start: startServer,
    tick: async cells => {
      isMachineLost = false
      const example = readFileSync(join(ROOT, 'examples/prefect/suppliers.py'), 'utf8')
      for (const { name, work: own } of cells) {
        const text = replaced(example, [PROJECT, JSON.stringify(own.cwd)], ['retry_delay_seconds=300', 'retry_delay_seconds=10'])
        writeFileSync(join(folder, `${name}.py`), text)
      }
      const names = cells.map(({ name }) => name)
      // A schedule as in the README, on one day of a month: Prefect plans at most 100 days ahead.
      const of = 'parameters={"shards": 1}, cron="17 3 28 * *"'
      const deployments = names.map(name => `    ${name}.suppliers.to_deployment(name="${name}", ${of}),\n`)
      const lines = [
        'from prefect import serve',
        ...names.map(name => `import ${name}`),
        `serve(\n${deployments.join('')}    limit=10,\n    query_seconds=2,\n)\n`,
      ]
      writeFileSync(join(folder, 'serve_all.py'), lines.join('\n'))
      startRunner()
      flows = new Map()
      for (const name of names) {
        const deployment = await until(`the deployment ${name}`, () =>
          ask(`/deployments/name/suppliers/${name}`).catch(() => null),
        )
        // Its database answers 503 while it is locked; the key makes it one run.
        const made = await until(`the run of ${name}`, () =>
          ask(`/deployments/${deployment.id}/create_flow_run`, { idempotency_key: name }).catch(() => null),
        )
        flows.set(name, { id: made.id, byHand: [] })
        const planned = {
          deployments: { id: { any_: [deployment.id] } },
          flow_runs: { state: { type: { any_: ['SCHEDULED'] } } },
        }
        await until(`the next run in the schedule of ${name}`, async () => {
          const runs = (await ask('/flow_runs/filter', planned).catch(() => [])) as unknown as readonly FlowRun[]
          return runs.some(({ id }) => id !== made.id)
        })
      }
    },
    taskOf: pid => {
      const all = ancestorsOf(pid)
      return all
        .slice(
          0,
          Math.max(
            0,
            all.findIndex(one => one.pid === runner.pid),
          ),
        )
        .map(one => one.pid)
    },
    schedulers: () => [server.pid!, runner.pid!],
    restart: async isAll => {
      isMachineLost = isAll
      await startServer()
      startRunner()
    },
    endOf: async ({ name }: Cell) => {
      const { id, byHand } = flows.get(name)!
      const { state_type: state } = await ask(`/flow_runs/${id}`)
      if (state === 'COMPLETED') {
        if (byHand.length > 0) return { isGood: true, text: [...new Set(byHand)].join(', ') }
        const of = { flow_runs: { id: { any_: [id] } } }
        const tasks = (await ask('/task_runs/filter', of)) as unknown as readonly FlowRun[]
        return { isGood: true, text: tasks.some(task => task.run_count > 1) ? 'task again' : 'no retry' }
      }
      if (byHand.length > 4) return { isGood: false, text: `${state.toLowerCase()}, ${byHand.join(', ')}` }
      // What a person does, since Prefect does not start such a flow run again: mark it as crashed, and retry it. One whose
      // process alone was killed is marked by `serve`, some seconds later.
      if (state === 'RUNNING' && isMachineLost && !family.has(id)) {
        byHand.push('marked as crashed')
        await ask(`/flow_runs/${id}/set_state`, { state: { type: 'CRASHED', name: 'Crashed' }, force: true })
      } else if (state === 'CRASHED' || state === 'FAILED') {
        byHand.push('retried by hand')
        const { code, stdout, stderr } = await run(join(bin, 'prefect'), ['flow-run', 'retry', id], work)
        if (code !== 0) throw new Error(stdout + stderr)
      }
      return null
    },
    terminate: async ({ name }) => {
      const { code, stdout, stderr } = await run(join(bin, 'prefect'), ['flow-run', 'cancel', flows.get(name)!.id], work)
      if (code !== 0) throw new Error(stdout + stderr)
    },
    isTerminated: async ({ name }) => (await ask(`/flow_runs/${flows.get(name)!.id}`)).state_type === 'CANCELLED',
  }
}
