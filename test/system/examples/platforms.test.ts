/**
 * Runs the commands of the examples for GitHub, GitLab, Kubernetes and Argo as those platforms do: each produces the bytes of
 * one run. Those of Kubernetes start the program, several at once; the others have their commands carried out in this process, and
 * start it too in the deep project (test/support/runs.ts).
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { workflowFor } from '../../../src/cli/commands/init/workflows.ts'
import { EXIT } from '../../../src/errors.ts'
import { runs } from '../../support/runs.ts'
import { type Ended, importRegister, lastLine, ROOT } from '../cli/fettle.ts'
import { example, outputsOf, outputsOfOneRun, type Project, project, projectHere, run, shell } from './kit.ts'
import { actionAfter, runPod } from './kubernetes.ts'

/** Of a process that SIGKILL ended, such as one without memory. */
const KILLED = 137

let wanted: string[]
beforeAll(async () => {
  await importRegister()
  wanted = await outputsOfOneRun()
}, 240_000)

const open = async (env?: Readonly<Record<string, string>>): Promise<Project> => [projectHere, project][runs(0, 1)]!(env)

const good = async (ended: Promise<Ended>): Promise<Ended> => {
  const { code, stdout, stderr } = await ended
  expect(code, stderr).toBe(0)
  return { code, stdout, stderr }
}

test.each([
  ['github', 'github/nightly.yml'],
  ['gitlab', 'gitlab/nightly.gitlab-ci.yml'],
] as const)('%s/nightly is what fettle init writes', (platform, file) => {
  const { text } = workflowFor(platform, { name: 'suppliers', pipeline: 'pipelines/suppliers.yml', hasOwn: false })
  expect(readFileSync(join(ROOT, 'examples', file), 'utf8')).toBe(text)
})

describe.concurrent('on several machines', () => {
  interface Step {
    readonly id?: string
    readonly run?: string
    readonly uses?: string
    readonly with?: Readonly<Record<string, unknown>>
    readonly env?: Readonly<Record<string, string>>
  }
  /** What a job of GitHub runs; packages are there already. */
  const commandsOf = (steps: readonly Step[]): Step[] => steps.filter(step => step.run !== undefined && step.run !== 'npm ci')

  test('GitHub: each job in a separate workspace, runs passed as artifacts', async () => {
    const { plan, shard, merge } = example('github/shards.yml').jobs
    const planning = await open({ GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: 'outputs.txt' })
    for (const step of commandsOf(plan.steps)) await good(shell(step.run!, planning))
    const [, list = ''] = /^shards=(.*)$/m.exec(readFileSync(join(planning.cwd, 'outputs.txt'), 'utf8')) ?? []
    expect(plan.outputs.shards).toBe('${{ steps.plan.outputs.shards }}')
    expect(shard.strategy.matrix.shard).toBe('${{ fromJSON(needs.plan.outputs.shards) }}')
    const merging = await open({ GITHUB_ACTIONS: 'true' })
    const { path } = merge.steps.find((step: Step) => step.uses?.startsWith('actions/download-artifact')).with
    for (const [index, text] of (JSON.parse(list) as string[]).entries()) {
      const [step, ...more] = commandsOf(shard.steps)
      expect(more).toEqual([])
      expect(step!.env).toEqual({ SHARD: '${{ matrix.shard }}' })
      const one = await open({ GITHUB_ACTIONS: 'true', SHARD: text })
      await good(shell(step!.run!, one))
      const kept = shard.steps.find((other: Step) => other.uses?.startsWith('actions/upload-artifact')).with.path
      cpSync(join(one.cwd, kept), join(merging.cwd, path, `shard-${index}`), { recursive: true })
    }
    expect(JSON.parse(list)).toHaveLength(4)
    for (const step of commandsOf(merge.steps)) await good(shell(step.run!, merging))
    expect(outputsOf(merging)).toEqual(wanted)
  })

  test('GitLab: jobs numbered by the platform, results collected from artifacts', async () => {
    const { shard, merge, '.fettle': base } = example('gitlab/shards.gitlab-ci.yml')
    expect(base.before_script).toEqual(['npm ci'])
    const merging = await open({ GITLAB_CI: 'true' })
    for (let node = 1; node <= shard.parallel; node++) {
      const one = await open({ GITLAB_CI: 'true', CI_NODE_INDEX: `${node}`, CI_NODE_TOTAL: `${shard.parallel}` })
      await good(shell(shard.script.join('\n'), one))
      for (const path of shard.artifacts.paths) cpSync(join(one.cwd, path), join(merging.cwd, path), { recursive: true })
    }
    await good(shell(merge.script.join('\n'), merging))
    expect(outputsOf(merging)).toEqual(wanted)
    const { junit, metrics } = merge.artifacts.reports
    for (const pattern of [junit, metrics]) await good(shell(`ls ${pattern}`, merging))
  })

  test('Kubernetes: one index a pod; another pod of a Job reports its run again, the next Job starts a new run', async () => {
    const work = project()
    const { completions, template } = example('kubernetes/shards.yml').spec
    const [container] = template.spec.containers
    const pod = (index: number, uid: string): Promise<Ended> => good(runPod(work, container, uid, index))
    const [first] = await Promise.all(Array.from({ length: completions }, (_, index) => pod(index, 'one')))
    expect(lastLine(await pod(0, 'one'))).toEqual(lastLine(first!))
    expect(lastLine(await pod(0, 'two')).runId).not.toBe(lastLine(first!).runId)
    const [merging] = example('kubernetes/merge.yml').spec.template.spec.containers
    const merged = await good(runPod(work, merging, 'three'))
    expect(lastLine(merged)).toMatchObject({ totals: { rows: 5 } })
    expect(outputsOf(work)).toEqual(wanted)
  })

  test('Argo: a pod for each shard that plan prints, and the report as an artifact', async () => {
    const work = await open()
    const { arguments: given, templates } = example('argo/suppliers.yml').spec
    const named = (name: string) => templates.find((one: { name: string }) => one.name === name)
    const [plan, shard, merge] = named('suppliers').dag.tasks
    const values = new Map<string, string>(
      given.parameters.map(({ name, value }: { name: string; value: string }) => [`workflow.parameters.${name}`, value]),
    )
    const filled = (text: string, more: Readonly<Record<string, string>> = {}): string =>
      text.replace(/\{\{(.+?)\}\}/g, (_, name: string) => more[name] ?? values.get(name) ?? expect.fail(`nothing for ${name}`))
    const task = (one: { arguments: { parameters: { value: string }[] }; template: string }, item = '') => {
      const command = filled(one.arguments.parameters[0]!.value, { item })
      return good(run('sh', ['-c', filled(named(one.template).script.source, { 'inputs.parameters.command': command })], work))
    }
    values.set('tasks.plan.outputs.result', (await task(plan)).stdout.trim())
    const shards: string[] = JSON.parse(filled(shard.withParam))
    expect(shards).toHaveLength(4)
    for (const item of shards) await task(shard, item)
    const own = join(work.cwd, 'told')
    mkdirSync(own)
    await good(run('sh', ['-c', named(merge.template).script.source.replaceAll('/told/', `${own}/`)], work))
    expect(outputsOf(work)).toEqual(wanted)
    const { outputs } = named(merge.template)
    const { path: result } = outputs.parameters[0].valueFrom
    expect(JSON.parse(readFileSync(result.replace('/told', own), 'utf8'))).toMatchObject({ status: 'warn', exitCode: 0 })
    expect(readdirSync(outputs.artifacts[0].path.replace('/told', own))).toContain('report.html')
  })
})

describe('exit codes that restart a pod', () => {
  const again: readonly number[] = [EXIT.retryable, EXIT.sigint, KILLED, EXIT.sigterm]
  const codes = [...Object.values(EXIT).filter(code => code !== EXIT.ok), KILLED]

  test.each(codes.map(code => [code] as const))('exit code %i', code => {
    const shards = actionAfter(example('kubernetes/shards.yml').spec.podFailurePolicy.rules, code)
    const merge = actionAfter(example('kubernetes/merge.yml').spec.podFailurePolicy.rules, code)
    const whole: readonly number[] = [EXIT.usage, EXIT.input, EXIT.bug, EXIT.denied]
    expect(shards).toBe(again.includes(code) ? 'Count' : whole.includes(code) ? 'FailJob' : 'FailIndex')
    expect(merge).toBe(again.includes(code) ? 'Count' : 'FailJob')
    for (const { retryStrategy } of example('argo/suppliers.yml').spec.templates.slice(1))
      expect(retryStrategy.expression).toBe(`asInt(lastRetry.exitCode) in [${[-1, ...again].join(', ')}]`)
    for (const job of [example('gitlab/shards.gitlab-ci.yml').shard, example('gitlab/nightly.gitlab-ci.yml')['fettle-suppliers']])
      expect(job.retry.exit_codes).toEqual(again)
  })
})

test('no workflow restores the runs of another workflow', () => {
  const caches = (file: string): { key: string; 'restore-keys'?: string }[] =>
    Object.values(example(`github/${file}`).jobs as Record<string, { steps: { uses?: string; with: never }[] }>)
      .flatMap(({ steps }) => steps)
      .filter(({ uses }) => uses?.startsWith('actions/cache'))
      .map(step => step.with)
  for (const [one, other] of [
    ['nightly.yml', 'shards.yml'],
    ['shards.yml', 'nightly.yml'],
  ] as const)
    for (const { 'restore-keys': wanted } of caches(one).filter(cache => cache['restore-keys'] !== undefined))
      for (const { key } of caches(other)) expect(key.startsWith((wanted as string).trim())).toBe(false)
})

test('every folder has the command that repeats its test', () => {
  for (const name of readdirSync(join(ROOT, 'examples')).filter(one => !one.includes('.')))
    expect(existsSync(join(ROOT, 'examples', name, 'README.md')), name).toBe(true)
})
