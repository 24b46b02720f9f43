/**
 * Two runs with the same rows, started at once in processes of their own: no row and no company is paid twice. A
 * process that is killed blocks nobody.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunState } from '../../../src/journal/index.ts'
import { listRunIds, readRun } from '../../../src/runs/run-directory.ts'
import type { FaultyService } from '../../../src/testing/index.ts'
import { eventually } from '../../support/eventually.ts'
import { INPUT, makePlace, type Place, settled, startProcess } from '../kill/kit.ts'
import { useService } from '../kill/use-service.ts'

let data: string
let service: FaultyService
let kill = (): unknown => undefined

useService(
  started => {
    ;({ data, service } = started)
  },
  { onKill: () => kill() },
)

const MORE = `reuse: { matched: 30d, unmatched: 7d, review: 7d, screen: { age: 30d, acceptStale: true } }
screen: { datasets: [SAN] }
`

/** A pipeline whose runs in two folders have their answers in common. */
function preparedPlace(): Place {
  const place = makePlace(data, service)
  const path = join(place.folder, 'pipeline.yml')
  writeFileSync(path, `${readFileSync(path, 'utf8')}${MORE}`)
  return place
}

const SHARED = ['--json', '--answers-dir', 'answers', '--runs-dir']
const ALL = ['run', 'pipeline.yml', ...SHARED, 'runs-all']
const SOME = ['run', 'pipeline.yml', '--limit', '20', ...SHARED, 'runs-some']
const ROWS = INPUT.trim().split('\n').length - 1

const foldersOf = ({ folder }: Place): string[] => ['runs-all', 'runs-some'].map(name => join(folder, name))
const runsOf = (place: Place): RunState[] => foldersOf(place).flatMap(folder => listRunIds(folder).map(id => readRun(folder, id)))
const sum = (runs: readonly RunState[], of: (run: RunState) => number): number => runs.reduce((all, run) => all + of(run), 0)

test('two runs at once pay for each question and each company once', { timeout: 120_000 }, async () => {
  for (const delay of [0, 0, 700]) {
    const place = preparedPlace()
    const first = startProcess(place, ALL)
    await new Promise(resolve => setTimeout(resolve, delay))
    const both = [first, startProcess(place, SOME)]
    const ends = await Promise.all(both.map(({ ended }) => ended))
    expect(
      ends.map(({ code }) => code),
      ends.map(({ stderr }) => stderr).join('\n'),
    ).toEqual([0, 0])
    const runs = runsOf(place)
    expect(sum(runs, ({ plan }) => plan.sent)).toBe(ROWS)
    const listed = Math.max(...runs.map(({ companies }) => companies?.listed ?? 0))
    expect(listed).toBeGreaterThan(5)
    expect(sum(runs, ({ screening }) => screening!.searches)).toBe(listed)
    const words = ends.map(({ stderr }) => stderr).join('\n')
    expect(words).toMatch(
      /waiting for (the run \S+, which asks the same: answers that both can use are not paid twice|process \d+ on \S+, which )/,
    )
    rmSync(place.folder, { recursive: true, force: true })
  }
})

test('a run does not wait for one that was killed, whose resume pays for nothing more', { timeout: 120_000 }, async () => {
  const place = preparedPlace()
  const armed = service.server.arm([{ operation: 'enrich', effect: { kind: 'killClient', at: 'answered' } }])
  const first = startProcess(place, ALL)
  kill = () => first.child.kill('SIGKILL')
  // The request of the second run may kill the first, too: by then that one is a run.
  await eventually(() => expect(runsOf(place)).toHaveLength(1))
  const second = startProcess(place, SOME)
  const ends = await Promise.all([first.ended, second.ended])
  armed.disarm()
  await settled(service)
  expect(ends.map(({ signal }) => signal)).toContain('SIGKILL')
  const killed = runsOf(place).find(({ finished }) => !finished)!
  const runsDir = foldersOf(place).find(folder => listRunIds(folder).includes(killed.runId))!
  const { code, stderr } = await startProcess(place, ['resume', killed.runId, '--json', '--runs-dir', runsDir]).ended
  expect([code, stderr]).toEqual([0, expect.any(String)])
  const after = readRun(runsDir, killed.runId)
  expect([after.finished, after.jobs.length]).toEqual([true, 1])
  // The kill may hit the run while it waits for the other one: then it has asked nothing, and what it shares with it is known.
  if (killed.jobs[0]!.id !== null) expect(after.plan.sent).toBe(killed.plan.sent)
  else expect(sum(runsOf(place), ({ plan }) => plan.sent)).toBe(ROWS)
  const third = await startProcess(place, [...ALL, '--new']).ended
  expect([third.code, runsOf(place)[0]!.plan.sent]).toEqual([0, 0])
  rmSync(place.folder, { recursive: true, force: true })
})
