/**
 * Nights of a list that changes, with faults of the service and kills, each followed by the next command for the same list or by the next
 * night, and resumed later than that: what a night writes is what a full one writes, and no question is in two jobs that were enriched.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect } from 'vitest'
import { connect } from '../../../src/client/index.ts'
import { fold, type RunState, readJournal } from '../../../src/journal/index.ts'
import { listRunIds, readRun, runDirectory } from '../../../src/runs/run-directory.ts'
import type { FaultInput, FaultyService } from '../../../src/testing/index.ts'
import { CREDENTIALS, type Ended, INPUT, makePlace, type Place, settled, start } from './kit.ts'
import type { Child } from './use-service.ts'

const [HEADER = '', ...LINES] = INPUT.split('\n')
/** Rows without their key. */
const ROWS = LINES.map(line => line.slice(line.indexOf(',') + 1))
const AT = ['arrival', 'carriedOut', 'answered'] as const

const serviceFault = fc.record({
  operation: fc.constantFrom('createJob', 'upload', 'submit', 'readJob', 'setEnrichments', 'enrich', 'enrichedFile', 'file'),
  nth: fc.integer({ min: 1, max: 2 }),
  effect: fc.constantFrom<FaultInput['effect']>(
    { kind: 'status', status: 503 },
    { kind: 'reset', at: 'arrival' },
    { kind: 'reset', at: 'reply', carriedOut: true },
    { kind: 'expireToken' },
  ),
})
const kill = fc.oneof(
  fc.record({
    operation: fc.constantFrom('enrich', 'readJob', 'enrichedFile', 'file', '*'),
    nth: fc.integer({ min: 1, max: 3 }),
    at: fc.constantFrom(...AT),
  }),
  // Before it pays.
  fc.record({
    operation: fc.constantFrom('upload', 'submit', 'setEnrichments'),
    nth: fc.constant(1),
    at: fc.constantFrom(...AT),
  }),
  fc.record({ disk: fc.integer({ min: 5, max: 260 }) }),
)

/** Each list is that of the night before, with rows changed, gone and new. */
const change = fc.record({
  changed: fc.array(fc.tuple(fc.nat(40), fc.nat(ROWS.length - 1)), { maxLength: 2 }),
  gone: fc.array(fc.nat(40), { maxLength: 2 }),
  added: fc.array(fc.nat(ROWS.length - 1), { maxLength: 3 }),
  faults: fc.array(serviceFault, { maxLength: 2 }),
  kill: fc.option(kill, { nil: null, freq: 3 }),
  /** After the kill: the same night again, else the next one, with another list. */
  goesOn: fc.boolean(),
  /** The killed night is resumed after so many others, and may be killed again. */
  later: fc.option(fc.record({ after: fc.nat(1), kill: fc.option(kill, { nil: null, freq: 2 }) }), { nil: null, freq: 4 }),
})

export const someNights = fc.record({
  first: fc.uniqueArray(fc.nat(ROWS.length - 1), { minLength: 15, maxLength: 20 }),
  nights: fc.array(change, { minLength: 2, maxLength: 4 }),
  split: fc.constantFrom(null, 8),
})

export type Nights = typeof someNights extends fc.Arbitrary<infer T> ? T : never
type Night = Nights['nights'][number]

/** A night that is killed once it has paid, and another list after it. */
export const KILLED_AND_CHANGED: Nights = {
  first: Array.from({ length: 15 }, (_, row) => row),
  nights: [
    {
      ...{ changed: [[1, 20]], gone: [], added: [21, 22], goesOn: false },
      ...{ faults: [{ operation: 'readJob', nth: 1, effect: { kind: 'status', status: 503 } }] },
      kill: { operation: 'enrich', nth: 1, at: 'answered' },
      later: null,
    },
    { changed: [[2, 25]], gone: [7], added: [23], faults: [], kill: null, goesOn: true, later: null },
  ],
  split: null,
}

/** A night that is killed before it pays, and another list after it, which takes its place. */
export const RESUMED_LATER: Nights = {
  ...KILLED_AND_CHANGED,
  nights: [
    {
      ...KILLED_AND_CHANGED.nights[0]!,
      kill: { operation: 'setEnrichments', nth: 1, at: 'answered' },
      later: { after: 0, kill: { operation: 'upload', nth: 1, at: 'answered' } },
    },
    KILLED_AND_CHANGED.nights[1]!,
  ],
}

const pipelineOf = (name: string, split: number | null, more: string): string => `name: ${name}
input: { path: in.csv, key: ref }
mappings: { name: Company, orgNumber: { from: No, pad: 8 }, country: Country }
enrich: { product: basic, tags: [general.connectId, general.companyName] }
poll: { every: 500ms, max: 1s }
${split === null ? '' : `job: { split: ${split} }\n`}output: { path: ${name}.csv, columns: ["*", general.connectId, match.outcome] }
${more}`

/** What became of the runs of some nights. */
export interface Played {
  readonly left: number
  readonly fetched: number
  /** Runs whose place another one took before they had paid. */
  readonly superseded: number
}

/** A run that was killed, and is resumed when some nights are over. */
interface Stopped {
  readonly id: string
  readonly list: List
  readonly kill: Night['kill']
  readonly due: number
}

/** Plays the nights; `onStart` gets each process, which the service kills when it is told to. */
export async function playNights(
  data: string,
  service: FaultyService,
  { first, nights, split }: Nights,
  onStart: (child: Child) => void,
): Promise<Played> {
  const place = makePlace(data, service)
  const write = (name: string, text: string): void => writeFileSync(join(place.folder, name), text)
  const writeList = (list: List): void => write('in.csv', [HEADER, ...list.map(([ref, row]) => `${ref},${ROWS[row]}`)].join('\n'))
  write('night.yml', pipelineOf('night', split, 'reuse: { matched: 30d, unmatched: 7d, review: 7d }\n'))
  write('full.yml', pipelineOf('full', split, ''))
  let key = 0
  let list: List = first.map(row => [`k${key++}`, row])
  let stopped: Stopped[] = []
  const resumeThose = async (isDue: (one: Stopped) => boolean): Promise<void> => {
    const due = stopped.filter(isDue)
    stopped = stopped.filter(one => !isDue(one))
    for (const { id, list, kill } of due) {
      // Outputs that a killed run has written are not written again: they are those of a later night by now, or would be replaced.
      const newest = listRunIds(place.runsDir, 'night')[0]!
      const hasWritten = (one: string): boolean => recordedIn(place, one)?.outcomes != null
      if (isOver(recordedIn(place, id)) || hasWritten(id) || (hasWritten(newest) && !isOver(recordedIn(place, newest)))) continue
      writeList(list)
      await expectFullNight(
        place,
        list.length,
        await play(place, service, ['resume', id, '--json'], { faults: [], kill }, onStart),
        id,
      )
    }
  }
  const usual = { changed: [], gone: [], added: [], faults: [], kill: null, goesOn: true, later: null }
  for (const [at, night] of [usual, ...nights].entries()) {
    list = changedList(list, night, () => `k${key++}`)
    writeList(list)
    const before = listRunIds(place.runsDir, 'night')
    const ended = await play(place, service, NIGHT, night, onStart)
    const [id] = listRunIds(place.runsDir, 'night').filter(one => !before.includes(one))
    const isKilled = ended.signal === 'SIGKILL'
    if (isKilled && night.later !== null && id !== undefined)
      stopped.push({ id, list, kill: night.later.kill, due: at + 1 + night.later.after })
    if (!isKilled) await expectFullNight(place, list.length, ended)
    await resumeThose(({ due }) => due <= at)
  }
  writeList(list)
  // A night without faults ends what is open.
  await expectFullNight(place, list.length, await start(place, NIGHT).ended)
  await resumeThose(() => true)
  expect(await paidTwice(place, service)).toEqual([])
  const runs = listRunIds(place.runsDir, 'night').flatMap(id => recordedIn(place, id) ?? [])
  rmSync(place.folder, { recursive: true, force: true })
  return {
    left: runs.filter(({ finished }) => !finished).length,
    fetched: runs.flatMap(({ issues }) => issues).filter(({ code }) => code === 'FETTLE_ANSWERS_FETCHED').length,
    superseded: runs.filter(({ error }) => error?.code === 'FETTLE_SUPERSEDED').length,
  }
}

const NIGHT = ['run', 'night.yml', '--json']

const isOver = (state: RunState | null): boolean => state === null || state.finished

function recordedIn({ runsDir }: Place, id: string): RunState | null {
  const { journal } = runDirectory(runsDir, id)
  return existsSync(journal) ? fold(readJournal(journal).events) : null
}

export type List = readonly (readonly [key: string, row: number])[]

export function changedList(
  list: List,
  { changed, gone, added }: Pick<Night, 'changed' | 'gone' | 'added'>,
  newKey: () => string,
): List {
  const next = [...list]
  for (const [at, row] of changed) next[at % next.length] = [next[at % next.length]![0], row]
  return [...next.filter((_, at) => at < 5 || !gone.includes(at)), ...added.map(row => [newKey(), row] as const)]
}

/** A command, to its end unless it is killed and the next night follows. */
async function play(
  place: Place,
  service: FaultyService,
  args: readonly string[],
  { faults, kill, goesOn = true }: Pick<Night, 'faults' | 'kill'> & { readonly goesOn?: boolean },
  onStart: (child: Child) => void,
): Promise<Ended> {
  const kills: FaultInput[] =
    kill !== null && 'at' in kill
      ? [{ operation: kill.operation as FaultInput['operation'], nth: kill.nth, effect: { kind: 'killClient', at: kill.at } }]
      : []
  const armed = service.server.arm([...kills, ...(faults as FaultInput[])])
  const disk = kill !== null && 'disk' in kill ? { fault: `SIGKILL@${kill.disk}`, log: join(place.folder, 'log') } : undefined
  const { child, ended } = start(place, args, disk)
  onStart(child)
  const first = await ended
  armed.disarm()
  await settled(service)
  // Faults may be more than a run stands: another attempt follows, as a scheduler makes it.
  if (first.signal === 'SIGKILL' ? goesOn : first.code === 75) return start(place, args).ended
  return first
}

/** The output is that of a night that sends all rows, and the ledger adds up: rows are reused or sent. */
async function expectFullNight(place: Place, rows: number, { code, stderr }: Ended, run?: string): Promise<void> {
  expect(code, stderr).toBe(0)
  const full = await start(place, ['run', 'full.yml', '--new', '-q']).ended
  expect(full.code, full.stderr).toBe(0)
  const [night, whole] = ['night.csv', 'full.csv'].map(name => readFileSync(join(place.folder, name), 'utf8'))
  expect(night).toBe(whole)
  const { reuse, outcomes } = readRun(place.runsDir, run ?? listRunIds(place.runsDir, 'night')[0]!)
  const { asked, known, sent, repeated } = reuse!.counts
  expect([asked, known + sent + repeated]).toEqual([rows, rows])
  expect(Object.values(outcomes!).reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(rows)
}

/** The questions in more than one job of a night that was enriched, as the service has them. */
async function paidTwice(place: Place, service: FaultyService): Promise<string[]> {
  const client = connect({ ...CREDENTIALS, url: service.url })
  const runs = listRunIds(place.runsDir, 'night').flatMap(id => recordedIn(place, id) ?? [])
  const jobs = runs.flatMap(run => run.jobs).filter(job => job.enrichRequested && job.id !== null)
  for (const { error, jobs: own } of runs)
    if (error?.code === 'FETTLE_SUPERSEDED')
      for (const { name, enrichRequested } of own) if (!enrichRequested) expect(service.server.effects(name).enriches).toBe(0)
  const seen = new Set<string>()
  const twice: string[] = []
  for (const { id, name } of jobs) {
    expect(service.server.effects(name)).toMatchObject({ creates: 1, uploads: 1, submits: 1, enriches: 1 })
    let text = ''
    for await (const chunk of (await client.openEnrichedFile(id!)).body) text += Buffer.from(chunk).toString()
    for (const row of parse(text, { columns: true, bom: true }) as Record<string, string>[]) {
      const question = ['Company', 'No', 'Country'].map(column => row[column]).join('|')
      if (seen.has(question)) twice.push(`${question} is in ${name} again`)
      seen.add(question)
    }
  }
  await client.close()
  return twice
}
