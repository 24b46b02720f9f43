/** `fettle doctor`: prints what could prevent a run from working, one line each, with the fix. Shows no secret, changes nothing. */

import { counted } from '../../counted.ts'
import type { CheckResult } from '../../doctor/check-result.ts'
import { runDoctor } from '../../doctor/doctor.ts'
import { ERRORS, EXIT } from '../../errors.ts'
import { escapeTerminal, safeJson } from '../../report/formats/escape.ts'
import { hintWithCommand } from '../../shell-command.ts'
import type { Flags } from '../command.ts'
import { isOn, needText, readQueue, textFlag } from '../options/read.ts'
import { worstExit } from '../result/exit.ts'
import type { Io } from '../terminal/io.ts'

/** Returns the exit code of the worst failure; warnings count as 0. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const runsDir = needText(flags, 'runs-dir')
  const found = await runDoctor({
    env: io.env,
    cwd: io.cwd,
    runsDir,
    pipeline: textFlag(flags, 'pipeline'),
    target: textFlag(flags, 'target'),
    service: textFlag(flags, 'service'),
    queue: textFlag(flags, 'queue') === null ? null : readQueue(flags),
    offline: isOn(flags, 'offline'),
    notify: isOn(flags, 'notify'),
    signal: io.signal,
  })
  const findings = found.map(({ action = null, ...finding }) => {
    return { ...finding, hint: finding.hint && hintWithCommand(finding.hint, action, runsDir) }
  })
  const failures = findings.flatMap(({ status, code }) => (status === 'fail' && code !== null ? [code] : []))
  const exitCode = worstExit(failures.map(code => EXIT[ERRORS[code].kind]))
  if (isOn(flags, 'json')) io.out(safeJson({ schema: 'fettle/doctor/v1', ok: exitCode === EXIT.ok, exitCode, findings }))
  else io.text([...findings.flatMap(formatFinding), summary(findings)].map(escapeTerminal).join('\n'))
  return exitCode
}

function formatFinding({ name, status, message, hint, code }: CheckResult): string[] {
  const line = `${status.padEnd(4)}  ${name.padEnd(11)}  ${message}${code === null ? '' : ` (${code})`}`
  return hint === null || status === 'ok' ? [line] : [line, `${' '.repeat(19)}-> ${hint}`]
}

function summary(findings: readonly CheckResult[]): string {
  const found = (status: CheckResult['status']): number => findings.filter(finding => finding.status === status).length
  const [failures, warnings] = [found('fail'), found('warn')]
  return failures === 0 && warnings === 0 ? 'no problems' : `${counted(failures, 'failure')}, ${counted(warnings, 'warning')}`
}
