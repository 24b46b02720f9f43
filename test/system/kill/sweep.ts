/**
 * The sweep: applies a fault at one point of a run, finishes the run with the next command, checks the invariants, and
 * continues with the next point until none is left. The points are deterministic.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EffectCounts, FaultInput, FaultyService } from '../../../src/testing/index.ts'
import { halfFiles, placeInRun, recorded, violations } from './judge.ts'
import { type Ended, makePlace, OLD, outputsOf, type Place, settled, start, startService } from './kit.ts'

/** What happens at a point. */
export type Effect =
  | { readonly at: 'arrival' | 'carriedOut' | 'answered'; readonly of?: FaultInput['operation'] }
  | {
      readonly disk: 'SIGKILL' | 'SIGINT' | 'SIGTERM' | 'cut' | 'short' | 'ENOSPC' | 'EIO'
      readonly lasts?: true
      readonly ops?: string
    }

/** One way to sweep: an effect at `first`, `first + step`, … until a run ends untouched or `most` are done, or at the points of `only`. */
export interface Sweep {
  readonly effect: Effect
  readonly first: number
  readonly step: number
  readonly only?: readonly number[]
  /** How many points at most: so many runs less that end untouched. */
  readonly most?: number
  /** The service dies with the run. */
  readonly embedded?: boolean
  /** The kill is a power cut. */
  readonly powerCut?: boolean
}

/** What was found. */
export interface Found {
  readonly points: number
  /** Points by part of the run. */
  readonly parts: Readonly<Record<string, number>>
  readonly violations: readonly string[]
}

/** One of the places where runs are pulled side by side, each with a service of its own. */
interface Lane {
  readonly data: string
  readonly service: FaultyService
  child: ReturnType<typeof start>['child'] | null
  readonly log: string
}

/** So many lanes: two cores, and a third run while one waits. */
const LANES = 3

/** Opens the lanes; close them in the end. */
export async function openLanes(data: string, count = LANES): Promise<{ lanes: readonly Lane[]; close(): Promise<void> }> {
  const logs = mkdtempSync(join(tmpdir(), 'fettle-kill-logs-'))
  const lanes: Lane[] = []
  for (let n = 0; n < count; n++) {
    const service = await startService(data, `service-${n}`, () => lanes[n]?.child?.kill('SIGKILL'))
    lanes.push({ data, service, child: null, log: join(logs, `${n}`) })
  }
  const close = async (): Promise<void> => {
    for (const { service } of lanes) await service.close()
    rmSync(logs, { recursive: true, force: true })
  }
  return { lanes, close }
}

/** Sweeps until a run ends untouched. `expected` are the outputs of an undisturbed run. */
export async function sweep(lanes: readonly Lane[], one: Sweep, expected: readonly string[]): Promise<Found> {
  const { effect, first, step, only, most = Number.POSITIVE_INFINITY } = one
  const parts: Record<string, number> = {}
  const bad: string[] = []
  let next = 0
  let isOver = false
  const walk = async (lane: Lane): Promise<void> => {
    while (!isOver && next < most) {
      const at = only === undefined ? first + next * step : only[next]
      next++
      if (at === undefined) break
      const result = await pull(lane, one, at, expected)
      if (result === null) {
        isOver = true
        if (only !== undefined) bad.push(`${wordsOf(effect)} ${at}: the run ended before it`)
      } else {
        parts[result.part] = (parts[result.part] ?? 0) + 1
        bad.push(...result.violations.map(why => `${wordsOf(effect)} ${at} (${result.part}): ${why}`))
      }
    }
  }
  await Promise.all(lanes.map(walk))
  return { points: Object.values(parts).reduce((all, one) => all + one, 0), parts, violations: bad }
}

/** An effect in a word. */
export const wordsOf = (effect: Effect): string =>
  'at' in effect ? `request ${effect.at}` : `${effect.disk}${effect.lasts === true ? ' for good' : ''}`

/** Pulls one run at one point; null when it ended before that point. */
async function pull(lane: Lane, { effect, embedded = false, powerCut }: Sweep, at: number, expected: readonly string[]) {
  const place = makePlace(lane.data, embedded ? null : lane.service)
  rmSync(lane.log, { force: true })
  const { server } = lane.service
  const before = server.effects()
  const armed = server.arm(
    'at' in effect ? [{ operation: effect.of ?? '*', nth: at, effect: { kind: 'killClient', at: effect.at } }] : [],
  )
  const disk = {
    fault: 'at' in effect ? '' : `${effect.disk}@${at}${effect.lasts === true ? '+' : ''}`,
    log: lane.log,
    ...('at' in effect || effect.ops === undefined ? {} : { ops: effect.ops }),
    ...(powerCut === true ? { isPowerCut: true as const } : {}),
  }
  const { child, ended } = start(place, ['run', 'pipeline.yml', '--json'], disk)
  lane.child = child
  const first = await ended
  lane.child = null
  await settled(lane.service)
  const fired = 'at' in effect ? armed.unconsumed().length === 0 : readFileSync(lane.log, 'utf8').includes(` ${effect.disk}\n`)
  armed.disarm()
  const state = recorded(place)
  if (!fired) {
    const isFine = first.code === 0 && outputsOf(place).join() === expected.join()
    rmSync(place.folder, { recursive: true, force: true })
    return isFine ? null : { part: 'untouched', violations: [`ended ${first.code ?? first.signal}: ${first.stderr}`] }
  }
  const bad = [...halfFiles(place, expected), ...atOnce(place, first, effect, embedded)]
  const args = state === null ? ['run', 'pipeline.yml', '--json'] : ['resume', state.runId, '--json']
  const second = await start(place, args).ended
  const remote = embedded ? null : { service: lane.service, made: minus(server.effects(), before) }
  bad.push(...(await violations({ place, ended: [first, second], expected, remote })))
  if (bad.length === 0) rmSync(place.folder, { recursive: true, force: true })
  else bad.push(`kept in ${place.folder}`)
  return { part: placeInRun(state), violations: bad }
}

const minus = (now: EffectCounts, then: EffectCounts): EffectCounts => ({
  creates: now.creates - then.creates,
  uploads: now.uploads - then.uploads,
  submits: now.submits - then.submits,
  enriches: now.enriches - then.enriches,
  logins: now.logins - then.logins,
})

/** What must hold the moment the first process is gone. */
function atOnce(place: Place, first: Ended, effect: Effect, embedded: boolean): string[] {
  const what = 'at' in effect ? 'SIGKILL' : effect.disk
  if (what === 'SIGKILL' || what === 'cut') return first.signal === 'SIGKILL' ? [] : [`ended ${first.code}, not by SIGKILL`]
  // A short write is legal, an operation whose failure hurts nobody is none, and a stop may come too late.
  if (first.code === 0) return []
  if (what === 'short') return [`a short write ended it: ${first.code}: ${first.stderr}`]
  if (what === 'ENOSPC' || what === 'EIO') return [...refused(place, first, embedded), ...wayOn(place, first)]
  const isStop = first.code === (what === 'SIGINT' ? 130 : 143)
  return [...(isStop ? [] : [`ended ${first.code ?? first.signal}: ${first.stderr}`]), ...wayOn(place, first)]
}

/** Whoever ends short of the end says how to go on, and which job is left at the service; and its result line says so too. */
function wayOn(place: Place, { code, stderr, stdout }: Ended): string[] {
  const state = recorded(place)
  const bad = JSON.parse(stdout).exitCode === code ? [] : [`the result line: ${stdout}`]
  if (state === null) return bad
  if (!stderr.includes(`fettle resume ${state.runId}`)) bad.push(`no way to go on: ${stderr}`)
  const id = state.jobs[0]?.id
  if (id != null && !stderr.includes(id)) bad.push(`no job id: ${stderr}`)
  return bad
}

/** A disk that refuses: 73, the path and the cure. The old outputs stand until new ones are whole. */
function refused(place: Place, { code, stderr }: Ended, embedded: boolean): string[] {
  const bad: string[] = []
  // The embedded service is a service: it may be the one that cannot write, and say so.
  if (code !== 73 && !(embedded && code === 75)) bad.push(`ended ${code}: ${stderr}`)
  else if (code === 73 && !/FETTLE_(?:OUTPUT|JOURNAL)_WRITE/.test(stderr)) bad.push(`no code of the disk: ${stderr}`)
  if (/FETTLE_BUG|\n\s+at /.test(stderr)) bad.push(`a stack or a bug: ${stderr}`)
  if (!/fettle-runs|out\.csv|unmatched\.csv/.test(stderr)) bad.push(`no path: ${stderr}`)
  const state = recorded(place)
  const isBefore = state !== null && state.outputs.length === 0 && state.stages.at(-1)?.status === 'pending'
  if (isBefore && outputsOf(place).some(text => text !== OLD)) bad.push('an old output is gone')
  return bad
}
