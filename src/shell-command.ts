/** Prints actions as commands for the shell of the platform: for the command line and for the documents of a run. */
import type { Action } from './errors.ts'

/** The directory of runs unless another is given. No leading dot: CI artifact uploads skip hidden folders. */
export const DEFAULT_RUNS_DIR = 'fettle-runs'

const WITH_RUNS: readonly string[] = ['run', 'resume', 'collect', 'status', 'review', 'merge', 'runs', 'report', 'doctor']

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** For cmd and PowerShell, which both read double quotes; a backslash parts the names of a path there. */
const quotedOnWindows = (word: string): string => (/^[\w+=:./\\-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`)

/** `fettle resume 20260101T…`, with `--runs-dir` when it is not the default. */
export function shellCommand({ command, args }: Action, runsDir: string = DEFAULT_RUNS_DIR): string {
  const place = WITH_RUNS.includes(command) && runsDir !== DEFAULT_RUNS_DIR ? ['--runs-dir', runsDir] : []
  return ['fettle', ...[command, ...args, ...place].map(process.platform === 'win32' ? quotedOnWindows : quoted)].join(' ')
}

/** A hint with the command that follows it: "Resume the run: fettle resume". */
export const hintWithCommand = (hint: string, action: Action | null, runsDir?: string): string =>
  action === null ? hint : `${hint.replace(/\.$/, '')}: ${shellCommand(action, runsDir)}`
