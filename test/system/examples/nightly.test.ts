/**
 * The nightly workflows that `fettle init` writes, each job on a fresh machine that has only what the caches of the platform hold. The
 * service counts the jobs.
 */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderOf } from '../cli/fettle.ts'
import { CREDENTIALS, realService } from '../cli/servers.ts'
import { example, outputsOf, type Project, projectHere, shell } from './kit.ts'

interface Saved {
  readonly key: string
  readonly paths: string
  readonly folder: string
}

/** A cache as GitHub and GitLab have it: found by its key, else the newest one that begins with another; of the same paths only. */
class Caches {
  readonly #saved: Saved[] = []

  restore(key: string, paths: readonly string[], prefixes: readonly string[], { cwd }: Project): void {
    const fitting = this.#saved.filter(one => one.paths === paths.join('\n')).toReversed()
    const found = [key, ...prefixes].map((text, at) =>
      fitting.find(one => (at === 0 ? one.key === text : one.key.startsWith(text))),
    )
    const one = found.find(cache => cache !== undefined)
    if (one !== undefined) cpSync(one.folder, cwd, { recursive: true })
  }

  save(key: string, paths: readonly string[], { cwd }: Project): void {
    const there = paths.filter(path => existsSync(join(cwd, path)))
    if (there.length === 0) return
    const folder = folderOf()
    for (const path of there) cpSync(join(cwd, path), join(folder, path), { recursive: true })
    this.#saved.push({ key, paths: paths.join('\n'), folder })
  }
}

interface Job {
  /** The run of the workflow, and how often its job was started. */
  readonly run: number
  readonly attempt: number
  /** Rows taken out of the list. */
  readonly without?: string
}

interface Ended {
  readonly code: number
  readonly stderr: string
  readonly outputs: readonly string[]
  /** The run whose folder becomes an artifact. */
  readonly kept: string
}

type Platform = (job: Job, caches: Caches, service: Readonly<Record<string, string>>) => Promise<Ended>

async function machine({ without }: Job, env: Readonly<Record<string, string>>): Promise<Project> {
  const work = await projectHere(env)
  const list = join(work.cwd, 'rows.csv')
  const rows = readFileSync(list, 'utf8').split('\n')
  writeFileSync(list, rows.filter(row => without === undefined || !row.includes(without)).join('\n'))
  return work
}

const outputsIn = (work: Project): readonly string[] => (existsSync(join(work.cwd, 'out')) ? outputsOf(work) : [])

const github: Platform = async (job, caches, service) => {
  const { steps } = example('github/nightly.yml').jobs.run
  const outputs = new Map<string, Map<string, string>>()
  const env = { ...service, GITHUB_ACTIONS: 'true', GITHUB_RUN_ID: `${job.run}`, GITHUB_JOB: 'run', GITHUB_OUTPUT: 'outputs.txt' }
  const work = await machine(job, env)
  const filled = (text: string): string =>
    text.replace(/\$\{\{ (.+?) \}\}/g, (_, expression: string) => {
      if (expression === 'github.run_id') return `${job.run}`
      if (expression === 'github.run_attempt') return `${job.attempt}`
      const values = expression.split(' || ').map(one => {
        const [, step, name] = /^steps\.(\w+)\.outputs\.(\w+)$/.exec(one) ?? expect.fail(`nothing for ${expression}`)
        return outputs.get(step!)?.get(name!) ?? ''
      })
      return values.find(value => value !== '') ?? ''
    })
  const lines = (text: string | undefined): string[] =>
    filled(text ?? '')
      .split('\n')
      .filter(line => line.trim() !== '')
  let code = 0
  let stderr = ''
  let kept = ''
  for (const step of steps) {
    if (code !== 0 && step.if !== 'always()') continue
    const { key, path, 'restore-keys': prefixes } = step.with ?? {}
    if (step.uses?.startsWith('actions/cache/restore')) caches.restore(filled(key), lines(path), lines(prefixes), work)
    if (step.uses?.startsWith('actions/cache/save')) caches.save(filled(key), lines(path), work)
    if (step.uses?.startsWith('actions/upload-artifact')) kept = lines(path)[0]!
    if (step.run === undefined || step.run === 'npm ci') continue
    writeFileSync(join(work.cwd, 'outputs.txt'), '')
    const ended = await shell(filled(step.run), work)
    stderr += ended.stderr
    code ||= ended.code
    const written = readFileSync(join(work.cwd, 'outputs.txt'), 'utf8')
    const values = [...written.matchAll(/^(\w+)(?:=(.*)|<<(\S+)\n([\s\S]*?)\n\3)$/gm)]
    outputs.set(step.id, new Map(values.map(([, name, one, , more]) => [name!, one ?? more!])))
  }
  return { code, stderr, outputs: outputsIn(work), kept: kept.replace('fettle-runs/', '') }
}

const gitlab: Platform = async (job, caches, service) => {
  const { cache, script, after_script: after } = example('gitlab/nightly.gitlab-ci.yml')['fettle-suppliers']
  const env = { ...service, GITLAB_CI: 'true', CI_PIPELINE_ID: `${job.run}`, CI_JOB_NAME: 'fettle-suppliers' }
  const work = await machine(job, env)
  const keyOf = (key: string): string => key.replace('$CI_PIPELINE_ID', `${job.run}`)
  for (const { key, paths } of cache) caches.restore(keyOf(key), paths, [], work)
  expect(script[0]).toBe('npm ci')
  const { code, stderr } = await shell(script.slice(1).join('\n'), work)
  for (const line of [after.join('\n')]) expect((await shell(line, work)).code).toBe(0)
  for (const { key, paths } of cache) caches.save(keyOf(key), paths, work)
  const [first] = readFileSync(join(work.cwd, 'report/journal.jsonl'), 'utf8').split('\n')
  return { code, stderr, outputs: outputsIn(work), kept: JSON.parse(first!).runId }
}

describe.concurrent.each([
  ['github', github],
  ['gitlab', gitlab],
] as const)('%s: a nightly run', { timeout: 240_000 }, (_, platform) => {
  test('that has finished is reported again by a rerun, with its outputs, also after the next night', async () => {
    const service = await realService()
    const settings = { ...CREDENTIALS, FETTLE_URL: service.url }
    const caches = new Caches()
    const creations = (): number =>
      service.requests.filter(({ method, route }) => method === 'POST' && route === '/v1/dataCleaning/jobs').length
    const first = await platform({ run: 1, attempt: 1 }, caches, settings)
    expect(first.code, first.stderr).toBe(0)
    expect(first.outputs).toHaveLength(3)
    expect(await platform({ run: 1, attempt: 2 }, caches, settings)).toMatchObject({
      code: 0,
      outputs: first.outputs,
      kept: first.kept,
    })
    expect(creations()).toBe(1)

    const next = await platform({ run: 2, attempt: 1, without: 'Bolton' }, caches, settings)
    expect(next.code, next.stderr).toBe(0)
    expect(next.kept).not.toBe(first.kept)
    expect(next.outputs).not.toEqual(first.outputs)
    expect(creations()).toBe(2)
    const late = await platform({ run: 1, attempt: 3 }, caches, settings)
    expect(late).toMatchObject({ code: 0, outputs: first.outputs, kept: first.kept })
    expect(creations()).toBe(2)
  })
})
