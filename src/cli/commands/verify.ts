/** `fettle verify`: prints every file of a run that is not as the run wrote it. */

import { EXIT } from '../../errors.ts'
import { escapeTerminal, safeJson } from '../../report/index.ts'
import { counted } from '../../report/words.ts'
import { verifyRun } from '../../runs/verify.ts'
import { type Flags, usageError } from '../command.ts'
import { isOn, needText, textFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { printIssue } from '../terminal/print-error.ts'

/** 0, or 65 when a file, a sum or a decision is wrong. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const head = textFlag(flags, 'head')
  if (head !== null && !/^[0-9a-f]{16}$/.test(head))
    throw usageError(`--head ${head}: expected the 16 hexadecimal digits of a result line`)
  const runsDir = needText(flags, 'runs-dir')
  const found = await verifyRun(textFlag(flags, 'run') ?? undefined, { runsDir, cwd: io.cwd, head })
  const { runId, faults, notes, files } = found
  const exitCode = faults.length === 0 ? EXIT.ok : EXIT.input
  for (const fault of faults) io.err(printIssue(fault, runsDir))
  if (isOn(flags, 'json')) {
    const shown = faults.map(({ at, message }) => ({ file: at?.file ?? null, line: at?.line ?? null, message }))
    io.out(safeJson({ schema: 'fettle/verify/v1', ok: exitCode === EXIT.ok, exitCode, ...found, faults: shown }))
    return exitCode
  }
  for (const note of notes) io.err(escapeTerminal(`note: ${note}`))
  const what = `${counted(found.events, 'event')} of the journal, ${counted(files.length, 'file')}`
  const isIntact = found.removedAt === null ? 'intact' : 'removed, and what is left is intact'
  const verdict =
    exitCode === EXIT.ok ? `${isIntact} (${what}; head ${found.head})` : `${counted(faults.length, 'fault')} (${what})`
  io.text(escapeTerminal(`${runId}: ${verdict}`))
  return exitCode
}
