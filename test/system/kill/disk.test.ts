/** Real disk faults beside the sweep: read-only folders, a limit of file size, an unreadable source (F27). */
import { spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { FaultyService } from '../../../src/testing/index.ts'
import { runs } from '../../support/runs.ts'
import { recorded, violations } from './judge.ts'
import { commandOf, type Ended, makePlace, OLD, outputsOf, type Place, start, startProcess } from './kit.ts'
import { useService } from './use-service.ts'

let data: string
let service: FaultyService
let expected: string[]

useService(started => {
  ;({ data, service } = started)
})
beforeAll(async () => {
  const place = makePlace(data, service)
  expect((await start(place, RUN).ended).code).toBe(0)
  expected = outputsOf(place)
})

const RUN = ['run', 'pipeline.yml', '--json']
const NOBODY = 65_534

/** Root may write anywhere: the process is somebody who may not. */
function asNobody(place: Place, args: readonly string[]): Promise<Ended> {
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const name of ['', ...readdirSync(place.folder)]) chownSync(join(place.folder, name), NOBODY, NOBODY)
  return startProcess(place, args, undefined, isRoot ? { uid: NOBODY, gid: NOBODY } : {}).ended
}

test.each([
  ['outputs', 'out', 'out/out.csv'],
  ['runs', 'fettle-runs', 'fettle-runs'],
])('a folder for %s that may not be written is 73 before anything is sent', async (_, folder, named) => {
  const place = makePlace(data, service)
  mkdirSync(join(place.folder, folder))
  const pipeline = join(place.folder, 'pipeline.yml')
  if (folder === 'out') writeFileSync(pipeline, readFileSync(pipeline, 'utf8').replace('path: out.csv', 'path: out/out.csv'))
  chmodSync(join(place.folder, folder), 0o555)
  const asked = service.server.requests.length
  const { code, stderr, stdout } = await asNobody(place, RUN)
  expect(code, stderr).toBe(73)
  expect(stderr).toMatch(new RegExp(`FETTLE_OUTPUT_WRITE[^]*${named}[^]*EACCES[^]*hint: Check permissions`))
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 73, error: { code: 'FETTLE_OUTPUT_WRITE' } })
  expect(service.server.requests).toHaveLength(asked)
  chmodSync(join(place.folder, folder), 0o755)
  const again = await asNobody(place, RUN)
  expect(again.code, again.stderr).toBe(0)
  rmSync(place.folder, { recursive: true, force: true })
})

test('reports over the limit of file size are 73, and the next command writes them', async () => {
  const place = makePlace(data, service)
  const before = service.server.effects()
  const limited = startProcess(place, RUN, undefined, {}, ['bash', '-c', 'ulimit -f 40; exec "$0" "$@"'])
  const first = await limited.ended
  expect(first.code, first.stderr).toBe(73)
  expect(first.stderr.replace(/\s+/g, ' ')).toMatch(/Cannot write .*report\.html: EFBIG.*FETTLE_OUTPUT_WRITE.*fettle resume/)
  expect(outputsOf(place)).toEqual(expected)
  const second = await start(place, ['resume', '--json']).ended
  const now = service.server.effects()
  const made = { ...now, creates: now.creates - before.creates, uploads: 1, submits: 1, enriches: now.enriches - before.enriches }
  expect(await violations({ place, ended: [first, second], expected, remote: { service, made } })).toEqual([])
  rmSync(place.folder, { recursive: true, force: true })
})

test('an unreadable source is 65 in every stage, and names the file', async () => {
  let points = 0
  for (let at = 1; ; at += runs(5, 1)) {
    const place = makePlace(data, service)
    const log = join(place.folder, 'log')
    const disk = { fault: `EIO@${at}`, log, ops: 'read', paths: join(place.folder, 'in.csv') }
    const first = await start(place, RUN, disk).ended
    if (!readFileSync(log, 'utf8').includes(' EIO\n')) {
      expect(first.code, first.stderr).toBe(0)
      break
    }
    points++
    expect(first.code, `read ${at}: ${first.stderr}`).toBe(65)
    expect(first.stderr, `read ${at}`).toMatch(/FETTLE_INPUT_READ/)
    expect(first.stderr, `read ${at}`).toContain('in.csv')
    expect(outputsOf(place), `read ${at}`).toEqual([OLD, OLD])
    const second = await start(place, recorded(place) === null ? RUN : ['resume', '--json']).ended
    expect(second.code, `read ${at}: ${second.stderr}`).toBe(0)
    expect(outputsOf(place)).toEqual(expected)
    rmSync(place.folder, { recursive: true, force: true })
  }
  console.log(`a source that failed at each of its ${points} reads: 65 each time`)
  expect(points).toBeGreaterThan(3)
})

test('a disk that becomes read-only during a run is 73, and the run continues when it is writable', async () => {
  const place = makePlace(data, service)
  const first = await start(place, RUN, { fault: 'EROFS@90+', log: join(data, 'log') }).ended
  expect(first.code, first.stderr).toBe(73)
  expect(first.stderr).toContain(`fettle resume ${recorded(place)?.runId}`)
  const readOnly = await start(place, ['resume', '--json'], { fault: 'EROFS@1+', log: join(data, 'log') }).ended
  expect([readOnly.code, readOnly.stderr]).toEqual([73, expect.stringContaining('EROFS')])
  const last = await start(place, ['resume', '--json']).ended
  expect(last.code, last.stderr).toBe(0)
  expect(outputsOf(place)).toEqual(expected)
  rmSync(place.folder, { recursive: true, force: true })
})

test('a full disk for stdout is 73', async () => {
  const place = makePlace(data, service)
  const child = spawn('bash', ['-c', 'exec "$@" > /dev/full', '-', ...commandOf(RUN)], { cwd: place.folder, env: place.env })
  const code = await new Promise(resolve => child.on('close', resolve))
  expect(code).toBe(73)
  expect(outputsOf(place)).toEqual(expected)
  rmSync(place.folder, { recursive: true, force: true })
})
