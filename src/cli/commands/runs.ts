/** `fettle runs`: lists the stored runs, newest first. */
import { dirname, resolve } from 'node:path'
import { counted } from '../../counted.ts'
import { queuedRun } from '../../distributed/queued-run.ts'
import { packageInfo } from '../../env/package-info.ts'
import { type ErrorCode, EXIT, FettleError } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import type { RunState } from '../../journal/index.ts'
import { parseDuration } from '../../pipeline/index.ts'
import { pruneRuns } from '../../privacy/prune.ts'
import { escapeTerminal, formatResultLine, renderHistory, resultLine, safeJson } from '../../report/index.ts'
import { time } from '../../report/words.ts'
import { type Attempt, formatStamp, readAttempts } from '../../runs/attempts.ts'
import { listNights } from '../../runs/nights.ts'
import { listRunIds } from '../../runs/run-directory.ts'
import { listedRun } from '../../runs/run-queries.ts'
import { type Flags, usageError } from '../command.ts'
import { assertReplaceableReport } from '../options/overwrite-guards.ts'
import { isOn, needText, textFlag } from '../options/read.ts'
import { EXTENSIONS } from '../reporters/registry.ts'
import { queuedLine } from '../result/result.ts'
import type { Io } from '../terminal/io.ts'
import { columnsText } from './shared.ts'

const COLUMNS = ['RUN', 'STATUS', 'EXIT', 'ROWS', 'MATCHED', 'STARTED'] as const

/** A run that cannot be read is listed with its error. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const runsDir = needText(flags, 'runs-dir')
  const target = textFlag(flags, 'target')
  if (textFlag(flags, 'action') === 'prune') {
    if (target !== null) throw usageError('prune removes the runs of all targets', 'Leave out --target.')
    return prune(runsDir, flags, io)
  }
  const pipeline = textFlag(flags, 'pipeline')
  const html = textFlag(flags, 'html')
  if (html !== null) return page(html, runsDir, flags, io)
  const within = readWithin(flags)
  const ids = listRunIds(runsDir, pipeline ?? undefined).filter(
    id => target === null || readState(runsDir, id)?.plan.target === target,
  )
  const attempts = readAttempts(runsDir, pipeline ?? undefined).filter(attempt => target === null || attempt.target === target)
  const good = within === null ? null : ids.find(id => isGoodSince(readState(runsDir, id), Date.now() - within))
  const code = within !== null && good === undefined ? EXIT.checks : EXIT.ok
  if (within !== null && !isOn(flags, 'json')) {
    const text = good === undefined ? 'no good run' : `${good} is good`
    const [last] = attempts
    const why = good !== undefined || last === undefined ? '' : `; ${notStarted(last)}`
    const of = target === null ? '' : `, target ${target}`
    io[code === EXIT.ok ? 'out' : 'err'](escapeTerminal(`${pipeline}${of}: ${text} within ${textFlag(flags, 'within')}${why}`))
    return code
  }
  if (isOn(flags, 'json')) {
    for (const entry of inOrder(ids, attempts))
      io.out(typeof entry === 'string' ? formatLine(runsDir, entry) : attemptLine(entry))
    return code
  }
  if (ids.length + attempts.length === 0)
    io.err(escapeTerminal(`no run${[pipeline, target].map(name => (name === null ? '' : ` of ${name}`)).join('')} in ${runsDir}`))
  else {
    const rows = inOrder(ids, attempts).map(entry => (typeof entry === 'string' ? formatRow(runsDir, entry) : attemptRow(entry)))
    io.text(columnsText([COLUMNS, ...rows]))
  }
  return EXIT.ok
}

/** Runs, and runs that did not start, newest first. */
function inOrder(ids: readonly string[], attempts: readonly Attempt[]): (string | Attempt)[] {
  const keyed = [...attempts, ...ids].map(entry => ({ entry, key: typeof entry === 'string' ? entry : formatStamp(entry.at) }))
  return keyed.sort((a, b) => (a.key < b.key ? 1 : a.key > b.key ? -1 : 0)).map(({ entry }) => entry)
}

const attemptRow = ({ at, pipeline, code, exitCode }: Attempt): string[] => {
  return [`${pipeline} (not started)`, code, String(exitCode), '-', '-', time(at)]
}

function attemptLine({ pipeline, exitCode, code, message }: Attempt): string {
  const { hint } = new FettleError(code as ErrorCode)
  return formatResultLine({ status: 'error', exitCode, runId: null, pipeline, error: { code, message, hint } })
}

const notStarted = ({ at, code, message }: Attempt): string => `the attempt at ${time(at)} UTC did not start: ${code}, ${message}`

async function page(path: string, runsDir: string, flags: Flags, io: Io): Promise<number> {
  await assertReplaceableReport(path, { cwd: io.cwd, runsDir, extensions: EXTENSIONS.html, flag: `--html ${path}` })
  const file = resolve(io.cwd, path)
  const target = textFlag(flags, 'target')
  const { nights: all, unread } = listNights(resolve(io.cwd, runsDir), dirname(file), textFlag(flags, 'pipeline') ?? undefined)
  const nights = all.filter(night => target === null || night.target === target)
  const at = new Date().toISOString()
  await writeAtomic(file, renderHistory(nights, { tool: packageInfo(), folder: runsDir, unread, at }), { isShared: true })
  io.err(escapeTerminal(`wrote ${path}: ${counted(nights.length, 'run')}`))
  return EXIT.ok
}

async function prune(runsDir: string, flags: Flags, io: Io): Promise<number> {
  const age = needText(flags, 'older-than')
  const olderThanMs = parseDuration(age)
  if (olderThanMs === null) throw usageError(`--older-than ${age}: expected a duration such as 90d or 12h`)
  const dryRun = isOn(flags, 'dry-run')
  const line = textFlag(flags, 'pipeline') ?? undefined
  const found = await pruneRuns(runsDir, { olderThanMs, line, all: isOn(flags, 'all'), dryRun })
  const { removed, kept, failed } = found
  const code = failed.length === 0 ? EXIT.ok : EXIT.checks
  if (isOn(flags, 'json')) {
    io.out(safeJson({ schema: 'fettle/prune/v1', dryRun, ...found }))
    return code
  }
  for (const id of removed) io.text(`${dryRun ? 'would remove' : 'removed'} ${id}`)
  for (const { runId, why } of kept) io.err(`kept ${runId}: it ${why}`)
  for (const { runId, why } of failed) io.err(escapeTerminal(`could not remove ${runId}: ${why}`))
  if (removed.length + failed.length === 0) io.err(escapeTerminal(`nothing to remove in ${runsDir}`))
  return code
}

function readWithin(flags: Flags): number | null {
  const text = textFlag(flags, 'within')
  const ms = text === null ? null : parseDuration(text)
  if (text === null || ms !== null) return ms
  throw usageError(`--within ${text}: expected a time such as 26h or 2d`)
}

/** Null if it cannot be read. */
function readState(runsDir: string, id: string): RunState | null {
  try {
    return listedRun(runsDir, id).state
  } catch {
    return null
  }
}

/** Whether the run ended well, and not before `since`. */
function isGoodSince(state: RunState | null, since: number): boolean {
  if (state === null || !state.finished || !['success', 'warn', 'skipped'].includes(state.status)) return false
  return Date.parse(state.endedAt ?? state.updatedAt) >= since
}

const formatLine = (runsDir: string, id: string): string => {
  try {
    const queued = queuedRun(runsDir, id)
    if (queued !== null) return queuedLine(queued, 'running', null)
    const { report, state, code } = listedRun(runsDir, id)
    return resultLine({ ...report(), exitCode: code ?? state.exitCode })
  } catch (error) {
    const { code, message, hint, exitCode } = FettleError.is(error) ? error : new FettleError('FETTLE_BUG')
    return formatResultLine({ status: 'error', exitCode, runId: id, pipeline: null, error: { code, message, hint } })
  }
}

function formatRow(runsDir: string, id: string): string[] {
  try {
    if (queuedRun(runsDir, id) !== null) return [id, 'queued', '-', '-', '-', '-']
    const { state, status, code, matchRate } = listedRun(runsDir, id)
    const rate = matchRate === null ? '-' : `${(matchRate * 100).toFixed(1)}%`
    const word = state.status === 'running' ? status : state.status
    return [id, word, String(code ?? '-'), String(state.plan.rows), rate, time(state.startedAt)]
  } catch (error) {
    return [id, FettleError.is(error) ? error.code : 'unreadable', '-', '-', '-', '-']
  }
}
