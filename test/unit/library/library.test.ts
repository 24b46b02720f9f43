/** The library: runs, checkpoints, detached runs, shards, reporters, errors by kind, loading of pipelines. */
import { spawnSync } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type Checkpoint,
  check,
  collect,
  FettleError,
  loadPipeline,
  merge,
  type RunEventInput,
  RunStopped,
  renderReport,
  resume,
  run,
  status,
} from '../../../src/index.ts'
import { pruneRuns } from '../../../src/privacy/prune.ts'
import { verifyRun } from '../../../src/runs/verify.ts'
import { serveWithFaults, VirtualClock } from '../../../src/testing/index.ts'
import { type Place, place } from '../../support/place.ts'
import { ROOT } from '../../system/cli/fettle.ts'
import { scripted } from '../../system/cli/servers.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

const read = (name: string): string => readFileSync(join(here.folder, name), 'utf8')

describe('a run', () => {
  test('leaves no listener at the signal of its caller, also after an error', async () => {
    const { signal } = new AbortController()
    const options = { ...here.options(), signal }
    await Promise.all([
      run(here.pipeline(), options),
      check(here.pipeline(), options),
      status(undefined, options).catch(() => {}),
    ])
    await expect(run(here.pipeline({ input: 'missing.csv' }), options)).rejects.toMatchObject({ code: 'FETTLE_INPUT_READ' })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('of the same rows beside others of its name ends, and they are refused by its lock', async () => {
    const pipeline = {
      ...here.pipeline(),
      input: [{ name: 'Acme Ltd', country: 'GB' }],
      mappings: { name: 'name', country: 'country' },
    }
    for (let round = 0; round < 4; round++) {
      const ended = await Promise.all(
        Array.from({ length: 4 }, () =>
          run(pipeline, here.options()).then(
            () => 'ended',
            (error: FettleError) => error.code,
          ),
        ),
      )
      expect(ended).toContain('ended')
      expect(ended.filter(end => end !== 'ended' && end !== 'FETTLE_LOCKED')).toEqual([])
    }
  })

  test('is a promise', async () => {
    const code = await run(here.pipeline({ input: 'missing.csv' }), here.options()).catch((error: FettleError) => error.code)
    expect(code).toBe('FETTLE_INPUT_READ')
    const ended = vi.fn()
    await run(here.pipeline(), here.options()).finally(ended)
    expect(ended).toHaveBeenCalledOnce()
  })

  test('that fails and is not awaited ends the program with the reason', () => {
    const program = `import { run } from ${JSON.stringify(pathToFileURL(join(ROOT, 'dist/index.js')).href)}; run('missing.yml')`
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toContain('FETTLE_PIPELINE_READ')
  })

  test('has events, a report and a checkpoint', async () => {
    const running = run(here.pipeline(), here.options())
    expect(running.checkpoint()).toBeNull()
    const stages: (string | null | undefined)[] = []
    const facts: RunEventInput['type'][] = []
    for await (const fact of running) {
      facts.push(fact.type)
      stages.push(running.checkpoint()?.stage)
    }
    const report = await running
    expect(report).toMatchObject({ status: 'warn', totals: { rows: 2 } })
    expect([facts[0], facts.at(-1)]).toEqual(['stage.started', 'run.finished'])
    expect(stages).toContain('download')
    const last = running.checkpoint()
    expect(last).toMatchObject({
      schema: 'fettle/checkpoint/v1',
      runId: report.metadata.runId,
      pipeline: 'small',
      runsDir: join(here.folder, 'runs'),
      status: 'warn',
      jobs: { all: 1, matched: 1 },
    })
    expect(JSON.stringify(last).length).toBeLessThan(1_000)
    expect(JSON.parse(JSON.stringify(last))).toEqual(last)
  })

  test('rejects after an abort, and resumes from its checkpoint in another directory', async () => {
    const stop = new AbortController()
    const why = new Error('the worker is wanted elsewhere')
    const running = run(here.pipeline(), { ...here.options(), signal: stop.signal })
    const seen: (Checkpoint | null)[] = []
    const read = async (): Promise<void> => {
      for await (const fact of running) {
        seen.push(running.checkpoint())
        if (fact.type === 'mapping.accepted') stop.abort(why)
      }
    }
    await expect(read()).rejects.toBeInstanceOf(RunStopped)
    const error = await Promise.resolve(running).catch((error: unknown) => error as RunStopped)
    expect(error).toMatchObject({
      code: 'FETTLE_ABORTED',
      kind: 'sigint',
      cause: why,
      report: { status: 'cancelled', exitCode: 130 },
    })
    const checkpoint = JSON.parse(JSON.stringify(seen.at(-1))) as Checkpoint
    expect((error as RunStopped).checkpoint.runId).toBe(checkpoint.runId)
    process.chdir('/')
    const { runsDir: _, ...options } = here.options()
    process.chdir(here.folder)
    const report = await resume(checkpoint, options)
    expect(report).toMatchObject({ status: 'warn', metadata: { runId: checkpoint.runId } })
  })

  test('passes all events to every loop, and continues when a loop ends early', async () => {
    const running = run(here.pipeline(), here.options())
    for await (const _ of running) break
    const all = async (): Promise<RunEventInput['type'][]> => {
      const facts: RunEventInput['type'][] = []
      for await (const { type } of running) facts.push(type)
      return facts
    }
    const [one, other] = await Promise.all([all(), all()])
    expect([one[0], one.at(-1)]).toEqual(['stage.started', 'run.finished'])
    expect(other).toEqual(one)
    expect(await all()).toEqual(one)
  })

  test('rejects a value that is not a checkpoint instead of resuming the latest run', async () => {
    await run(here.pipeline(), here.options())
    for (const kept of [null, {}, { runsDir: 'runs' }, 42]) {
      for (const goOn of [resume, collect, status])
        await expect(goOn(kept as unknown as Checkpoint, here.options())).rejects.toMatchObject({ code: 'FETTLE_USAGE' })
    }
  })

  test('rejects with report and checkpoint when it stops; a failed check resolves', async () => {
    const service = await scripted('matchingError')
    const env = { FETTLE_URL: service.url, FETTLE_USERNAME: 'u', FETTLE_PASSWORD: 'p' }
    const error = await Promise.resolve(run(here.pipeline(), here.options(env))).catch((error: unknown) => error)
    expect(FettleError.is(error, 'rejected') && error.code).toBe('FETTLE_JOB_FAILED')
    expect(FettleError.is(error, 'retryable')).toBe(false)
    expect(error).toMatchObject({ exitCode: 76, report: { status: 'error', results: [{ jobs: [{ status: 'matchingError' }] }] } })
    const failed = await run(here.pipeline({ name: 'other', checks: { matched: { fail: '< 100%' } } }), here.options())
    expect([failed.status, failed.exitCode]).toEqual(['fail', 1])
  })

  test('rejects invalid numbers before it starts', async () => {
    const numbers = [Number.NaN, 0, -1, 1.5, Number.POSITIVE_INFINITY]
    const wrong = [
      ...numbers.flatMap(value => [{ limit: value }, { timeoutMs: value }]),
      { shard: '3/2' as const },
      { shard: { number: 0, of: 2 } },
    ]
    for (const one of wrong)
      await expect(run(here.pipeline(), { ...here.options(), ...one })).rejects.toMatchObject({ code: 'FETTLE_USAGE' })
    expect(existsSync('runs')).toBe(false)
  })

  test('rejects with every problem when it cannot start', async () => {
    const error = await Promise.resolve(run(here.pipeline({ name: 'NO', input: 'none.csv' }), here.options())).catch(
      (error: unknown) => error,
    )
    expect(FettleError.is(error, 'usage') && error.issues.length).toBeGreaterThan(0)
    expect(existsSync('runs')).toBe(false)
  })
})

describe('without waiting', () => {
  test('detaches, reports its status, and is collected', async () => {
    let now = 'matching'
    const service = await scripted(() => now)
    const env = { FETTLE_URL: service.url, FETTLE_USERNAME: 'u', FETTLE_PASSWORD: 'p' }
    const { output: _, ...rest } = here.pipeline()
    const left = await run(rest, { ...here.options(env), detach: true })
    expect([left.status, left.exitCode]).toEqual(['running', null])
    expect(await status('small', here.options(env))).toMatchObject({
      runId: left.metadata.runId,
      status: 'waiting',
      exitCode: 75,
      jobs: [{ id: 'job-1', status: 'matching' }],
    })
    await expect(collect('small', { ...here.options(env), timeoutMs: 1_000 })).rejects.toMatchObject({ code: 'FETTLE_DEADLINE' })
    now = 'matchingError'
    expect(await status(undefined, { ...here.options(env), watch: true })).toMatchObject({ exitCode: 75, status: 'stopped' })
    await expect(collect('small', here.options(env))).rejects.toMatchObject({ kind: 'rejected' })
    expect(service.requests.filter(line => line === 'POST /dataCleaning/jobs')).toHaveLength(1)
  })

  test('merges shards to the output of one run', async () => {
    const whole = await run(here.pipeline(), here.options())
    const bytes = read('out.csv')
    for (const shard of ['1/2', '2/2'] as const) await run(here.pipeline(), { ...here.options(), shard })
    const merged = await merge(['small'], here.options())
    expect(merged.totals).toEqual(whole.totals)
    expect(read('out.csv')).toBe(bytes)
    await expect(merge([], here.options())).rejects.toMatchObject({ code: 'FETTLE_MERGE', message: 'no shard was named' })
  })
})

test('reporters observe a run and never change it', async () => {
  const heard: string[] = []
  const notes: string[] = []
  const report = await run(here.pipeline(), {
    ...here.options(),
    onNote: note => {
      notes.push(note)
      throw new Error('no log')
    },
    reporters: [
      {
        name: 'whole',
        onRunStart: ({ runId }) => heard.push(runId),
        onEvent: ({ type }) => heard.push(type),
        onRunEnd: ({ status }) => heard.push(status),
      },
      {
        name: 'broken',
        onEvent: () => {
          throw new Error('no room')
        },
      },
      {
        name: 'meddler',
        onRunStart: state => {
          ;(state.jobs as unknown[]).length = 0
        },
      },
      { name: 'late', onRunEnd: () => Promise.reject(new Error('too late')) },
      { name: 'another run', onRunEnd: () => run('none.yml', here.options()) },
    ],
  })
  expect(report).toMatchObject({ status: 'warn', ledger: { adds: true } })
  expect([heard[0], heard.at(-1)]).toEqual([report.metadata.runId, 'warn'])
  expect(heard).toContain('output.written')
  expect(notes).toEqual([
    expect.stringContaining('the reporter meddler failed, the run did not: Cannot'),
    'the reporter broken failed, the run did not: no room',
    'the reporter late failed, the run did not: too late',
    'the reporter another run failed, the run did not: there is no file none.yml',
  ])
  expect(await renderReport(report, 'junit')).toContain('<testsuite name="small"')
})

describe('pipelines', () => {
  test('are loaded from a file without filling in variables', async () => {
    here.write('p.yml', 'name: small\nvars: {in: in.csv}\ninput: "${vars.in}"\nmappings: {name: name}\npoll: {every: 500ms}\n')
    const pipeline = await loadPipeline('p.yml')
    expect(pipeline).toMatchObject({ name: 'small', input: '${vars.in}', mappings: { name: 'name' } })
    expect(await check({ ...pipeline, input: 'none.csv' }, here.options())).toMatchObject({ ok: false })
    expect(await run({ ...pipeline, output: 'out.csv' }, here.options())).toMatchObject({ status: 'warn' })
    expect(existsSync('out.csv')).toBe(true)
    here.write('bad.yml', 'name: small\nchekcs: {}\ninput: in.csv\nmappings: {name: name}\n')
    await expect(loadPipeline('bad.yml')).rejects.toMatchObject({
      code: 'FETTLE_PIPELINE_KEY',
      at: { file: 'bad.yml', line: 2, column: 1 },
    })
    await expect(loadPipeline('none.yml')).rejects.toMatchObject({ code: 'FETTLE_PIPELINE_READ' })
  })
})

async function allOf<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}

describe('rows of a program', () => {
  const rows = [
    { id: 1, name: 'Zyxwv Utsrqp Ltd', country: 'GB', since: new Date('2020-01-02') },
    { id: 2, name: 'Harrow "Optics", Ltd', country: 'GB', since: null },
  ]
  const pipeline = { name: 'rows', mappings: { name: 'name', country: 'country' }, poll: { every: '500ms' } } as const
  const generate = async function* () {
    yield* rows
  }

  test('are read once, written among the runs, and give rows back without a file in the working directory', async () => {
    const before = readdirSync(here.folder)
    const report = await run({ ...pipeline, input: generate() }, here.options())
    expect(report).toMatchObject({ status: 'warn', totals: { rows: 2 } })
    const found = await allOf(report.rows())
    expect(found.map(({ id, name, since }) => ({ id, name, since }))).toEqual([
      { id: '1', name: 'Zyxwv Utsrqp Ltd', since: '2020-01-02T00:00:00.000Z' },
      { id: '2', name: 'Harrow "Optics", Ltd', since: '' },
    ])
    expect(Object.keys(found[0] ?? {})).toContain('match.outcome')
    expect(readdirSync(here.folder)).toEqual([...before, 'runs'].sort())
    expect(JSON.stringify(report)).not.toContain('rows()')
    expect(existsSync(join(here.folder, 'runs/rows'))).toBe(false)
    writeFileSync(report.results[0]?.outputs[0]?.path ?? '', 'id\n1\n')
    await expect(report.rows().next()).rejects.toMatchObject({ code: 'FETTLE_INPUT_CHANGED' })
  })

  test('give a result among the runs that verify compares, until it goes with its run', async () => {
    const { metadata } = await run({ ...pipeline, input: generate() }, here.options())
    const verified = () => verifyRun(metadata.runId, { runsDir: 'runs', cwd: here.folder })
    const path = join('runs', metadata.runId, 'rows.csv')
    expect(await verified()).toMatchObject({ faults: [], notes: [], files: expect.arrayContaining([path]) })
    const text = read(path)
    writeFileSync(path, text.replace('GB', 'IE'))
    expect((await verified()).faults).toMatchObject([{ at: { file: path } }])
    writeFileSync(path, text)
    await pruneRuns('runs', { olderThanMs: 0, all: true, now: () => Date.now() + 10_000 })
    expect(await verified()).toMatchObject({ removedAt: expect.any(String), faults: [] })
  })

  test('are resumed by the same rows, and from the copy without rows', async () => {
    const stopped = async (name: string): Promise<Checkpoint> => {
      const stop = new AbortController()
      const running = run({ ...pipeline, name, input: rows.values() }, { ...here.options(), signal: stop.signal })
      const read = async (): Promise<void> => {
        for await (const fact of running) if (fact.type === 'job.created') stop.abort()
      }
      await expect(read()).rejects.toBeInstanceOf(RunStopped)
      return running.checkpoint()!
    }
    const [first, second] = [await stopped('first'), await stopped('second')]
    const same = await run({ ...pipeline, name: 'first', input: generate() }, here.options())
    expect(same.metadata.runId).toBe(first.runId)
    const resumed = await resume(second, here.options())
    expect(await allOf(resumed.rows())).toEqual(await allOf(same.rows()))
  })

  test('columns have the names of the pipeline in every file, and JSON has numbers, truth values and null', async () => {
    const columns = ['*', { from: 'general.connectId', as: 'company' }, 'match.score', 'general.duplicate']
    const output = { path: 'o.jsonl', unmatched: 'u.csv', review: 'r.tsv', columns, names: 'snake' } as const
    const source = [
      { ID: 7, 'Trade Name': 'Varnix Steel Ltd', country: 'GB' },
      { ID: 8, 'Trade Name': 'Zyxwv Utsrqp Ltd' },
    ]
    const mappings = { name: 'Trade Name', country: 'country' }
    const report = await run(
      {
        ...pipeline,
        mappings,
        input: source,
        enrich: { product: 'basic', tags: ['general.connectId', 'general.duplicate'] },
        output,
      },
      here.options(),
    )
    expect(
      read('o.jsonl')
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual([
      {
        id: '7',
        trade_name: 'Varnix Steel Ltd',
        country: 'GB',
        company: 'GB-X-11076475',
        match_score: expect.any(Number),
        general_duplicate: false,
      },
      {
        id: '8',
        trade_name: 'Zyxwv Utsrqp Ltd',
        country: null,
        company: null,
        match_score: expect.any(Number),
        general_duplicate: false,
      },
    ])
    expect(read('u.csv').split('\n')[0]).toBe('id,trade_name,country,company,match_score,general_duplicate')
    expect(read('r.tsv').split('\n')[0]?.split('\t').slice(-2)).toEqual(['match_candidate_id', 'match_candidate_name'])
    expect((await allOf(report.rows())).map(row => row.company)).toEqual(['GB-X-11076475', ''])
  })

  test('an output of the pipeline is read back in the order of its columns; other outputs are refused', async () => {
    const rowsOf = async (output: object | null) => {
      const report = await run(
        { ...here.pipeline({ name: 'o', output: output as never }), input: { path: rows, key: 'id' } },
        here.options(),
      )
      return allOf(report.rows())
    }
    const columns = ['match.outcome', '*']
    const csv = await rowsOf({ path: 'o.csv', columns })
    expect(csv[0]).toMatchObject({ 'match.outcome': expect.any(String), id: '1' })
    const lines = csv.map(row => ({ ...row, since: row.since ?? '' }))
    for (const path of ['o.jsonl', 'o.json', 'o.tsv', 'o.csv.gz', 'o.jsonl.gz', 'o.json.gz'])
      expect(await rowsOf({ path, columns }), path).toEqual(lines)
    // A packed output of an earlier run is replaced.
    expect(await rowsOf({ path: 'o.json.gz', columns })).toEqual(lines)
    expect(gunzipSync(readFileSync('o.csv.gz')).toString()).toBe(read('o.csv'))
    await expect(rowsOf({ path: 'o.xlsx', format: 'xlsx', columns })).rejects.toMatchObject({ code: 'FETTLE_USAGE' })
  })

  test.each([
    ['a later row with another key', [{ name: 'A' }, { name: 'B', extra: 1 }], 'FETTLE_INPUT_FIELDS', 'row 2'],
    ['a cell that is an object', [{ name: { first: 'A' } }], 'FETTLE_INPUT_FIELDS', '"name" in row 1'],
    ['no row', [], 'FETTLE_INPUT_EMPTY', 'the input of the program has no rows'],
    ['a text', ['Acme Ltd'], 'FETTLE_INPUT_FIELDS', 'row 1 is not a record with column names: found string'],
    ['an array', [{ name: 'A' }, ['B']], 'FETTLE_INPUT_FIELDS', 'row 2 is not a record with column names: found an array'],
    ['null', [null], 'FETTLE_INPUT_FIELDS', 'found null'],
    ['a first record without keys', [{}], 'FETTLE_INPUT_FIELDS', 'found one without keys'],
  ])('%s is an error', async (_, input, code, text) => {
    const refused = run({ ...pipeline, mappings: { name: 'name' }, input: input as never }, here.options())
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringContaining(text) })
  })

  test('an iterable that throws, or waits when the caller aborts, ends the run', async () => {
    const throws = async function* () {
      yield rows[0]!
      throw new Error('the database is gone')
    }
    await expect(run({ ...pipeline, input: throws() }, here.options())).rejects.toMatchObject({
      code: 'FETTLE_INPUT_READ',
      message: 'cannot read row 2 of the input of the program: the database is gone',
    })
    const stop = new AbortController()
    const waits = async function* () {
      yield rows[0]!
      stop.abort()
      await new Promise(() => {})
    }
    await expect(run({ ...pipeline, input: waits() }, { ...here.options(), signal: stop.signal })).rejects.toMatchObject({
      code: 'FETTLE_ABORTED',
    })
  })
})

describe('a program with its own folders', () => {
  test('cwd is the folder of all relative paths; outputRoots allows others, and outputMode sets the permissions', async () => {
    const cwd = join(here.folder, 'elsewhere')
    const shared = join(here.folder, 'shared')
    for (const folder of [cwd, shared]) mkdirSync(folder)
    writeFileSync(join(cwd, 'list.csv'), 'name,country\nVarnix Steel Ltd,GB\nZyxwv Utsrqp Ltd,GB\n')
    const pipeline = here.pipeline({ input: 'list.csv', output: { path: join(shared, 'out.csv'), unmatched: 'left.csv' } })
    const { env } = here.options()
    const options = { cwd, env, outputRoots: [shared], outputMode: 0o640 }
    const before = readdirSync(here.folder)
    expect((await check(pipeline, options)).ok).toBe(true)
    const report = await run(pipeline, options)
    expect(report.totals.rows).toBe(2)
    expect(statSync(join(shared, 'out.csv')).mode & 0o777).toBe(0o640)
    expect(statSync(join(cwd, 'left.csv')).mode & 0o777).toBe(0o640)
    expect(existsSync(join(cwd, 'fettle-runs', report.metadata.runId))).toBe(true)
    expect(readdirSync(here.folder)).toEqual(before)
    expect((await allOf(report.rows())).length).toBe(2)
    expect((await status(report.metadata.runId, { cwd, env })).status).toBe('finished')
    // Shards and their merge, and a pipeline file, in the same folder.
    for (const shard of ['1/2', '2/2'] as const) await run({ ...pipeline, name: 'parts' }, { ...options, shard })
    expect((await merge(['parts'], options)).totals.rows).toBe(2)
    writeFileSync(join(cwd, 'p.yml'), JSON.stringify({ ...pipeline, name: 'file', output: 'file.csv' }))
    await run('p.yml', options)
    expect(existsSync(join(cwd, 'file.csv'))).toBe(true)
    await expect(run(pipeline, { ...options, outputMode: 640 })).rejects.toMatchObject({ code: 'FETTLE_USAGE' })
    await expect(run(pipeline, { ...options, outputRoots: [] })).rejects.toMatchObject({ code: 'FETTLE_PIPELINE_PATH' })
  })

  test('a run takes its time from clock', async () => {
    const clock = new VirtualClock({ start: Date.UTC(2030, 0, 2) })
    const server = await serveWithFaults({
      port: 0,
      dataDir: join(here.folder, 'service'),
      registers: ['sample'],
      clock: clock.forService(),
      rowPauseMs: 60_000,
    })
    here.atEnd(() => void server.close())
    clock.isIdle = () => server.server.pending() === 0
    const { url: FETTLE_URL, username: FETTLE_USERNAME, password: FETTLE_PASSWORD } = server
    const report = await run(here.pipeline({ register: undefined as never }), {
      runsDir: 'runs',
      env: { FETTLE_URL, FETTLE_USERNAME, FETTLE_PASSWORD },
      clock,
    })
    expect(report.metadata.runId).toContain('20300102')
    expect(report.results[0]?.elapsedMs).toBeGreaterThan(100_000)
    await server.close()
  })
})
