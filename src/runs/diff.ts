/** The rows that differ between two runs of a list, or between two outputs. It sends and writes nothing. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { action, FettleError } from '../errors.ts'
import type { Diff } from '../report/index.ts'
import { compareStates, type OutputChoice, outputStates, type RowStates, readStates } from '../results/index.ts'
import { findPruned } from './pruned-runs.ts'
import { findRunId, readRun, runDirectory } from './run-directory.ts'
import { lastGoodRun } from './run-store.ts'

export interface DiffOptions extends OutputChoice {
  readonly runsDir: string
  readonly cwd: string
}

/**
 * Compares `from` with `to`. One name is a run and the last good run before it; none is the latest run. Throws FETTLE_RUN_UNKNOWN,
 * FETTLE_DIFF when the two cannot be compared, FETTLE_USAGE for a column of runs.
 */
export async function compareRuns(from: string | null, to: string | null, options: DiffOptions): Promise<Diff> {
  const isPair = from !== null && to !== null
  const later = isPair ? to : (from ?? undefined)
  const now = isFile(later, options) ? later : findNamedRun(later, options)
  const against = isPair ? (isFile(from, options) ? from : findNamedRun(from, options)) : findRunBefore(now, options)
  if ((options.key !== null || options.company !== null) && ![against, now].some(name => isFile(name, options)))
    throw new FettleError('FETTLE_USAGE', `${against} and ${now} are runs, which know the columns of key and company`, {
      hint: 'Name a column of outputs only.',
    })
  const found = await compareStates(await readRowStates(against, options), await readRowStates(now, options))
  if (found === null)
    throw new FettleError('FETTLE_DIFF', `${against} and ${now} do not identify their rows by the same column`, {
      hint: 'Compare their outputs, by a column that both have.',
      action: action('diff', 'A.csv', 'B.csv', '--key', 'COLUMN'),
    })
  return { against, now, ...found }
}

function isFile(name: string | undefined, { cwd }: DiffOptions): name is string {
  return name !== undefined && statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isFile() === true
}

/** Throws FETTLE_RUN_UNKNOWN for a name that is neither a run nor a file. */
function findNamedRun(name: string | undefined, { runsDir, cwd }: DiffOptions): string {
  try {
    return findRunId(runsDir, name)
  } catch (error) {
    if (!FettleError.is(error) || error.code !== 'FETTLE_RUN_UNKNOWN' || name === undefined) throw error
    if (findPruned(runsDir, name) !== null) throw error
    const isFolder = statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isDirectory() === true
    const message = isFolder ? `${name} is a folder, and no run in ${runsDir}` : `${error.message}, and no file ${name}`
    throw new FettleError(error.code, message, {
      hint: 'Name two runs, or the files of two outputs. List the runs.',
      action: action('runs'),
    })
  }
}

function findRunBefore(now: string, options: DiffOptions): string {
  if (isFile(now, options))
    throw new FettleError('FETTLE_DIFF', `${now} is a file, and nothing was named to compare it with`, {
      hint: 'Name two outputs.',
      action: action('diff', 'A.csv', now),
    })
  const before = lastGoodRun(options.runsDir, readRun(options.runsDir, now), now)
  if (before === null)
    throw new FettleError('FETTLE_DIFF', `no good run of the same pipeline, account, target and limit came before ${now}`)
  return before.runId
}

async function readRowStates(name: string, options: DiffOptions): Promise<RowStates> {
  if (isFile(name, options)) return outputStates(name, options, options.cwd)
  const states = await readStates(runDirectory(options.runsDir, name).path)
  if (states !== null) return states
  throw new FettleError('FETTLE_DIFF', `the rows of the run ${name} are not kept: only the two newest good runs keep them`, {
    hint: 'Compare two outputs, or set retention in the pipeline, which keeps the rows of every run that long.',
    action: action('diff', 'A.csv', 'B.csv'),
  })
}
