/** `fettle run`: check, carry out, report; several pipelines side by side, none stopped by another's failure. */
import { resolve } from 'node:path'
import { explainPlan, inBatch, type Prepared, prepare, realPath, startRun, stdinOf } from '../../compose.ts'
import { EXIT, errorOfIssues, FettleError, type Issue } from '../../errors.ts'
import { escapeLines } from '../../report/index.ts'
import type { Flags } from '../command.ts'
import { worstExit } from '../exit.ts'
import { isOn, needText, textFlag } from '../flags.ts'
import type { Io } from '../io.ts'
import { printError, printIssue } from '../print-error.ts'
import { showProgress } from '../progress.ts'
import { codeOf, type Ending, giveResults, proveResultFile } from '../result.ts'
import { inText, overridesOf, pipelineFiles, settingsOf, timeoutOf } from './shared.ts'

/** So many pipelines run at once; most of the time of each is waiting. */
const SIDE_BY_SIDE = 4

interface Item {
  readonly file: string
  readonly prepared: Prepared
}

/** Carries out every pipeline named; the exit code is the worst. */
export async function run(flags: Flags, io: Io): Promise<number> {
  timeoutOf(flags)
  const files = pipelineFiles(flags)
  const items: Item[] = []
  try {
    return await carryAll(files, items, flags, io)
  } finally {
    for (const { prepared } of items) prepared.release()
  }
}

async function carryAll(files: readonly string[], items: Item[], flags: Flags, io: Io): Promise<number> {
  const stdin = stdinOf({ open: io.stdin, keeps: !isOn(flags, 'dry-run'), signal: io.signal })
  const surroundings = { env: io.env, cwd: io.cwd, runsDir: needText(flags, 'runs-dir'), stdin, ...overridesOf(flags) }
  for (const file of files) items.push({ file, prepared: await prepare(file, surroundings) })
  await refuseClashes(items, textFlag(flags, 'result-file'), io.cwd)
  if (isOn(flags, 'dry-run')) return dryRun(items, io)
  await proveResultFile(flags, io)
  const endings = await inBatch(items, SIDE_BY_SIDE, item => carryOne(item, flags, io, files.length > 1))
  for (const ending of endings) sayEnding(ending, flags, io)
  await giveResults(endings, flags, io)
  return worstExit(endings.map(ending => codeOf(ending, isOn(flags, 'strict'))))
}

async function carryOne({ file, prepared }: Item, flags: Flags, io: Io, isOneOfSeveral: boolean): Promise<Ending> {
  const name = prepared.plan?.name ?? file
  const progress = showProgress(io, {
    quiet: isOn(flags, 'quiet'),
    verbose: isOn(flags, 'verbose'),
    label: isOneOfSeveral ? name : null,
  })
  try {
    if (prepared.plan === null) throw errorOfIssues(prepared.issues)
    io.signal.throwIfAborted()
    // Missing credentials are better known before there is a folder for runs.
    if (prepared.plan.service.kind === 'remote') prepared.credentials()
    const settings = settingsOf(flags, io, progress, 'run', prepared.credentials)
    return { name, result: await startRun(prepared.plan, settings, isOn(flags, 'new')) }
  } catch (error) {
    return { name, error }
  } finally {
    progress.stop()
  }
}

/** Says how a pipeline ended: the report as text, or the error; quiet runs speak only when something is wrong. */
export function sayEnding(ending: Ending, flags: Flags, io: Io): void {
  if ('error' in ending) {
    io.say(printError(ending.error, isOn(flags, 'debug')))
    return
  }
  const { report } = ending.result
  if (isOn(flags, 'quiet') && codeOf(ending, isOn(flags, 'strict')) === EXIT.ok) return
  const to = isOn(flags, 'json') ? 'say' : 'out'
  io[to](inText(report, io, to))
}

/**
 * Two pipelines of one name would fight over their runs, two with one output over the file, and one whose input is the other's
 * output comes too early: refused before anything is sent, whatever links lead there.
 */
async function refuseClashes(items: readonly Item[], resultFile: string | null, cwd: string): Promise<void> {
  const owners = new Map<string, string>()
  if (resultFile !== null) owners.set(await realPath(resolve(cwd, resultFile)), '--result-file')
  const inputs = new Map<string, string>()
  for (const { file, prepared } of items)
    if (prepared.plan !== null) inputs.set(await realPath(resolve(cwd, prepared.plan.input.path)), file)
  for (const { file, prepared } of items) {
    if (prepared.plan === null) continue
    const { name, output } = prepared.plan
    const paths = [output?.path, output?.unmatched, output?.review].filter(path => path != null)
    const places = await Promise.all(paths.map(async path => [await realPath(resolve(cwd, path)), `the output ${path}`] as const))
    for (const [claim, words] of [[`name ${name}`, `the name ${name}`] as const, ...places]) {
      const reader = inputs.get(claim)
      if (reader !== undefined)
        throw new FettleError('FETTLE_USAGE', `${file} writes ${words}, which ${reader} reads`, {
          hint: 'Run them one after the other.',
        })
      const other = owners.get(claim)
      if (other !== undefined)
        throw new FettleError('FETTLE_USAGE', `${other} and ${file} both have ${words}`, { hint: 'Give each its own.' })
      owners.set(claim, file)
    }
  }
}

/** Prints the very plans that would be carried out. */
function dryRun(items: readonly Item[], io: Io): number {
  const codes = items.map(({ prepared }) => {
    if (prepared.issues.length > 0) io.say(prepared.issues.map((issue: Issue) => printIssue(issue)).join('\n'))
    if (prepared.plan === null) return errorOfIssues(prepared.issues).exitCode
    io.out(escapeLines(explainPlan(prepared.plan)))
    return EXIT.ok
  })
  return worstExit(codes)
}
