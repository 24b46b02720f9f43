/** `fettle report`: renders the report of a run again from its journal. */
import { resolve } from 'node:path'
import { EXIT } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { RENDERERS, type Renderer } from '../../report/index.ts'
import { MOST_ROWS } from '../../runs/report-files.ts'
import { hitsOfRun, reviewRows } from '../../runs/review-rows.ts'
import { loadRun, readStoredStatus, reportOfRun } from '../../runs/run-queries.ts'
import type { Flags } from '../command.ts'
import { assertReplaceableReport } from '../options/overwrite-guards.ts'
import { needText, textFlag } from '../options/read.ts'
import { EXTENSIONS } from '../reporters/registry.ts'
import type { Io } from '../terminal/io.ts'
import { hasPage, reportText } from './shared.ts'

export async function run(flags: Flags, io: Io): Promise<number> {
  const runsDir = needText(flags, 'runs-dir')
  const { state, directory } = loadRun(runsDir, textFlag(flags, 'run') ?? undefined)
  const report = reportOfRun(runsDir, directory.id)
  const format = needText(flags, 'format') as keyof typeof RENDERERS
  const to = textFlag(flags, 'output')
  const renderer: Renderer = RENDERERS[format]
  const rows = format === 'html' ? await reviewRows(state, directory, MOST_ROWS) : null
  const { status } = readStoredStatus(runsDir, state)
  const text =
    format === 'text' && to === null
      ? reportText(report, io, 'out', { isStopped: status === 'stopped', hasPage: hasPage(io, runsDir, directory.id) })
      : renderer.render(report, rows, format === 'html' ? await hitsOfRun(state, directory) : [])
  if (to === null) io.out(text)
  else {
    await assertReplaceableReport(to, { cwd: io.cwd, runsDir, extensions: EXTENSIONS[format], flag: `--output ${to}` })
    await writeAtomic(resolve(io.cwd, to), text, { isShared: true })
  }
  // An active run has no final result.
  return status === 'running' ? EXIT.retryable : EXIT.ok
}
