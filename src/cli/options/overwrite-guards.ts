/** What a file named on the command line may replace: an earlier one of its own kind, and nothing else. It writes nothing. */
import { lstat, open, stat } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { isInside, realPath } from '../../app/light.ts'
import { FettleError } from '../../errors.ts'

const RESULT = /^\[?\{"schema":"fettle\/result\//

/** Throws FETTLE_USAGE when something lies there that is no earlier result; what is no regular file is left to the writing. */
export async function assertReplaceableResult(path: string, shown: string): Promise<void> {
  const head = await headOf(path)
  if (head === null || head === '' || RESULT.test(head)) return
  throw new FettleError('FETTLE_USAGE', `--result-file ${shown} is there, and no earlier result: it is not replaced`, {
    hint: 'Name another file.',
  })
}

async function headOf(path: string): Promise<string | null> {
  try {
    if (!(await lstat(path)).isFile()) return null
    const handle = await open(path)
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0)
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch {
    return null
  }
}

/** Name endings of reports, by format; a file of another name is somebody's own. */
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  text: ['.txt', '.log'],
  json: ['.json'],
  html: ['.html', '.htm'],
  markdown: ['.md', '.markdown'],
  junit: ['.xml'],
  csv: ['.csv'],
  xlsx: ['.xlsx'],
  openmetrics: ['.txt', '.prom', '.metrics', '.om'],
  'json-events': ['.jsonl', '.ndjson', '.json', '.log'],
  openlineage: ['.jsonl', '.ndjson', '.json', '.log'],
}

/** Where a report is to go, and by which words of the command line. */
interface ReportPlace {
  readonly cwd: string
  readonly runsDir: string
  readonly format: string
  readonly flag: string
}

/** Throws FETTLE_USAGE when a report would lie within a run, or in place of what is no report of this format by its name. */
export async function assertReplaceableReport(path: string, { cwd, runsDir, format, flag }: ReportPlace): Promise<void> {
  const real = await realPath(resolve(cwd, path))
  const refuse = (why: string) => new FettleError('FETTLE_USAGE', `${flag} ${why}`, { hint: 'Name another file.' })
  if (isInside(await realPath(resolve(cwd, runsDir)), real)) throw refuse(`lies among the runs in ${runsDir}`)
  const endings = ENDINGS[format] ?? []
  const isThere = (await stat(real).catch(() => null))?.isFile() === true
  if (isThere && !endings.includes(extname(real).toLowerCase()))
    throw refuse(`is there, and no ${format} report by its name (${endings.join(', ')}): it is not replaced`)
}
