/** `fettle forget`: prints each file that had the row. */

import { counted } from '../../counted.ts'
import { EXIT } from '../../errors.ts'
import { forgetKey } from '../../privacy/forget.ts'
import { escapeTerminal, safeJson } from '../../report/index.ts'
import type { Flags } from '../command.ts'
import { isOn, listFlag, needText, textFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'

export async function run(flags: Flags, io: Io): Promise<number> {
  const key = needText(flags, 'key')
  const dryRun = isOn(flags, 'dry-run')
  const { found, kept, completed, runs } = await forgetKey({
    runsDir: needText(flags, 'runs-dir'),
    cwd: io.cwd,
    key,
    pipeline: textFlag(flags, 'pipeline'),
    answersDir: textFlag(flags, 'answers-dir'),
    tables: listFlag(flags, 'tables'),
    dryRun,
  })
  if (isOn(flags, 'json')) {
    io.out(safeJson({ schema: 'fettle/forget/v1', exitCode: EXIT.ok, dryRun, completed, found, kept, runs }))
    return EXIT.ok
  }
  if (completed) io.err('note: a removal that was interrupted is complete now')
  const verb = dryRun ? 'would remove' : 'removed'
  for (const { file, entries } of found)
    io.text(escapeTerminal(`${verb} ${entries === 'whole' ? file : `${entries} from ${file}`}`))
  for (const { what, name, runId } of kept) {
    const left = what === 'output' ? `${name}, which the run ${runId} wrote` : `the remote job ${name} of the run ${runId}`
    io.err(escapeTerminal(`not changed: ${left}`))
  }
  if (found.length === 0) io.err(`nothing is kept about this key: ${counted(runs.searched, 'run')} searched`)
  if (runs.withoutKey > 0) io.err(`searched by cells only, as they have no input.key: ${counted(runs.withoutKey, 'run')}`)
  return EXIT.ok
}
