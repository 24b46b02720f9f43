/** The registers of runs: chosen by the option of the library, imported again before a resume or between shards. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { merge, RunStopped, resume, run } from '../../../src/index.ts'
import { renderHtml, renderJunit, renderMarkdowns, renderText, resultLine } from '../../../src/report/index.ts'
import { importRegister } from '../../../src/service/registers/index.ts'
import { serve } from '../../../src/service/serve.ts'
import { freePort } from '../../support/free-port.ts'
import { type Place, place } from '../../support/place.ts'

let here: Place
let options: ReturnType<Place['options']>
beforeEach(() => {
  here = place()
  mkdirSync('data')
  options = here.options({ FETTLE_DATA: join(here.folder, 'data'), FETTLE_REGISTER: '' })
})
afterEach(() => here.leave())

async function importNow(name: string, companies: string, snapshotDate: string): Promise<void> {
  here.write(`${name}.csv`, `id,name,country\n${companies}`)
  const file = join(here.folder, `${name}.csv`)
  await importRegister({ file, name, dir: join(here.folder, 'data/registers'), now: new Date(0), snapshotDate })
}
const importBoth = async (): Promise<void> => {
  await importNow('one', '1,Harrow Optics Ltd,GB\n', '2026-01-01')
  await importNow('two', '1,Zyxwv Utsrqp Ltd,GB\n', '2026-01-01')
}
const changesIn = (report: Awaited<ReturnType<typeof merge>>): readonly string[] =>
  report.results[0]!.issues.filter(({ code }) => code === 'FETTLE_REGISTER_CHANGED').map(({ message }) => message)

test('the option of the library chooses registers, one or several, before the pipeline', async () => {
  await importBoth()
  const matched = async (more: { register?: string | string[] }, own?: string) => {
    const pipeline = here.pipeline(own === undefined ? {} : { register: own })
    return (await run(pipeline, { ...options, ...more, fresh: true })).totals.matched
  }
  expect([
    await matched({ register: 'one' }, 'two'),
    await matched({ register: ['one', 'two'] }),
    await matched({}, 'one'),
  ]).toEqual([1, 2, 1])
  await expect(run(here.pipeline(), { ...options, register: 'ten' })).rejects.toMatchObject({ code: 'FETTLE_REGISTER_UNKNOWN' })
})

test('report, result line, text and lineage name the registers of a run', async () => {
  await importBoth()
  const report = await run(here.pipeline(), { ...options, register: ['one', 'two'] })
  const registers = ['one', 'two'].map(name => ({
    name,
    snapshotDate: '2026-01-01',
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  }))
  expect(report.results[0]).toMatchObject({ service: 'embedded', registers })
  expect(JSON.parse(resultLine(report))).toMatchObject({ service: 'embedded', registers })
  const words = 'embedded, registers one and two of 2026-01-01'
  expect(renderText(report, { width: 120 })).toContain(`  service   ${words}\n`)
  for (const text of [renderMarkdowns([report]), renderJunit([report]), renderHtml(report)]) expect(text).toContain(words)
})

test('a run is not compared with one against the sample', async () => {
  await importBoth()
  await importNow('three', '1,Other Ltd,GB\n', '2026-02-01')
  const compared = async (register: string | string[]) => {
    const report = await run(here.pipeline(), { ...options, register, fresh: true })
    return { id: report.metadata.runId, against: report.results[0]!.changes?.against, delta: report.delta, report }
  }
  const sample = await compared('sample')
  const first = await compared('one')
  expect([sample, first].map(({ against, delta }) => [against, delta])).toEqual([
    [undefined, null],
    [undefined, null],
  ])
  const second = await compared(['two', 'one', 'three'])
  expect([second.against, second.delta?.unmatched]).toEqual([first.id, -1])
  expect((await compared('sample')).delta).not.toBeNull()
  expect((await compared('one')).against).toBe(second.id)
  expect(renderText(second.report, { width: 160 })).toContain(
    'embedded, registers two of 2026-01-01, one of 2026-01-01 and three of 2026-02-01\n',
  )
})

test.each([
  ['of the service', (register: string) => ({ more: {}, chosen: register })],
  ['of the audit', (register: string) => ({ more: { audit: { register } }, chosen: 'sample' })],
])('a resume warns of a register %s that was imported again, of no other one', async (_, take) => {
  await importBoth()
  const { more, chosen } = take('two')
  const stop = new AbortController()
  const running = run(here.pipeline(more), { ...options, register: chosen, signal: stop.signal })
  const read = async (): Promise<void> => {
    for await (const fact of running) if (fact.type === 'mapping.accepted') stop.abort()
  }
  await expect(read()).rejects.toBeInstanceOf(RunStopped)
  await importNow('one', '1,Harrow Optics Limited,GB\n', '2026-02-01')
  await importNow('two', '1,Zyxwv Utsrqp Limited,GB\n', '2026-02-01')
  const report = await resume(running.checkpoint()!, options)
  expect(changesIn(report)).toEqual([
    'the register two was imported again since the run was planned: its snapshot was of 2026-01-01 and is of 2026-02-01',
  ])
  expect(report.status).toBe('warn')
})

test('imports of one day are distinguished by their digest', async () => {
  await importBoth()
  const first = await run(here.pipeline(), { ...options, register: 'two', shard: '1/2' })
  await importNow('two', '1,Zyxwv Utsrqp Limited,GB\n', '2026-01-01')
  const second = await run(here.pipeline(), { ...options, register: 'two', shard: '2/2' })
  const merged = await merge(
    [first, second].map(({ metadata }) => metadata.runId),
    { ...options, mixedRegisters: true },
  )
  const [before, after] = merged.results[0]!.registers!.map(({ sha256 }) => `2026-01-01 (sha256 ${sha256!.slice(0, 12)})`)
  expect(before).not.toBe(after)
  expect(changesIn(merged)).toEqual([
    `shards used different imports of the register two: its snapshot is of ${before} in shard 1/2 and of ${after} in shard 2/2`,
  ])
  expect(renderText(merged, { width: 200 })).toContain(`embedded, register two of ${before} and two of ${after}`)
})

test('shards of different registers, or imports of one, are merged only with the option, with a warning', async () => {
  await importBoth()
  const first = await run(here.pipeline(), { ...options, register: 'two', shard: '1/2' })
  const other = await run(here.pipeline(), { ...options, register: 'one', shard: '2/2' })
  const [id, otherId] = [first.metadata.runId, other.metadata.runId]
  await expect(merge([id, otherId], options)).rejects.toMatchObject({
    code: 'FETTLE_MERGE',
    message: `shard 2/2 (run ${otherId}) was matched against the register one, and shard 1/2 (run ${id}) against the register two`,
    action: { command: 'merge', args: ['--mixed-registers', id, otherId] },
  })
  const joined = await merge([id, otherId], { ...options, mixedRegisters: true })
  expect(joined.results[0]!.registers!.map(({ name }) => name)).toEqual(['two', 'one'])
  expect(changesIn(joined)).toEqual([expect.stringContaining('against the register one')])
  await importNow('two', '1,Zyxwv Utsrqp Limited,GB\n', '2026-02-01')
  const second = await run(here.pipeline(), { ...options, register: 'two', shard: '2/2' })
  const difference =
    'shards used different imports of the register two: its snapshot is of 2026-01-01 in shard 1/2 and of 2026-02-01 in shard 2/2'
  await expect(merge([id, second.metadata.runId], options)).rejects.toMatchObject({
    code: 'FETTLE_MERGE',
    message: difference,
    action: { command: 'merge', args: ['--mixed-registers', id, second.metadata.runId] },
  })
  const merged = await merge([id, second.metadata.runId], { ...options, mixedRegisters: true })
  expect(merged.totals.rows).toBe(2)
  expect(changesIn(merged)).toEqual([difference])
  expect(merged.status).toBe('warn')
  expect(merged.results[0]!.registers).toEqual([
    ...first.results[0]!.registers!,
    { name: 'two', snapshotDate: '2026-02-01', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ])
})

test('a service of fettle names its registers; shards that different ones answered are merged only with the option', async () => {
  await importBoth()
  const login = { username: 'u', password: 'only for tests' }
  const port = await freePort()
  const env = { FETTLE_URL: `http://127.0.0.1:${port}/v1`, FETTLE_USERNAME: login.username, FETTLE_PASSWORD: login.password }
  const remote = { ...options, env: { ...options.env, ...env } }
  const answer = async (register: string, shard: '1/2' | '2/2') => {
    const dirs = { dataDir: join(here.folder, 'data/service'), registerDir: join(here.folder, 'data/registers') }
    await using _ = await serve({ ...dirs, port, registers: [register], users: [login] })
    return await run(here.pipeline(), { ...remote, shard })
  }
  const first = await answer('two', '1/2')
  const registers = [{ name: 'two', snapshotDate: '2026-01-01', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }]
  expect(first.results[0]).toMatchObject({ service: env.FETTLE_URL, registers })
  expect(JSON.parse(resultLine(first)).registers).toEqual(registers)
  const other = await answer('sample', '2/2')
  expect(other.results[0]!.registers).toEqual([{ name: 'sample', snapshotDate: null, sha256: null }])
  const ids = [first, other].map(({ metadata }) => metadata.runId)
  await expect(merge(ids, remote)).rejects.toMatchObject({
    code: 'FETTLE_MERGE',
    message: expect.stringContaining('was matched against the register sample'),
  })
  const joined = await merge(ids, { ...remote, mixedRegisters: true })
  expect(joined.results[0]!.registers!.map(({ name }) => name)).toEqual(['two', 'sample'])
  expect(changesIn(joined)).toHaveLength(1)
})
