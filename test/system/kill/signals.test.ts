/**
 * The first SIGINT or SIGTERM in each stage waits for the request in flight, records the stop, and the run can be resumed
 * (faults F29). The second stops at once (F30). FETTLE_FIXTURES=<version> stores the journals as fixtures of a release.
 */
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { contentsPath } from '../../../src/journal/index.ts'
import { listRunIds, runDirectory } from '../../../src/runs/run-directory.ts'
import type { FaultInput, FaultyService } from '../../../src/testing/index.ts'
import { recorded, violations } from './judge.ts'
import { makePlace, outputsOf, type Place, start } from './kit.ts'
import { useService } from './use-service.ts'

let data: string
let service: FaultyService
let expected: string[]
let onPoint: () => unknown = () => {}

useService(
  started => {
    ;({ data, service } = started)
  },
  { onPoint: () => onPoint() },
)
beforeAll(async () => {
  const place = makePlace(data, service)
  expect((await start(place, RUN).ended).code).toBe(0)
  expected = outputsOf(place)
  rmSync(place.folder, { recursive: true, force: true })
})

const RUN = ['run', 'pipeline.yml', '--json']

/** Runs until `when` meets a request, where `act` is called with the process; the request waits for what it returns. */
async function stopped(
  place: Place,
  when: Omit<FaultInput, 'effect'>,
  act: (signal: (name: NodeJS.Signals) => void, gone: Promise<unknown>) => unknown,
) {
  const armed = service.server.arm([{ ...when, effect: { kind: 'point', name: 'stop' } }])
  const { child, ended } = start(place, RUN)
  onPoint = () => act(name => void child.kill(name), ended)
  const first = await ended
  expect(armed.unconsumed()).toEqual([])
  while (service.server.pending() > 0) await wait(20)
  return first
}

const effectsNow = () => service.server.effects()

/** Goes on with the run; gives what is wrong with the whole. */
async function finished(
  place: Place,
  first: Awaited<ReturnType<typeof stopped>>,
  before: ReturnType<typeof effectsNow>,
): Promise<string[]> {
  service.server.arm([])
  const second = await start(place, ['resume', JSON.parse(first.stdout || '{}').runId ?? recorded(place)?.runId, '--json']).ended
  const now = effectsNow()
  const names = ['creates', 'uploads', 'submits', 'enriches', 'logins'] as const
  const made = Object.fromEntries(names.map(name => [name, now[name] - before[name]])) as unknown as typeof now
  return violations({ place, ended: [first, second], expected, remote: { service, made } })
}

/** Keeps the journal of a run as a fixture of the release named, if none stands there. */
function keep(place: Place, name: string): void {
  const version = process.env.FETTLE_FIXTURES
  if (version === undefined) return
  const to = fileURLToPath(new URL(`../../unit/journal/fixtures/${version}/${name}.jsonl`, import.meta.url))
  mkdirSync(dirname(to), { recursive: true })
  const { journal } = runDirectory(place.runsDir, listRunIds(place.runsDir)[0]!)
  if (existsSync(to)) return
  copyFileSync(journal, to)
  copyFileSync(contentsPath(journal), contentsPath(to))
}

test.each<[string, Omit<FaultInput, 'effect'>, NodeJS.Signals, object]>([
  ['create', { operation: 'createJob' }, 'SIGINT', { id: expect.any(String), uploadRequested: false }],
  ['upload', { operation: 'upload' }, 'SIGTERM', { uploadRequested: true, uploaded: null }],
  ['map', { operation: 'setMappings' }, 'SIGINT', { mapped: true, matchRequested: false }],
  ['submit', { operation: 'submit' }, 'SIGTERM', { matchAccepted: true, matchFinished: false }],
  ['match', { operation: 'readJob', nth: 3 }, 'SIGINT', { matchAccepted: true, matchFinished: false }],
  ['enrich', { operation: 'enrich' }, 'SIGTERM', { enrichAccepted: true, enrichFinished: false }],
  ['download', { operation: 'enrichedFile' }, 'SIGINT', { enrichFinished: true, received: null }],
])('a first signal in %s', async (stage, when, name, job) => {
  const place = makePlace(data, service)
  // The ten seconds for what is in flight must not shrink to nothing.
  place.env.WAIT_DIVISOR = '1.5'
  const before = effectsNow()
  const first = await stopped(place, when, async signal => {
    signal(name)
    await wait(300)
  })
  place.env.WAIT_DIVISOR = '50'
  const code = name === 'SIGINT' ? 130 : 143
  expect(first.code, first.stderr).toBe(code)
  const state = recorded(place)!
  expect(state).toMatchObject({ finished: false, status: 'cancelled', exitCode: code })
  expect(state.jobs[0]).toMatchObject(job)
  expect(first.stderr).toContain(`fettle resume ${state.runId}`)
  expect(first.stderr).toContain(state.jobs[0]?.id)
  expect(JSON.parse(first.stdout)).toMatchObject({ exitCode: code, status: 'cancelled', runId: state.runId })
  keep(place, `${stage}-interrupted`)
  expect(await finished(place, first, before)).toEqual([])
  keep(place, `${stage}-finished`)
  rmSync(place.folder, { recursive: true, force: true })
})

test('a first signal during a request without an answer waits at most ten seconds', async () => {
  const place = makePlace(data, service)
  const before = effectsNow()
  const first = await stopped(place, { operation: 'submit' }, (signal, gone) => {
    signal('SIGTERM')
    return gone
  })
  expect(first.code, first.stderr).toBe(143)
  expect(recorded(place)?.jobs[0]).toMatchObject({ matchRequested: true, matchAccepted: false })
  expect(await finished(place, first, before)).toEqual([])
  rmSync(place.folder, { recursive: true, force: true })
})

test.each(['SIGINT', 'SIGTERM'] as const)('a second %s ends at once', async name => {
  const place = makePlace(data, service)
  const before = effectsNow()
  const first = await stopped(place, { operation: 'createJob' }, async (signal, gone) => {
    signal(name)
    // Two in one moment are one signal to the kernel.
    const again = setInterval(() => signal(name), 20)
    await gone
    clearInterval(again)
  })
  expect([first.code, first.signal]).toEqual([null, name])
  expect(recorded(place)).toMatchObject({ finished: false, status: 'running', jobs: [{ requested: true, id: null }] })
  expect(await finished(place, first, before)).toEqual([])
  rmSync(place.folder, { recursive: true, force: true })
})
