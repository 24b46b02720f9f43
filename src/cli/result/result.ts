/** The outcome of each pipeline for machines: exit code and result line. A command that could not start has a result line too. */
import { resolve } from 'node:path'
import type { QueuedRun } from '../../distributed/through-queue.ts'
import { action, EXIT, FettleError } from '../../errors.ts'
import type { RunResult } from '../../execution/run-settings.ts'
import { checkWritable, writeAtomic } from '../../files/atomic-file.ts'
import { explainRejection, formatResultLine, type PipelineResult, resultLine } from '../../report/index.ts'
import { hintWithCommand, shellCommand } from '../../shell-command.ts'
import { type Flags, usageError } from '../command.ts'
import { assertReplaceableResult } from '../options/overwrite-guards.ts'
import { isOn, needText, textFlag, wholeFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { chooseExit } from './exit.ts'

/** The outcome of one pipeline: a report, an error before there was one, or a result line if it was left in a queue. `name` is the file until it is read; `isRepeated` is a run that had finished before the command. */
export type Ending = { readonly name: string | null } & (
  | { readonly result: RunResult; readonly isRepeated?: boolean }
  | { readonly error: unknown }
  | { readonly left: string }
)

/** `--strict` counts a warning, one of the plan too, as a failed check; `--skip-code` replaces the code of an input without rows. */
export function chooseCode(ending: Ending, flags: Flags): number {
  if ('error' in ending) return chooseExit(ending.error)
  if ('left' in ending) return EXIT.ok
  const { status, exitCode, detached } = ending.result.state
  if (status === 'skipped') return readSkipCode(flags) ?? exitCode ?? EXIT.ok
  if (exitCode === EXIT.ok && (ending.result.unremoved ?? []).length > 0) return EXIT.checks
  if (exitCode === EXIT.ok && hasWarnings(ending.result) && isOn(flags, 'strict')) return EXIT.checks
  return exitCode ?? (detached ? EXIT.ok : EXIT.bug)
}

/** Of the run or of its plan. */
export const hasWarnings = ({ state: { status, issues } }: RunResult): boolean =>
  status === 'warn' || issues.some(({ severity }) => severity === 'warn')

/** `--skip-code`, null if absent. Throws FETTLE_USAGE for a value that is not an exit code or that has another meaning. */
export function readSkipCode(flags: Flags): number | null {
  const code = wholeFlag(flags, 'skip-code', 0, 255)
  if (code === null || code === EXIT.ok || !Object.values<number>(EXIT).includes(code)) return code
  const hint = 'Pass 0, or a code that fettle does not use, such as 99.'
  throw usageError(`--skip-code ${code} is already used for another outcome`, hint)
}

export function createResult(ending: Exclude<Ending, { readonly left: string }>, flags: Flags): PipelineResult {
  const result = 'result' in ending ? ending.result.report : explainRejection(ending.error, ending.name ?? 'fettle')
  return { ...result, exitCode: chooseCode(ending, flags) }
}

/** Called before anything is sent. Throws FETTLE_OUTPUT_WRITE if the result file cannot be written, FETTLE_USAGE if it would replace another file. */
export async function checkResultFile(flags: Flags, io: Io): Promise<void> {
  const file = textFlag(flags, 'result-file')
  if (file === null) return
  await assertReplaceableResult(resolve(io.cwd, file), file)
  await checkWritable(resolve(io.cwd, file), { isShared: true })
}

/** Writes the result lines to `--result-file`, then to stdout as the last bytes of the output. */
export async function printResults(endings: readonly Ending[], flags: Flags, io: Io): Promise<void> {
  const runsDir = needText(flags, 'runs-dir')
  const lines = endings.map(ending => {
    if ('left' in ending) return ending.left
    if ('error' in ending) return errorLine(ending.error, ending.name, runsDir)
    return resultLine({ ...ending.result.report, exitCode: chooseCode(ending, flags) })
  })
  const file = textFlag(flags, 'result-file')
  if (file !== null)
    await writeLines(lines, file, io).catch(error => {
      throw resultKept(error, endings, file, runsDir)
    })
  if (isOn(flags, 'json')) for (const line of lines) io.out(line)
}

/** The error of a result file, with a hint that names the recorded runs: the same command would start another run. */
function resultKept(error: unknown, endings: readonly Ending[], file: string, runsDir: string): unknown {
  const ids = endings.flatMap(ending => ('result' in ending ? [ending.result.state.runId] : []))
  if (!FettleError.is(error, 'output') || ids.length === 0) return error
  const ways = ids.map(id => shellCommand(action('resume', id, '--result-file', file), runsDir)).join('; ')
  return new FettleError(error.code, error.message, {
    hint: `Check permissions and free space, then print the result again, without a new run: ${ways}`,
    cause: error,
  })
}

async function writeLines(lines: readonly string[], file: string, io: Io): Promise<void> {
  await assertReplaceableResult(resolve(io.cwd, file), file)
  await writeAtomic(resolve(io.cwd, file), lines.length === 1 ? `${lines[0]}\n` : `[${lines.join(',')}]\n`, { isShared: true })
}

/** The result line of a command that failed as a whole. Reads argv, since the flags may be what could not be parsed. */
export async function printFailure(error: unknown, argv: readonly string[], io: Io): Promise<void> {
  const line = errorLine(error, null, argvValue(argv, 'runs-dir'))
  const file = argvValue(argv, 'result-file')
  // The failure may be that very file, which is already reported.
  if (file !== undefined) await writeLines([line], file, io).catch(() => {})
  if (beforeSeparator(argv).includes('--json')) io.out(line)
}

const beforeSeparator = (argv: readonly string[]): readonly string[] =>
  argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv

/** The value of a flag in a command line that may not be valid. */
export function argvValue(argv: readonly string[], flag: string): string | undefined {
  const words = beforeSeparator(argv)
  const at = words.findIndex(word => word === `--${flag}` || word.startsWith(`--${flag}=`))
  const value = words[at]?.includes('=') ? words[at]?.slice(flag.length + 3) : words[at + 1]
  return at < 0 || value === undefined || value.startsWith('-') ? undefined : value
}

/** The result line of a run that could not start: the same keys, with the error in place of counts. */
function errorLine(error: unknown, pipeline: string | null, runsDir: string | undefined): string {
  const { code, message, exitCode, hint, action } = FettleError.is(error) ? error : new FettleError('FETTLE_BUG')
  const reason = { code, message: message.slice(0, 1000), hint: hintWithCommand(hint, action, runsDir) }
  return formatResultLine({ status: 'error', exitCode, runId: null, pipeline, error: reason })
}

/** The result line of a run in a queue. */
export const queuedLine = ({ runId, pipeline }: QueuedRun, status: string, exitCode: number | null): string =>
  formatResultLine({ status, exitCode, runId, pipeline })
