/** A recorded run, replayed: the same outcomes, codes and states, for random lists and for faults of the service. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunResult } from '../../../src/execution/run-settings.ts'
import { startRun } from '../../../src/execution/start.ts'
import { readJournal } from '../../../src/journal/index.ts'
import { prepare } from '../../../src/prepare/prepare.ts'
import { NO_OVERRIDES } from '../../../src/prepare/read-pipeline.ts'
import { importRegister } from '../../../src/service/registers/index.ts'
import { openCassette, serveReplay } from '../../../src/service/replay/server.ts'
import { type FaultInput, type FaultyService, serveWithFaults, VirtualClock } from '../../../src/testing/index.ts'
import { memoryFolder } from '../../support/memory-folder.ts'
import { runs } from '../../support/runs.ts'

const PASSWORD = 'canary-Pa"ss word/1&'
const NAMES = [
  'Harrow Optics Ltd',
  'Bellbrook\nDairy',
  'Cragstone Freight',
  'Nobody "GmbH"',
  'Dalefield, Textile',
  'ÄÖ Straße AG',
  '李小龍',
]

let base: string
let faulty: FaultyService

beforeAll(async () => {
  base = mkdtempSync(join(memoryFolder(), 'fettle-replay-'))
  const register = [
    'id,name,country,orgNumber',
    ...NAMES.slice(0, 5).map((name, at) => `c${at},"${name.replaceAll('"', '""')}",GB,1000000${at}`),
  ]
  writeFileSync(join(base, 'register.csv'), `${register.join('\n')}\n`)
  const registerDir = join(base, 'registers')
  await importRegister({
    file: join(base, 'register.csv'),
    name: 'small',
    dir: registerDir,
    now: new Date('2026-01-01T00:00:00Z'),
  })
  const users = [{ username: 'recorder', password: PASSWORD }]
  faulty = await serveWithFaults({ dataDir: join(base, 'service'), registerDir, registers: [], users, screensAtOnce: true })
})

afterAll(async () => {
  await faulty.close()
  rmSync(base, { recursive: true, force: true })
})

interface Case {
  readonly rows: readonly (readonly string[])[]
  readonly keys?: Readonly<Record<string, unknown>>
}

let count = 0
const makeFolder = (): string => {
  const folder = join(base, `case-${count++}`)
  mkdirSync(folder)
  return folder
}

async function runIn(
  folder: string,
  pipeline: string,
  server: { readonly url: string; pending(): number },
  record: string | null,
  signal?: AbortSignal,
): Promise<RunResult> {
  const env = { FETTLE_URL: server.url, FETTLE_USERNAME: 'recorder', FETTLE_PASSWORD: PASSWORD, FETTLE_DATA: base }
  const { plan, credentials, issues } = await prepare(pipeline, { env, cwd: folder, ...NO_OVERRIDES })
  if (plan === null) throw new Error(JSON.stringify(issues))
  const clock = new VirtualClock({ isIdle: () => server.pending() === 0 })
  const runsDir = join(folder, 'runs')
  const settings = {
    env,
    cwd: folder,
    runsDir,
    credentials,
    args: {},
    timeoutMs: null,
    signal: signal ?? new AbortController().signal,
  }
  return startRun(plan, { ...settings, record, runtime: { clock } }, false)
}

const cellOf = (text: string): string => `"${text.replaceAll('"', '""')}"`

async function recordCase({ rows, keys = {} }: Case, faults: readonly FaultInput[], signal?: AbortSignal) {
  const folder = makeFolder()
  writeFileSync(join(folder, 'in.csv'), `Kunde;Nr;Land\n${rows.map(row => row.map(cellOf).join(';')).join('\n')}\n`)
  const pipeline = {
    name: 'recorded',
    input: { path: join(folder, 'in.csv'), key: 'Nr' },
    mappings: { name: 'Kunde', orgNumber: { from: 'Nr', pad: 8 }, country: 'Land' },
    output: { path: 'out.csv' },
    poll: { every: '1s', max: '1s', timeout: '1h' },
    ...keys,
  }
  writeFileSync(join(folder, 'pipeline.json'), JSON.stringify(pipeline))
  const cassette = join(folder, 'case.jsonl')
  const armed = faulty.server.arm(faults)
  const result = await runIn(folder, join(folder, 'pipeline.json'), faulty.server, cassette, signal)
  armed.disarm()
  return { cassette, result }
}

/** Unpacks a cassette as `fettle serve --replay` does, and runs its list against it. */
async function replayCase(path: string) {
  const folder = makeFolder()
  const cassette = await openCassette(path)
  const { input, output, ...rest } = cassette.head.pipeline as { input: object; output: object }
  writeFileSync(join(folder, 'list.csv'), cassette.head.list!)
  const pipeline = { ...rest, input: { ...input, path: join(folder, 'list.csv') }, output: { ...output, path: 'out.csv' } }
  writeFileSync(join(folder, 'pipeline.json'), JSON.stringify(pipeline))
  const unknown: string[] = []
  await using replay = await serveReplay(cassette, {
    now: () => Date.UTC(2026, 0, 1),
    onUnknown: request => void unknown.push(request),
  })
  return { result: await runIn(folder, join(folder, 'pipeline.json'), replay, null), unknown }
}

/** What the run did for each part, in order; parts run side by side, so what belongs to none of them is in any order. */
function eventsOf(journal: string): Record<string, string[]> {
  const groups: Record<string, string[]> = { run: [] }
  for (const event of readJournal(journal).events) {
    const group = 'part' in event ? `part ${event.part}` : 'run'
    const text = [event.type, 'status' in event ? event.status : '', 'stage' in event ? event.stage : ''].join(' ')
    groups[group] = [...(groups[group] ?? []), text]
  }
  return { ...groups, run: groups.run!.toSorted() }
}

/** What a run came to: status, codes, counts, and what it did at the service in order. */
const essence = ({ state, report, directory }: RunResult) => ({
  status: state.status,
  exitCode: state.exitCode,
  error: state.error?.code ?? null,
  outcomes: state.outcomes,
  totals: report.totals,
  jobs: state.jobs.map(({ status, failure }) => [status, failure?.code ?? null]),
  events: eventsOf(directory.journal),
})

const row = fc.tuple(
  fc.constantFrom(...NAMES),
  fc.oneof(
    fc.integer({ min: 0, max: 9 }).map(n => `1000000${n}`),
    fc.nat(99_999).map(String),
    fc.constant(''),
  ),
  fc.constantFrom('GB', 'DE', 'gb', ''),
)
const keys = fc.record(
  {
    job: fc.record(
      { split: fc.integer({ min: 1, max: 5 }), collapse: fc.boolean(), concurrency: fc.constantFrom(1, 3) },
      { requiredKeys: [] },
    ),
    enrich: fc.constantFrom('basic', { product: 'basic', tags: ['general.connectId', 'general.companyName'] }),
    checks: fc.constantFrom({}, { unmatched: { fail: '> 40%' } }),
  },
  { requiredKeys: [] },
)

const EFFECTS: readonly FaultInput['effect'][] = [
  { kind: 'status', status: 503, headers: { 'retry-after': '3' } },
  { kind: 'status', status: 429, headers: {} },
  { kind: 'status', status: 500, headers: {}, carriedOut: true, body: '{"message":"Unexpected error of Harrow Optics"}' },
  { kind: 'status', status: 400, headers: {}, body: '{"message":"Invalid","details":"Kunde"}' },
  { kind: 'status', status: 403 },
  { kind: 'reset', at: 'arrival' },
  { kind: 'reset', at: 'reply', carriedOut: true },
  { kind: 'truncate', framing: 'length', keep: 0.6 },
  { kind: 'truncate', framing: 'chunked', keep: 0.6 },
  { kind: 'body', text: '<html><title>Harrow portal</title></html>', type: 'text/html' },
  { kind: 'rewrite', set: { status: null, more: { name: 'Harrow Optics', at: 17.5 } } },
  { kind: 'jobStatus', sequence: ['matchingError'], forever: true },
  { kind: 'expireToken' },
  { kind: 'duplicate' },
]
const OPERATIONS = [
  'createJob',
  'readJob',
  'upload',
  'setMappings',
  'submit',
  'setEnrichments',
  'enrich',
  'enrichedFile',
  'file',
  'listJobs',
  'authenticate',
] as const
const fault = fc.record({
  operation: fc.constantFrom(...OPERATIONS),
  nth: fc.integer({ min: 1, max: 3 }),
  times: fc.constantFrom(1, 2, 'always' as const),
  effect: fc.constantFrom(...EFFECTS),
})

async function checkReplayed(one: Case, faults: readonly FaultInput[]): Promise<void> {
  const recorded = await recordCase(one, faults)
  const replayed = await replayCase(recorded.cassette)
  expect(replayed.unknown).toEqual([])
  expect(essence(replayed.result)).toEqual(essence(recorded.result))
}

describe('a replay', () => {
  test('has the outcomes, codes and events of the recorded run for any list', async () => {
    const list = fc.array(row, { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(list, keys, async (rows, more) => checkReplayed({ rows, keys: more }, [])),
      { numRuns: runs(2, 40) },
    )
  })

  test('has them under any fault of the service', async () => {
    const list = fc.array(row, { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(list, fc.array(fault, { minLength: 1, maxLength: 2 }), async (rows, faults) =>
        checkReplayed({ rows }, faults),
      ),
      { numRuns: runs(4, 100) },
    )
  })

  test('repeats a portfolio and AML searches', async () => {
    const rows = NAMES.slice(0, 5).map((name, at) => [name, `1000000${at}`, 'GB'])
    const more = {
      portfolio: { name: `Berta's customers ${count}`, reference: 'Nr' },
      screen: { datasets: ['SAN'], countries: ['gb'], budget: 3 },
    }
    await checkReplayed({ rows, keys: more }, [
      { operation: 'createBusinessSearch', effect: { kind: 'reset', at: 'reply', carriedOut: true } },
    ])
  })
})
