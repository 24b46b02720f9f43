/** `fettle run`: checks, runs and reports pipelines, several side by side; the failure of one does not stop the others. */

import { runPrepared } from '../../../distributed/run-or-queue.ts'
import { findRunKey } from '../../../env/run-key.ts'
import { EXIT, errorOfIssues, FettleError } from '../../../errors.ts'
import { explainPlan } from '../../../pipeline/index.ts'
import { keepUnprepared, type Prepared, prepare } from '../../../prepare/prepare.ts'
import { escapeLines, isRejection, verdictLine } from '../../../report/index.ts'
import { mapConcurrently } from '../../../run/index.ts'
import { type Flags, usageError } from '../../command.ts'
import { isOn, listFlag, needText, textFlag } from '../../options/read.ts'
import { CallReporters } from '../../reporters/call-reporters.ts'
import { ownFiles, refuseConflicts } from '../../result/conflicts.ts'
import { chooseExit, worstExit } from '../../result/exit.ts'
import {
  checkResultFile,
  chooseCode,
  createResult,
  type Ending,
  hasWarnings,
  printResults,
  queuedLine,
} from '../../result/result.ts'
import type { Io } from '../../terminal/io.ts'
import { printError, printIssues } from '../../terminal/print-error.ts'
import { showLongTask, showSeveral } from '../../terminal/progress/index.ts'
import { withPipelines } from '../pipelines.ts'
import { checkFlags, createSettings, prepareContext, reportText, showRun } from '../shared.ts'
import { queueTarget } from './queued.ts'

/** Pipelines at once; each spends most of its time waiting. */
const CONCURRENCY = 4
/** The column for names on a terminal. */
const NAME_WIDTH = 30

interface Item {
  readonly file: string
  readonly prepared: Prepared
  /** `run` if absent. */
  readonly command?: 'clean'
}

export async function run(given: Flags, io: Io): Promise<number> {
  checkFlags(given)
  queueTarget(given)
  const flags = await withPipelines(given, io)
  if (typeof flags === 'number') return flags
  const files = listFlag(flags, 'pipeline')
  if (files.length > 1 && textFlag(flags, 'record') !== null)
    throw usageError('--record records one run, and several pipelines are named', 'Record one pipeline at a time.')
  const reporters = await CallReporters.create(flags, io)
  const items: Item[] = []
  try {
    return await runAll(files, items, { reporters, flags, io })
  } catch (error) {
    // An error that prevented all of them from starting.
    await reporters.end([createResult({ name: null, error }, flags)], chooseExit(error))
    throw error
  } finally {
    for (const { prepared } of items) prepared.release()
  }
}

/** What the steps of one call share. */
interface Call {
  readonly reporters: CallReporters
  readonly flags: Flags
  readonly io: Io
}

async function runAll(files: readonly string[], items: Item[], call: Call): Promise<number> {
  const { reporters, flags, io } = call
  const keeps = !isOn(flags, 'dry-run')
  const work = showLongTask(io, isOn(flags, 'quiet'))
  const runsDir = needText(flags, 'runs-dir')
  const runKey = findRunKey(io.env, textFlag(flags, 'run-key'))?.key ?? null
  const context = { ...prepareContext(flags, io, keeps), runsDir, runKey }
  try {
    for (const file of files) items.push({ file, prepared: await prepare(file, { ...context, onProgress: work.bytes }) })
  } catch (error) {
    if (keeps) await keepUnprepared(files[items.length]!, error, context)
    throw error
  } finally {
    work.stop()
  }
  const plans = items.flatMap(({ file, prepared: { plan } }) => (plan === null ? [] : [{ file, plan }]))
  await refuseConflicts(plans, ownFiles(flags, reporters), io.cwd)
  reporters.enable()
  if (isOn(flags, 'dry-run')) return dryRun(items, io)
  await checkResultFile(flags, io)
  const several = showSeveral(io, files.length, isOn(flags, 'quiet'))
  const width = Math.min(NAME_WIDTH, Math.max(...items.map(item => readName(item).length)))
  const endings = await mapConcurrently(items, CONCURRENCY, async item => {
    const ending = await runPipeline(item, call, files.length > 1 ? width : null)
    several.ended(readName(item), inShort(ending))
    return ending
  }).finally(several.stop)
  return reportEndings(endings, call)
}

const readName = ({ file, prepared }: Item): string => prepared.plan?.name ?? file

/** `✓ Success, 8.1 s: 386 of 463 rows matched.`, before the reports of all. */
function inShort(ending: Ending): string {
  if ('error' in ending) {
    const { code, message } = FettleError.is(ending.error) ? ending.error : { code: 'FETTLE_BUG', message: String(ending.error) }
    return `error ${code}: ${message}`
  }
  return 'left' in ending ? 'in the queue' : verdictLine(ending.result.report)
}

/** Prints the outcomes, then passes them to reporters, then prints the result lines; returns the worst exit code. */
export async function reportEndings(endings: readonly Ending[], call: Call): Promise<number> {
  const { reporters, flags, io } = call
  const code = worstExit(endings.map(ending => chooseCode(ending, flags)))
  for (const ending of endings) printEnding(ending, endings.length > 1, call)
  const results = endings.flatMap(ending => ('left' in ending ? [] : [createResult(ending, flags)]))
  await reporters.end(results, code)
  if (reporters.page !== null && !results.every(isRejection) && !isOn(flags, 'quiet')) io.err(`overview: ${reporters.page}`)
  await printResults(endings, flags, io)
  return code
}

/** Runs one pipeline; an error is its ending. `nameWidth`: the column for names when several run at once. */
export async function runPipeline(
  { file, prepared, command }: Item,
  { reporters, flags, io }: Call,
  nameWidth: number | null = null,
): Promise<Ending> {
  const name = prepared.plan?.name ?? file
  const progress = showRun(flags, io, nameWidth === null ? null : name, nameWidth ?? 0)
  const observers = reporters.observersOf(progress)
  const settings = createSettings(flags, io, command ?? 'run', { observers, credentials: prepared.credentials })
  try {
    const started = await runPrepared(prepared, settings, { queue: queueTarget(flags), fresh: isOn(flags, 'new') })
    if (started.result === null) return { name, left: queuedLine(started.queued, 'running', EXIT.ok) }
    return { name, result: started.result }
  } catch (error) {
    return { name, error }
  } finally {
    progress.stop()
  }
}

/** The report as text, or the error. A quiet command prints a success only with new warnings: warnings of a run that had finished are not repeated. */
function printEnding(ending: Ending, isOneOfSeveral: boolean, { reporters, flags, io }: Call): void {
  const of = isOneOfSeveral ? ending.name : null
  if ('error' in ending) io.err(printError(ending.error, isOn(flags, 'debug'), needText(flags, 'runs-dir'), of))
  if (!('result' in ending)) return
  const { report } = ending.result
  const warns = hasWarnings(ending.result) && ending.isRepeated !== true
  if (isOn(flags, 'quiet') && chooseCode(ending, flags) === EXIT.ok && !warns) return
  const to = isOn(flags, 'json') || reporters.hasStdout ? 'err' : 'out'
  io[to](`${isOneOfSeveral ? '\n' : ''}${reportText(report, io, to)}`)
}

/** Prints the plans, and sends and writes nothing. */
export function dryRun(items: readonly Item[], io: Io): number {
  const codes = items.map(({ file, prepared }) => {
    if (prepared.issues.length > 0) io.err(printIssues(prepared.issues, items.length > 1 ? file : null))
    const { plan, input } = prepared
    if (plan === null || input === null) return errorOfIssues(prepared.issues).exitCode
    io.text(escapeLines(explainPlan(plan, input)))
    return EXIT.ok
  })
  return worstExit(codes)
}
