/** The command line of the chaos runner: reads flags, runs the campaign, prints figures, shrinks failures. */
import { parseArgs } from 'node:util'
import type { FaultInput } from '../../../src/testing/index.ts'
import build from '../../global-setup.ts'
import { campaign, type Tally } from './campaign.ts'
import type { Journeyed } from './journey.ts'
import { OWN_DIST } from './place.ts'
import { shortestOf } from './repeat.ts'
import { journeyAlone, openStage, type Stage } from './stage.ts'

const HELP = `npm run test:chaos -- [--runs 500] [--seed N] [--only SEED] [--within SECONDS] [--shrink 3] [--dist FOLDER] [--json]

  --runs N      so many runs
  --seed N      the master seed; a new one if absent
  --within N    no run is begun after N seconds
  --only SEED   one run of this seed, alone, with its history
  --shrink N    the first N failing runs are repeated and shrunk
  --dist PATH   another build than ./dist
  --simulated   runs are executed in this process, as if it were several
  --no-disk     no process dies at an operation on its files
  --json        the figures as one JSON line at the end`

const PROCESSES = 3
const RUNS_EACH = 8

const print = (text: string): void => void process.stdout.write(`${text}\n`)

/** Carries out what the arguments ask for; 1 when a run failed. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: 'string', default: '500' },
      seed: { type: 'string' },
      only: { type: 'string' },
      within: { type: 'string', default: 'Infinity' },
      shrink: { type: 'string', default: '3' },
      dist: { type: 'string' },
      simulated: { type: 'boolean', default: false },
      'no-disk': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    print(HELP)
    return 0
  }
  if (values.dist === undefined) await build()
  const seed = Number(values.seed ?? Date.now() % 1_000_000_000)
  const stage = await openStage({
    dist: values.dist ?? OWN_DIST,
    seed,
    processes: PROCESSES,
    runsEach: RUNS_EACH,
    isSimulated: values.simulated,
    disk: values.only === undefined && !values['no-disk'],
  })
  try {
    if (values.only !== undefined) return showOne(await journeyAlone(stage, Number(values.only)))
    print(`seed ${seed}: ${values.runs} runs, ${PROCESSES} processes with ${RUNS_EACH} runs each`)
    const runs = Number(values.runs)
    const onRun = (done: Journeyed, count: number): void => {
      if (done.charges.length > 0) print(`run of seed ${done.seed} FAILED: ${textOf(done)}`)
      if (count % 100 === 0) print(`${count} of ${runs}`)
    }
    const tally = await campaign(stage, {
      master: seed,
      runs,
      lanes: PROCESSES * RUNS_EACH,
      within: Number(values.within),
      onRun,
    })
    showTally(tally, seed)
    for (const failed of tally.failed.slice(0, Number(values.shrink))) await showShrunk(failed, stage)
    const { failed, ...figures } = tally
    if (values.json) print(JSON.stringify({ seed, ...figures, failed: failed.map(one => one.seed) }))
    return failed.length === 0 ? 0 : 1
  } finally {
    await stage.close()
  }
}

const textOf = ({ charges }: Journeyed): string => charges.map(({ of, what }) => `${of}: ${what}`).join(' | ')
const listOf = (history: readonly FaultInput[]): string => `[\n${history.map(one => `  ${JSON.stringify(one)}`).join(',\n')}\n]`

function showOne(done: Journeyed): number {
  print(`history: ${listOf(done.history)}`)
  for (const [index, text] of done.commands.entries()) print(`command ${index + 1}: ${text}`)
  print(done.charges.length === 0 ? 'no violation' : textOf(done))
  return done.charges.length === 0 ? 0 : 1
}

function showTally(tally: Tally, seed: number): void {
  const { kills, resumes, orphans, charged } = tally
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .map(([word, count]) => `${word} ${count}`)
      .join(', ')
  print(`
seed                     ${seed}
runs                     ${tally.runs}, ${tally.requests} requests
faults fired             ${Object.values(tally.faults).reduce((sum, count) => sum + count, 0)}: ${list(tally.faults)}
SIGKILL                  ${kills.requests} at a request, ${kills.disk} at a file operation; ${kills.felt} runs were hit
service killed           ${tally.restarts} times
commands ended           ${list(tally.endings)}
resumes a run            median ${resumes.median}, most ${resumes.max}, ${resumes.total} in all
duplicate jobs, effects  ${charged.I1} (orphans made by the network alone: ${orphans.reported} reported, ${orphans.unreported} behind an answered create)
rows lost                ${charged.I2}
half files               ${charged.I3}
requests left pending    ${charged.I4}
secrets                  ${charged.I5}
not finished, or another output  ${charged.end}
seconds                  ${tally.seconds.toFixed(0)} (${(tally.runs / tally.seconds).toFixed(1)} runs a second)`)
}

/** Repeats a failing run alone, by its seed and by its history, and prints the least that still fails. */
async function showShrunk(failed: Journeyed, stage: Stage): Promise<void> {
  print(`\nseed ${failed.seed}: ${textOf(failed)}\nhistory: ${listOf(failed.history)}`)
  for (const [index, text] of failed.commands.entries()) print(`command ${index + 1}: ${text}`)
  const shortest = await shortestOf(failed, stage)
  print(shortest === null ? 'did not fail again with this history alone' : `shortest that fails: ${listOf(shortest)}`)
}
