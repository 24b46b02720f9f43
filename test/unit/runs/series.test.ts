/** A run is resumed by, and compared with, runs of its series only: pipeline, account, target, limit, register and shard. */
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type PipelineInput, type RunHandle, resume, run, status } from '../../../src/index.ts'
import { describeSeries, type SeriesPlan } from '../../../src/pipeline/index.ts'
import { pruneRuns } from '../../../src/privacy/prune.ts'
import { findOpenRunId } from '../../../src/runs/open-runs.ts'
import { listRunIds } from '../../../src/runs/run-directory.ts'
import { type Place, place } from '../../support/place.ts'
import { receiver } from '../../support/receiver.ts'
import { CREDENTIALS, realService } from '../../system/cli/servers.ts'

type Options = NonNullable<Parameters<typeof run>[1]>

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

const runIds = (): string[] => listRunIds(join(here.folder, 'runs'))

/** Stops a run when its job is made. */
async function stopRun(pipeline: PipelineInput | string, options: Options): Promise<string> {
  const controller = new AbortController()
  const onEvent = ({ type }: { readonly type: string }): void => {
    if (type === 'job.created') controller.abort()
  }
  const stopped: RunHandle = run(pipeline, { ...options, signal: controller.signal, reporters: [{ name: 'stop', onEvent }] })
  await expect(stopped).rejects.toThrow()
  return runIds()[0]!
}

const PROJECT = 'target: prod\ntargets:\n  prod: {}\n  dev: {}\n'
const PIPELINE =
  'name: small\ninput: in.csv\nmappings: { name: name, country: country }\noutput: out.csv\npoll: { every: 500ms }\n'

describe('the unfinished run of a series is resumed, regardless of runs in between', () => {
  const between: readonly (readonly [string, (options: Options) => Promise<unknown>])[] = [
    ['a trial of the first rows', options => run('p.yml', { ...options, limit: 1 })],
    ['a run of another target', options => run('p.yml', { ...options, target: 'dev' })],
    ['a run of another account', options => run('p.yml', { ...options, env: { ...options.env, FETTLE_USERNAME: 'ben' } })],
    [
      'a run of another list',
      async options => {
        here.write('in.csv', 'name,country\nHarrow Optics Ltd,GB\n')
        await run('p.yml', options)
        here.write('in.csv', 'name,country\nZyxwv Utsrqp Ltd,GB\nHarrow Optics Ltd,GB\n')
      },
    ],
  ]
  test.each(between)('%s', async (_, runBetween) => {
    here.write('fettle.yml', PROJECT)
    here.write('p.yml', PIPELINE)
    const password = CREDENTIALS.FETTLE_PASSWORD
    const users = [CREDENTIALS.FETTLE_USERNAME, 'ben'].map(username => ({ username, password }))
    const { url, requests } = await realService({ play: 'vendor', users })
    const options = here.options({ ...CREDENTIALS, FETTLE_URL: url })
    const countJobs = (): number => requests.filter(({ method, route }) => method === 'POST' && route.endsWith('/jobs')).length
    const unfinished = await stopRun('p.yml', options)
    await runBetween(options)
    const jobs = countJobs()
    expect(jobs).toBe(2)
    expect((await run('p.yml', options)).metadata.runId).toBe(unfinished)
    expect(countJobs()).toBe(jobs)
    expect(runIds()).toHaveLength(2)
  })
})

test('the date of a run is fixed when it starts: an attempt with its run key after midnight resumes it', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-31T23:59:00Z') })
  try {
    here.write('p.yml', PIPELINE.replace('out.csv', 'out-${run.date}.csv'))
    const { url } = await realService({ play: 'vendor' })
    const options = { ...here.options({ ...CREDENTIALS, FETTLE_URL: url }), runKey: 'night-31' }
    const unfinished = await stopRun('p.yml', options)
    vi.setSystemTime(new Date('2026-04-01T00:06:00Z'))
    const report = await run('p.yml', options)
    expect(report.metadata.runId).toBe(unfinished)
    expect(report.results[0]!.outputs.map(({ path }) => path)).toContain('out-2026-03-31.csv')
    const next = await run('p.yml', { ...options, runKey: 'night-1' })
    expect(next.results[0]!.outputs.map(({ path }) => path)).toContain('out-2026-04-01.csv')
  } finally {
    vi.useRealTimers()
  }
})

test('the status of a run needs no variable of its pipeline, and a resume names the one that it needs', async () => {
  here.write('p.yml', PIPELINE.replace('out.csv', 'out-${DAY}.csv'))
  const { url } = await realService({ play: 'vendor' })
  const options = here.options({ ...CREDENTIALS, FETTLE_URL: url })
  const { metadata } = await run('p.yml', { ...here.options({ ...options.env, DAY: '31' }), detach: true })
  expect(['waiting', 'ready']).toContain((await status(metadata.runId, options)).status)
  const other = here.options({ ...options.env, DAY: '1' })
  expect(['waiting', 'ready']).toContain((await status(metadata.runId, other)).status)
  await expect(resume(metadata.runId, other)).rejects.toMatchObject({
    code: 'FETTLE_FINGERPRINT',
    hint: 'Set DAY as in the run. Undo the change, then resume the run.',
    action: { command: 'resume', args: [metadata.runId] },
  })
})

test('a name means the unfinished run of any series, and is refused with the list when several are open', async () => {
  const whole = await stopRun(here.pipeline(), here.options())
  const runsDir = join(here.folder, 'runs')
  await run(here.pipeline(), { ...here.options(), limit: 1 })
  expect(findOpenRunId(runsDir, 'small')).toBe(whole)
  const trial = await stopRun(here.pipeline(), { ...here.options(), limit: 2 })
  expect(() => findOpenRunId(runsDir, 'small')).toThrow(`2 runs of small are unfinished: ${trial}, ${whole}`)
})

describe('drift and changes are measured within a series', () => {
  const FOUND = 'name,country,no\nArdonson Locksmiths Limited,GB,3029879\n'
  const GOOD = `${FOUND}Zyxwv Utsrqp Ltd,GB,\n`
  const BAD = 'name,country,no\nZyxwv Utsrqp Ltd,GB,\nQwert Poiuy Ltd,GB,\n'
  const checks = 'checks: { drift: { fail: "> 10%" } }\n'

  test.each([
    ['target', { target: 'dev' }],
    ['limit', { limit: 2 }],
  ] as const)('not across another %s', async (_, other) => {
    here.write('fettle.yml', PROJECT)
    here.write('p.yml', PIPELINE.replace(' }', ', orgNumber: no }') + checks)
    here.write('in.csv', GOOD)
    const options = here.options()
    expect((await run('p.yml', options)).exitCode).toBe(0)
    here.write('in.csv', BAD)
    // A good run of another series, which is not a baseline of the first run.
    const report = await run('p.yml', { ...options, ...other })
    expect(report).toMatchObject({ exitCode: 0, delta: null })
    const again = await run('p.yml', options)
    expect(again).toMatchObject({ exitCode: 1 })
    expect(again.results[0]!.checks).toMatchObject([{ assertion: 'drift', success: false }])
  })

  test('a trial that ends well after the run failed is not a recovery', async () => {
    const hook = await receiver(end => here.atEnd(end))
    const pipeline = here.pipeline({
      mappings: { name: 'name', country: 'country', orgNumber: 'no' },
      checks: { matched: { fail: '< 100%' } },
      notify: [{ to: hook.url, as: 'cloudevents', on: ['recovered'] }],
    })
    here.write('in.csv', GOOD)
    expect((await run(pipeline, here.options())).exitCode).toBe(1)
    expect((await run(pipeline, { ...here.options(), limit: 1 })).exitCode).toBe(0)
    expect(hook.requests).toEqual([])
    here.write('in.csv', FOUND)
    expect((await run(pipeline, here.options())).exitCode).toBe(0)
    expect(hook.requests).toHaveLength(1)
  })
})

describe('the name of a series', () => {
  const remote = { kind: 'remote', url: 'https://api.example.com/v1', rate: null, fileHosts: [], insecure: false } as const
  const base: SeriesPlan = { name: 'companies', service: remote, limit: null }
  const identity = 'https://api.example.com/v1 0123456789ab'
  const nameOf = (more: Partial<SeriesPlan>, account: string | null = identity): string =>
    describeSeries({ ...base, ...more }, account).name

  test('depends on each part, and holds only characters that every file system takes', () => {
    const sample = [{ name: 'sample', snapshotDate: null, sha256: null }]
    const names = [
      nameOf({}),
      nameOf({ target: 'dev' }),
      nameOf({ limit: 10 }),
      nameOf({ shard: { number: 1, of: 2 } }),
      nameOf({ service: { kind: 'embedded' } }),
      nameOf({ service: { kind: 'embedded' }, register: sample }),
      nameOf({}, 'https://api.example.com/v1 ba9876543210'),
      nameOf({ service: { ...remote, url: 'https://other.example.com/v1' } }),
      nameOf({ name: 'other' }),
    ]
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z0-9@.-]+$/)
    expect(nameOf({ target: 'dev', limit: 10, service: { kind: 'embedded' }, register: sample })).toBe(
      'companies@dev.first-10.sample',
    )
  })

  test('is the same for all versions of a service, and `whole` for all shards', () => {
    expect(nameOf({ service: { ...remote, url: 'https://api.example.com/v2' } })).toBe(nameOf({}))
    expect(describeSeries({ ...base, shard: { number: 1, of: 2 } }, identity).whole).toBe(nameOf({}))
  })
})

test('removing old runs leaves the last good one of each series, also where a trial is newer', async () => {
  here.write('p.yml', PIPELINE)
  const options = here.options()
  const full = await run('p.yml', options)
  const trial = await run('p.yml', { ...options, limit: 1 })
  const pruned = await pruneRuns(join(here.folder, 'runs'), { olderThanMs: 0, now: () => Date.now() + 10_000 })
  expect(pruned.removed).toEqual([])
  expect(pruned.kept.map(({ runId }) => runId).sort()).toEqual([full, trial].map(({ metadata }) => metadata.runId).sort())
})
