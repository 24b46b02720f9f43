/**
 * A night that was killed, and the list of the next one: what the first has paid is fetched, and what it has not is not paid again by its
 * resume, whatever kills the second night, or the resume.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { listRunIds, readRun } from '../../../src/app/runs/run-directory.ts'
import type { FaultInput, FaultyService } from '../../../src/testing/index.ts'
import { copyOf, nextCommand } from './copies.ts'
import { recorded } from './judge.ts'
import { INPUT, makePlace, OUTPUTS, outputsOf, type Place, ROWS, settled, start } from './kit.ts'
import type { Scene } from './scenes.ts'
import type { Child } from './use-service.ts'

/** The last list, with a row changed, one gone and two new. */
const LINES = INPUT.split('\n')
const NEXT = [
  ...LINES.with(20, LINES[20]!.replace('Harrow', 'Barrow')).toSpliced(25, 1),
  'y,Somebody New Ltd,,GB',
  'z,Nobody Else Ltd,,GB',
].join('\n')
const NEW_ROWS = 3
const REUSE = 'reuse: { matched: 30d, unmatched: 7d, review: 7d }\n'

/** Where the first night is killed. */
export type PaidAt = Pick<FaultInput, 'operation'> & { readonly at: 'carriedOut' | 'answered' }

/** `onStart` gets the process that the service kills when it is told to. */
export async function paidScene(
  data: string,
  service: FaultyService,
  { operation, at }: PaidAt,
  onStart: (child: Child) => void,
): Promise<Scene> {
  const prepared = makePlace(data, service)
  const pipeline = join(prepared.folder, 'pipeline.yml')
  writeFileSync(pipeline, `${readFileSync(pipeline, 'utf8')}${REUSE}`)
  const armed = service.server.arm([{ operation, effect: { kind: 'killClient', at } }])
  const { child, ended } = start(prepared, ['run', 'pipeline.yml', '-q'])
  onStart(child)
  expect((await ended).signal).toBe('SIGKILL')
  armed.disarm()
  await settled(service)
  const killed = recorded(prepared)!
  expect(killed.jobs.map(({ enrichRequested }) => enrichRequested)).toEqual([true])
  writeFileSync(join(prepared.folder, 'in.csv'), NEXT)
  const judge = async (place: Place): Promise<string[]> => {
    const bad: string[] = []
    const [second, first] = listRunIds(place.runsDir).map(id => readRun(place.runsDir, id))
    if (first?.runId !== killed.runId || second === undefined) return [`the runs are ${listRunIds(place.runsDir)}`]
    bad.push(...oneJobEach(service, [first.jobName, second.jobName]))
    if (second.plan.sent !== NEW_ROWS) bad.push(`${second.plan.sent} rows were paid, ${NEW_ROWS} are new`)
    // The next night knows everything, and the killed one ends with its list.
    const again = await start(place, ['run', 'pipeline.yml', '-q']).ended
    const third = recorded(place)
    if (again.code !== 0 || third?.plan.sent !== 0) bad.push(`the next night ended ${again.code}: ${again.stderr}`)
    writeFileSync(join(place.folder, 'in.csv'), INPUT)
    const resumed = await start(place, ['resume', killed.runId, '-q']).ended
    const { finished, plan, outcomes } = readRun(place.runsDir, killed.runId)
    if (resumed.code !== 0 || !finished || plan.sent !== ROWS || outcomes === null)
      bad.push(`resumed, the killed night ended ${resumed.code}: ${resumed.stderr}`)
    return [...bad, ...oneJobEach(service, [first.jobName])]
  }
  return {
    prepared,
    args: ['run', 'pipeline.yml', '--json'],
    next: (place, args) => (recorded(place)?.runId === killed.runId ? args : nextCommand(place, args)),
    files: OUTPUTS,
    judge,
    rest: () => settled(service),
  }
}

/** Of the last list two rows are gone, and two are new; the register has one of each, so the embedded service answers the others as before. */
const OTHER = [...LINES.toSpliced(25, 1).toSpliced(5, 1), 'y,Harrow Cragstone Optics Ltd,,GB', 'z,Nobody Else Ltd,,GB'].join('\n')
const GONE_ROWS = 2

/** The resume of a night that was killed before it paid: the next night has paid for most of its questions. */
export async function unpaidScene(data: string): Promise<Scene> {
  const place = makePlace(data, null)
  const pipeline = join(place.folder, 'pipeline.yml')
  writeFileSync(pipeline, `${readFileSync(pipeline, 'utf8')}${REUSE}`)
  const prepared = await killedUnpaid(place)
  const killed = recorded(prepared)!
  writeFileSync(join(prepared.folder, 'in.csv'), OTHER)
  const paying = await start(prepared, ['run', 'pipeline.yml', '--new', '-q']).ended
  expect(paying.code, paying.stderr).toBe(0)
  writeFileSync(join(prepared.folder, 'in.csv'), INPUT)
  // What the killed night writes is what a night writes that sends all rows.
  const full = await start(place, ['run', 'pipeline.yml', '--new', '-q']).ended
  expect(full.code, full.stderr).toBe(0)
  const expected = outputsOf(place)
  rmSync(place.folder, { recursive: true, force: true })
  const judge = (place: Place): string[] => {
    const { plan, jobs, reuse, finished } = readRun(place.runsDir, killed.runId)
    const bad: string[] = []
    if (!finished || plan.sent !== GONE_ROWS) bad.push(`${plan.sent} rows were paid, the other night lacked ${GONE_ROWS}`)
    if (jobs.map(({ name }) => name).join() !== `${killed.jobName}-r2`) bad.push(`its jobs are ${jobs.map(({ name }) => name)}`)
    if (reuse?.left.map(({ id }) => id).join() !== killed.jobs[0]!.id) bad.push('the jobs that it left are not those it had')
    if (outputsOf(place).join() !== expected.join()) bad.push('the outputs are not those of a full night')
    return bad
  }
  return { prepared, args: ['resume', killed.runId, '--json'], files: OUTPUTS, judge }
}

/** A copy of the place whose run was killed between the submit of its job and its enriching. */
async function killedUnpaid(place: Place): Promise<Place> {
  const log = join(place.folder, 'log')
  const whole = copyOf(place)
  await start(whole, ['run', 'pipeline.yml', '-q'], { fault: '', log }).ended
  rmSync(whole.folder, { recursive: true, force: true })
  const writes = readFileSync(log, 'utf8')
    .split('\n')
    .flatMap((line, at) => (/ write .*journal\.jsonl/.test(line) ? [at + 1] : []))
  rmSync(log)
  for (const at of writes.slice(writes.length >> 2)) {
    const copy = copyOf(place)
    await start(copy, ['run', 'pipeline.yml', '-q'], { fault: `SIGKILL@${at}`, log }).ended
    rmSync(log)
    const [job] = recorded(copy)?.jobs ?? []
    if (job?.matchAccepted === true && !job.enrichRequested) return copy
    rmSync(copy.folder, { recursive: true, force: true })
  }
  throw new Error('no kill hit the run before it paid')
}

const oneJobEach = ({ server }: FaultyService, names: readonly string[]): string[] =>
  names.flatMap(name => {
    const { creates, uploads, submits, enriches } = server.effects(name)
    const made = [creates, uploads, submits, enriches]
    return made.some(count => count !== 1) ? [`${name}: creates, uploads, submits, enriches: ${made}`] : []
  })
