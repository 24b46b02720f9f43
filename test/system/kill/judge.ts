/** Lists violated invariants of a run, from the files on disk and the record of the service. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fold, type RunState, readJournal } from '../../../src/journal/index.ts'
import { reportSchema } from '../../../src/report/index.ts'
import { listRunIds, runDirectory } from '../../../src/runs/run-directory.ts'
import type { EffectCounts, FaultyService } from '../../../src/testing/index.ts'
import { checkRun } from '../../support/check-run/check-run.ts'
import { CREDENTIALS, type Ended, OLD, OUTPUTS, outputsOf, type Place, ROWS } from './kit.ts'

/** What the run in a place recorded, as far as it can be read; null when it recorded nothing. */
export function recorded({ runsDir }: Place): RunState | null {
  const [id] = listRunIds(runsDir)
  if (id === undefined || !existsSync(runDirectory(runsDir, id).journal)) return null
  return fold(readJournal(runDirectory(runsDir, id).journal).events)
}

/** The part of the run that a state stands in. */
export function placeInRun(state: RunState | null): string {
  if (state === null) return 'start'
  if (state.finished || state.stages.every(one => one.status === 'success' || one.status === 'skipped')) return 'report'
  return state.stages.findLast(one => one.status !== 'pending')?.name ?? 'start'
}

/** I3 at any instant: every file that has its final name is whole. `expected` are the outputs of an undisturbed run. */
export function halfFiles(place: Place, expected: readonly string[]): string[] {
  const bad = outputsOf(place).flatMap((text, at) => (text === OLD || text === expected[at] ? [] : [`${OUTPUTS[at]} is half`]))
  for (const id of listRunIds(place.runsDir)) {
    const { path } = runDirectory(place.runsDir, id)
    const json = join(path, 'report.json')
    if (existsSync(json) && !reportSchema.safeParse(parsed(json)).success) bad.push('report.json is half')
    for (const [name, end] of Object.entries({
      'report.html': '</html>\n',
      'junit.xml': '</testsuites>\n',
      'metrics.txt': '# EOF\n',
    }))
      if (existsSync(join(path, name)) && !readFileSync(join(path, name), 'utf8').endsWith(end)) bad.push(`${name} is half`)
  }
  return bad
}

const parsed = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

/** A run that was pulled and finished, and what there is to judge it by. */
export interface Finished {
  readonly place: Place
  /** Both processes. */
  readonly ended: readonly Ended[]
  readonly expected: readonly string[]
  /** The service, and what it carried out for this run; null when the run brought its own. */
  readonly remote: { readonly service: FaultyService; readonly made: EffectCounts } | null
}

/** What must hold once the run is finished: the five invariants, the very outputs of an undisturbed run, and no debris. */
export async function violations({ place, ended, expected, remote }: Finished): Promise<string[]> {
  const last = ended.at(-1)
  if (last?.code !== 0) return [`the second process ended ${last?.code ?? last?.signal}: ${last?.stderr}`]
  const { path } = runDirectory(place.runsDir, JSON.parse(last.stdout).runId)
  const said = ended.flatMap(({ stdout, stderr }) => [stdout, stderr])
  const found = await checkRun({
    runDirectory: path,
    inputRows: ROWS,
    outputs: OUTPUTS,
    cwd: place.folder,
    secrets: [CREDENTIALS.password],
    said,
    ...(remote === null ? {} : { service: { ...CREDENTIALS, url: remote.service.service.url }, server: remote.service.server }),
  })
  const bad = found.map(({ invariant, what }) => `${invariant}: ${what}`)
  if (outputsOf(place).join() !== expected.join()) bad.push('the outputs are not those of an undisturbed run')
  // The marker alone would not show a job of another name.
  const { creates, uploads, submits, enriches } = remote?.made ?? { creates: 1, uploads: 1, submits: 1, enriches: 1 }
  if ([creates, uploads, submits, enriches].some(count => count !== 1))
    bad.push(`creates ${creates}, uploads ${uploads}, submits ${submits}, enriches ${enriches}`)
  return [...bad, ...debris(place, path)]
}

/**
 * Temporary names and rows of the input, and the answers unless there are rows to decide about. `latest` is written by many: its debris goes by age alone; and a lock is left to the
 * next run that wants it.
 */
function debris({ folder }: Place, run: string): string[] {
  const isReviewed = readdirSync(run).includes('review.jsonl.gz')
  const isDebris = (name: string): boolean =>
    /\.tmp$|\.partial$|^service$|^upload\.csv$/.test(name) || (name.startsWith('enriched-') && !isReviewed)
  const left = [folder, run].flatMap(at => readdirSync(at).filter(isDebris))
  return left.map(name => `${name} is left behind`)
}
