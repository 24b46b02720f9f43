/** Shared by the command bodies: flags to settings, and the report as text for this terminal. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import pc from 'picocolors'
import type { Env } from '../../env/environment.ts'
import { findRunKey } from '../../env/run-key.ts'
import { DEFAULT_RUNTIME } from '../../env/runtime.ts'
import type { FettleError } from '../../errors.ts'
import type { RunSettings } from '../../execution/run-settings.ts'
import type { ReporterDispatcher } from '../../observe/reporters.ts'
import { parseDuration, parseShard, type ShardChoice, shownPath } from '../../pipeline/index.ts'
import type { Overrides } from '../../prepare/read-pipeline.ts'
import { renderText, type Style, type TextOptions } from '../../report/formats/text.ts'
import { escapeTerminal, type Report } from '../../report/index.ts'
import type { ReuseSettings } from '../../reuse/settings.ts'
import { createRemoteInputs } from '../../staging/receive.ts'
import { stdinOf } from '../../staging/staged-input.ts'
import { type Flags, usageError } from '../command.ts'
import { isOn, listFlag, needText, registerFlag, skipFlags, textFlag, varFlags, wholeFlag } from '../options/read.ts'
import { readSkipCode } from '../result/result.ts'
import type { Io } from '../terminal/io.ts'
import { type ProgressDisplay, showProgress } from '../terminal/progress/index.ts'

export const readOverrides = (flags: Flags, env: Io['env']): Overrides => ({
  target: textFlag(flags, 'target'),
  service: textFlag(flags, 'service'),
  register: registerFlag(flags),
  input: textFlag(flags, 'input'),
  output: textFlag(flags, 'output'),
  outputRoots: listFlag(flags, 'output-root'),
  skip: skipFlags(flags),
  vars: varFlags(flags),
  limit: wholeFlag(flags, 'limit', 1, 1_000_000_000),
  shard: shardFlag(flags, env),
})

/** What `prepare` needs of a command. `keeps`: what is read of stdin and from elsewhere is kept for a run. */
export const prepareContext = (flags: Flags, io: Io, keeps = false) => ({
  env: io.env,
  cwd: io.cwd,
  stdin: stdinOf({ open: io.stdin, keeps, signal: io.signal }),
  elsewhere: createRemoteInputs({
    env: io.env,
    keeps,
    signal: io.signal,
    onNote: text => !keeps || isOn(flags, 'quiet') || io.err(escapeTerminal(text)),
  }),
  ...readOverrides(flags, io.env),
})

/** The display of a run; `label` and `width` if several run at once. */
export const showRun = (flags: Flags, io: Io, label: string | null = null, width = 0): ProgressDisplay =>
  showProgress(io, {
    quiet: isOn(flags, 'quiet'),
    verbose: isOn(flags, 'verbose'),
    label,
    width,
    runsDir: needText(flags, 'runs-dir'),
  })

const REFRESHED = ['matched', 'review', 'unmatched'] as const

/** `--answers-dir`, `--refresh`, `--refresh-where` and `--refresh-key`. Throws FETTLE_USAGE. */
export function readReuse(flags: Flags): Required<Pick<ReuseSettings, 'answersDir' | 'refresh'>> {
  const outcomes = listFlag(flags, 'refresh-where').map(text => {
    const outcome = REFRESHED.find(name => text === `outcome=${name}`)
    if (outcome !== undefined) return outcome
    throw usageError(`--refresh-where ${text}: expected outcome=${REFRESHED.join(', outcome=')}`)
  })
  const refresh = { all: isOn(flags, 'refresh'), outcomes, keys: listFlag(flags, 'refresh-key') }
  return { answersDir: textFlag(flags, 'answers-dir'), refresh }
}

/** `--timeout` in milliseconds, null for none. */
export function readTimeout(flags: Flags): number | null {
  const text = textFlag(flags, 'timeout')
  if (text === null) return null
  const ms = parseDuration(text)
  if (ms === null || ms < 1_000 || ms > 604_800_000)
    throw usageError(`--timeout ${text}: expected a duration from 1s to 7d, such as 90s or 2h`)
  return ms
}

/** Throws FETTLE_USAGE for flags that are otherwise read only during or after the run. */
export function checkFlags(flags: Flags): void {
  readTimeout(flags)
  readReuse(flags)
  readSkipCode(flags)
  textFlag(flags, 'record')
}

/** The others name a run, or are called by a person. */
const HAS_RUN_KEY = ['run', 'merge']

export function createSettings(
  flags: Flags,
  io: Io,
  command: string,
  { observers, credentials }: Pick<RunSettings, 'credentials'> & { readonly observers: ReporterDispatcher },
): RunSettings {
  return {
    env: io.env,
    cwd: io.cwd,
    runsDir: needText(flags, 'runs-dir'),
    ...readReuse(flags),
    credentials,
    args: listArgs(flags, command),
    timeoutMs: readTimeout(flags),
    record: textFlag(flags, 'record'),
    detach: isOn(flags, 'detach'),
    dropDecisions: isOn(flags, 'drop-decisions'),
    acceptList: isOn(flags, 'accept-list'),
    mixedRegisters: isOn(flags, 'mixed-registers'),
    runKey: HAS_RUN_KEY.includes(command) ? (findRunKey(io.env, textFlag(flags, 'run-key'))?.key ?? null) : null,
    signal: io.signal,
    runtime: DEFAULT_RUNTIME,
    observers,
  }
}

/** Removes the query of an address, which may be a signature. */
const shownFlag = (value: unknown): RunSettings['args'][string] =>
  typeof value === 'string' ? shownPath(value) : typeof value === 'boolean' ? value : [...(value as readonly string[])]

/** Flags in the order of the report. */
const REPORTED =
  `file map encoding delimiter header sheet decisions register sample service input output skip-head skip-tail limit
  shard shards answers-dir refresh refresh-where refresh-key queue timeout detach new run-key strict`.split(/\s+/)

/** The command line for the report. Secrets are never flags; of --var only the names are shown, since values may be secret. */
function listArgs(flags: Flags, command: string): RunSettings['args'] {
  const passed = REPORTED.flatMap(name => (flags[name] === undefined ? [] : [[name, shownFlag(flags[name])] as const]))
  const register = registerFlag(flags)
  if (register) passed.push(['register', register])
  return { command, ...Object.fromEntries(passed), var: Object.keys(varFlags(flags)) }
}

const { green: good, yellow: warn, red: bad, dim, bold } = pc.createColors(true)
const STYLES: Readonly<Record<Style, (text: string) => string>> = { good, warn, bad, dim, bold }

/** Whether the report page of a run is written: not while it runs, nor after a kill. */
export const hasPage = (io: Io, runsDir: string, runId: string): boolean =>
  existsSync(resolve(io.cwd, runsDir, runId, 'report.html'))

export function reportText(report: Report, io: Io, to: 'out' | 'err', state: Omit<TextOptions, 'colour' | 'width'> = {}): string {
  const colour: TextOptions['colour'] = io.colour[to] ? (style, text) => STYLES[style](text) : undefined
  return renderText(report, { ...state, width: Math.min(io.columns(), 100), colour })
}

/** Rows as aligned columns. */
export function columnsText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map(row => escapeTerminal(line(row).trimEnd())).join('\n')
}

/** Variables with the index of a task, the first index, and the number of tasks where the platform sets it. */
const PLATFORMS = [
  { index: 'JOB_COMPLETION_INDEX', first: 0, count: 'FETTLE_SHARDS' },
  { index: 'CLOUD_RUN_TASK_INDEX', first: 0, count: 'CLOUD_RUN_TASK_COUNT' },
  { index: 'CI_NODE_INDEX', first: 1, count: 'CI_NODE_TOTAL' },
] as const

/** `--shard`, null if absent. Throws FETTLE_USAGE for a malformed value, and for `auto` without a platform. */
export function shardFlag(flags: Flags, env: Env): ShardChoice | null {
  const text = textFlag(flags, 'shard')
  if (text === null) return null
  const refuse = (why: string, hint = 'Pass --shard 3/8: the third of eight.'): FettleError =>
    usageError(`--shard ${text}: ${why}`, hint)
  const [, isAuto, given] = /^(auto)(?:\/(\d+))?$/.exec(text) ?? []
  if (isAuto === undefined) {
    const choice = parseShard(text)
    if (choice === null) throw refuse('expected number/count with a count of at most 1000, such as 3/8; or auto')
    return choice
  }
  const platform = PLATFORMS.find(({ index }) => (env[index] ?? '') !== '')
  if (platform === undefined)
    throw refuse(`none of ${PLATFORMS.map(({ index }) => index).join(', ')} is set, so the number of the shard is unknown`)
  const count = given ?? env[platform.count] ?? ''
  if (count === '') throw refuse('the number of shards is unknown', `Pass --shard auto/8, or set ${platform.count}.`)
  const number = Number(env[platform.index]) - platform.first + 1
  const choice = parseShard(`${number}/${count}`)
  if (choice === null)
    throw refuse(`${platform.index} is ${env[platform.index]}, counted from ${platform.first}, and there are ${count} shards`)
  return choice
}
