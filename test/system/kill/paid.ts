/** A night that was killed once it had paid, and the list of the next one: the answers are fetched, whatever kills that night. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { listRunIds, readRun } from '../../../src/app/runs/run-directory.ts'
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
  writeFileSync(pipeline, `${readFileSync(pipeline, 'utf8')}reuse: { matched: 30d, unmatched: 7d, review: 7d }\n`)
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

const oneJobEach = ({ server }: FaultyService, names: readonly string[]): string[] =>
  names.flatMap(name => {
    const { creates, uploads, submits, enriches } = server.effects(name)
    const made = [creates, uploads, submits, enriches]
    return made.some(count => count !== 1) ? [`${name}: creates, uploads, submits, enriches: ${made}`] : []
  })
