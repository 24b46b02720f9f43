/** `fettle diff`: prints or writes the rows that differ. */
import { resolve } from 'node:path'
import { packageInfo } from '../../env/package-info.ts'
import { EXIT } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { DIFF_COLUMNS, type Diff, diffRows, renderDiffHtml, renderDiffJson, renderDiffText } from '../../report/index.ts'
import { tableText } from '../../results/index.ts'
import { compareRuns } from '../../runs/diff.ts'
import { type Flags, usageError } from '../command.ts'
import { assertReplaceableReport } from '../options/overwrite-guards.ts'
import { isOn, needText, textFlag, wholeFlag } from '../options/read.ts'
import { EXTENSIONS } from '../reporters/registry.ts'
import type { Io } from '../terminal/io.ts'

const FORMATS = {
  text: renderDiffText,
  json: renderDiffJson,
  csv: (diff: Diff): string => tableText([[...DIFF_COLUMNS], ...diffRows(diff.rows)]),
  html: (diff: Diff): string => renderDiffHtml(diff, packageInfo()),
} as const

export async function run(flags: Flags, io: Io): Promise<number> {
  const runsDir = needText(flags, 'runs-dir')
  const named = needText(flags, 'format') as keyof typeof FORMATS
  if (isOn(flags, 'json') && (named === 'csv' || named === 'html'))
    throw usageError(`--json and --format ${named} are two formats`, 'Pass one of them.')
  const format = isOn(flags, 'json') ? 'json' : named
  const rows = wholeFlag(flags, 'rows', 0, 1_000_000) ?? 0
  const to = textFlag(flags, 'output')
  if (to !== null)
    await assertReplaceableReport(to, { cwd: io.cwd, runsDir, extensions: EXTENSIONS[format], flag: `--output ${to}` })
  const choice = { key: textFlag(flags, 'key'), company: textFlag(flags, 'company') }
  const diff = await compareRuns(textFlag(flags, 'from'), textFlag(flags, 'to'), { runsDir, cwd: io.cwd, ...choice })
  const text = FORMATS[format](diff, rows).replace(/\n$/, '')
  if (to === null) io.out(text)
  else await writeAtomic(resolve(io.cwd, to), `${text}\n`, { isShared: true })
  return EXIT.ok
}
