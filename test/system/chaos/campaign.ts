/** Runs many seeds of one master seed, several at a time, while the service is killed every few seconds. */
import type { Fault } from '../../../src/testing/index.ts'
import { draw, hash } from './chance.ts'
import { Journey, type Journeyed } from './journey.ts'
import type { Charge } from './judge.ts'
import type { Stage } from './stage.ts'

/** How often, in milliseconds, the service is killed: anywhere between the two. */
const RESTART_MS = [5_000, 10_000] as const

/** What came of a campaign. */
export interface Tally {
  readonly runs: number
  readonly requests: number
  /** Faults that took hold, by kind. */
  readonly faults: Readonly<Record<string, number>>
  /** Processes killed at a request and at their files, and runs that were in their hands. */
  readonly kills: { readonly requests: number; readonly disk: number; readonly felt: number }
  readonly restarts: number
  /** How commands ended: `0`, `killed`, or exit code and error. */
  readonly endings: Readonly<Record<string, number>>
  /** Commands beyond the first. */
  readonly resumes: { readonly median: number; readonly max: number; readonly total: number }
  readonly orphans: { readonly reported: number; readonly unreported: number }
  /** Runs charged with each. */
  readonly charged: Readonly<Record<Charge['of'], number>>
  readonly failed: readonly Journeyed[]
  readonly seconds: number
}

/** The seed of run number `index`. */
const seedOf = (master: number, index: number): number => hash(master, 'run', index)

/** What is to be carried out. */
interface Orders {
  readonly master: number
  readonly runs: number
  /** Runs side by side. */
  readonly lanes: number
  /** No run is begun after so many seconds. */
  readonly within?: number
  readonly onRun?: (done: Journeyed, count: number) => void
}

/** Carries out `runs` runs in `lanes` lanes. `onRun` hears of each. */
export async function campaign(
  { world }: Stage,
  { master, runs, lanes, within = Number.POSITIVE_INFINITY, onRun = () => {} }: Orders,
): Promise<Tally> {
  const startedAt = performance.now()
  const journeys = new Set<Journey>()
  const done: Journeyed[] = []
  const stop = restartAtTimes(master, async () => {
    for (const journey of journeys) journey.serviceKilled()
    await world.service.restart()
  })
  let index = 0
  const lane = async (slot: number): Promise<void> => {
    while (index < runs && performance.now() - startedAt < within * 1000) {
      const journey = new Journey(seedOf(master, index++), world)
      journeys.add(journey)
      const ended = await journey.carryOut(slot)
      journeys.delete(journey)
      done.push(ended)
      onRun(ended, done.length)
    }
  }
  try {
    await Promise.all(Array.from({ length: lanes }, (_, slot) => lane(slot)))
  } finally {
    await stop()
  }
  return tally(done, world.workers.kills, world.service.restarts, (performance.now() - startedAt) / 1000)
}

/** Calls `restart` at times that follow from the seed; what it returns ends that. */
function restartAtTimes(master: number, restart: () => Promise<void>): () => Promise<void> {
  const next = draw(master, 'restarts')
  const [least, most] = RESTART_MS
  let running = Promise.resolve()
  let timer: NodeJS.Timeout
  const arm = (): void => {
    timer = setTimeout(
      () => {
        running = restart()
        running.then(arm, () => {})
      },
      least + next() * (most - least),
    )
  }
  arm()
  return async () => {
    clearTimeout(timer)
    await running
    clearTimeout(timer)
  }
}

function countOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

function tally(done: readonly Journeyed[], kills: { asked: number; disk: number }, restarts: number, seconds: number): Tally {
  const sum = (of: (one: Journeyed) => number): number => done.reduce((total, one) => total + of(one), 0)
  const kindOf = ({ effect }: Fault): string => (effect.kind === 'status' ? `status ${effect.status}` : effect.kind)
  const resumes = done.map(one => one.commands.length - 2).sort((a, b) => a - b)
  const charged = (of: Charge['of']): number => done.filter(one => one.charges.some(charge => charge.of === of)).length
  return {
    runs: done.length,
    requests: sum(one => one.requests),
    faults: countOf(done.flatMap(one => one.fired.map(kindOf))),
    endings: countOf(done.flatMap(one => one.commands.map(text => text.split(':')[0] ?? ''))),
    kills: {
      requests: kills.asked,
      disk: kills.disk,
      felt: sum(one => one.commands.filter(text => text.startsWith('killed')).length),
    },
    restarts,
    resumes: {
      median: resumes[Math.floor(resumes.length / 2)] ?? 0,
      max: resumes.at(-1) ?? 0,
      total: resumes.reduce((total, count) => total + count, 0),
    },
    orphans: { reported: sum(one => one.orphans.reported), unreported: sum(one => one.orphans.unreported) },
    charged: {
      I1: charged('I1'),
      I2: charged('I2'),
      I3: charged('I3'),
      I4: charged('I4'),
      I5: charged('I5'),
      end: charged('end'),
    },
    failed: done.filter(one => one.charges.length > 0),
    seconds,
  }
}
