/**
 * A run killed at the file operations around its reservation, its requests and its settlement, also by a power cut: the month counts what
 * it may cost or has cost, also when its folder is gone, and never nothing once the service may have charged.
 */
import { appendFileSync, cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { remoteIdentity } from '../../../src/env/identity.ts'
import { spentInMonth } from '../../../src/spending/spending.ts'
import { runs, sampled } from '../../support/runs.ts'
import { recorded } from './judge.ts'
import { CREDENTIALS, type DiskFault, makePlace, type Place, ROWS, settled, start } from './kit.ts'
import type { Started } from './use-service.ts'
import { useService } from './use-service.ts'

const RUN = ['run', 'pipeline.yml', '--json']
const used = {} as Started
useService(started => Object.assign(used, started))

function newPlace(): Place {
  const place = makePlace(used.data, used.service)
  appendFileSync(join(place.folder, 'pipeline.yml'), 'budget: { month: 1000 }\n')
  return place
}

const counted = ({ runsDir }: Place): number =>
  spentInMonth(
    runsDir,
    remoteIdentity(used.service.url, () => CREDENTIALS),
    Date.now(),
  ).credits

/** What the month counts once somebody has removed the folder of the run. */
function countedWithoutRun(place: Place): number {
  const runsDir = `${place.runsDir}-copy`
  cpSync(place.runsDir, runsDir, { recursive: true })
  const state = recorded(place)
  if (state !== null) rmSync(join(runsDir, state.runId), { recursive: true })
  const credits = counted({ ...place, runsDir })
  rmSync(runsDir, { recursive: true })
  return credits
}

/** What an undisturbed run costs, and the operations at which others are killed. */
async function undisturbed(): Promise<{ cost: number; points: number[] }> {
  const place = newPlace()
  const log = join(used.data, 'operations')
  const { code, stderr } = await start(place, RUN, { fault: 'SIGKILL@1000000', log }).ended
  expect(code, stderr).toBe(0)
  const points = readFileSync(log, 'utf8')
    .split('\n')
    .flatMap(line => (/ .*(spending\.jsonl|\.spending|journal\.jsonl)/.test(line) ? [Number(line.split(' ')[0])] : []))
  rmSync(log)
  const cost = counted(place)
  expect(countedWithoutRun(place)).toBe(cost)
  rmSync(place.folder, { recursive: true, force: true })
  return { cost, points }
}

async function killAt(fault: string, cost: number, more: Partial<DiskFault>): Promise<void> {
  const place = newPlace()
  const before = used.service.server.effects().enriches
  const disk = { fault, log: join(used.data, 'log'), ...more }
  const first = await start(place, RUN, disk).ended
  await settled(used.service)
  const isCharged = used.service.server.effects().enriches > before
  if (first.signal === 'SIGKILL') {
    const state = recorded(place)
    const may = state === null ? [0] : state.finished ? [ROWS, cost] : [ROWS]
    expect(may, fault).toContain(counted(place))
    if (isCharged) expect(countedWithoutRun(place), `${fault}, without its folder`).toBeGreaterThanOrEqual(cost)
    const { code, stderr } = await start(place, state?.finished ? ['resume', '--json'] : RUN).ended
    expect([fault, code, stderr]).toEqual([fault, 0, expect.any(String)])
  }
  expect([counted(place), countedWithoutRun(place)], `${fault}, at the end`).toEqual([cost, cost])
  rmSync(place.folder, { recursive: true, force: true })
}

test.each([
  ['killed', 'SIGKILL', {}],
  ['killed in the middle of a write', 'cut', {}],
  ['cut off from power', 'SIGKILL', { isPowerCut: true }],
] as const)('a run %s leaves the month counted right', { timeout: 3_600_000 }, async (_, effect, more) => {
  const { cost, points } = await undisturbed()
  expect(cost).toBeGreaterThan(0)
  expect(cost).toBeLessThan(ROWS)
  expect(points.length).toBeGreaterThan(20)
  for (const point of sampled(points, runs(14, points.length))) await killAt(`${effect}@${point}`, cost, more)
})
