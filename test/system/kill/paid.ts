/**
 * A night that was killed, and the list of the next one: what the first has paid is fetched, and where it has paid nothing the second takes
 * its place, whatever kills the second night.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { listRunIds, readRun } from '../../../src/runs/run-directory.ts'
import type { FaultInput, FaultyService } from '../../../src/testing/index.ts'
import { nextCommand } from './copies.ts'
import { recorded } from './judge.ts'
import { INPUT, makePlace, OUTPUTS, type Place, ROWS, settled, start } from './kit.ts'
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
  const prepared = await killedNight(data, service, { operation, at }, onStart)
  const killed = recorded(prepared)!
  expect(killed.jobs.map(({ enrichRequested }) => enrichRequested)).toEqual([expect.any(String)])
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

/** The night after one that was killed before it paid: it takes the place of that one, and pays for all its rows once. */
export async function unpaidScene(data: string, service: FaultyService, onStart: (child: Child) => void): Promise<Scene> {
  const prepared = await killedNight(data, service, { operation: 'setEnrichments', at: 'carriedOut' }, onStart)
  const killed = recorded(prepared)!
  writeFileSync(join(prepared.folder, 'in.csv'), NEXT)
  const judge = async (place: Place): Promise<string[]> => {
    const [second, first] = listRunIds(place.runsDir).map(id => readRun(place.runsDir, id))
    if (first?.runId !== killed.runId || second === undefined) return [`the runs are ${listRunIds(place.runsDir)}`]
    const bad = oneJobEach(service, [second.jobName])
    const { enriches } = service.server.effects(first.jobName)
    if (enriches !== 0) bad.push('the killed night was paid')
    if (first.error?.code !== 'FETTLE_SUPERSEDED') bad.push(`the killed night is ${first.status}`)
    const { code, stdout, stderr } = await start(place, ['resume', killed.runId]).ended
    const shown = `${stdout}${stderr}`
    if (code !== 2 || !shown.includes(second.runId)) bad.push(`its resume: ${code} ${shown}`)
    const again = await start(place, ['run', 'pipeline.yml', '-q']).ended
    if (again.code !== 0 || recorded(place)?.plan.sent !== 0) bad.push(`the next night ended ${again.code}: ${again.stderr}`)
    return bad
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

/** A place whose run was killed at a request. */
async function killedNight(data: string, service: FaultyService, { operation, at }: PaidAt, onStart: (child: Child) => void) {
  const place = makePlace(data, service)
  const pipeline = join(place.folder, 'pipeline.yml')
  writeFileSync(pipeline, `${readFileSync(pipeline, 'utf8')}${REUSE}`)
  const armed = service.server.arm([{ operation, effect: { kind: 'killClient', at } }])
  const { child, ended } = start(place, ['run', 'pipeline.yml', '-q'])
  onStart(child)
  expect((await ended).signal).toBe('SIGKILL')
  armed.disarm()
  await settled(service)
  return place
}

const oneJobEach = ({ server }: FaultyService, names: readonly string[]): string[] =>
  names.flatMap(name => {
    const { creates, uploads, submits, enriches } = server.effects(name)
    const made = [creates, uploads, submits, enriches]
    return made.some(count => count !== 1) ? [`${name}: creates, uploads, submits, enriches: ${made}`] : []
  })
