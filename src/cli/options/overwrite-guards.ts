/** Checks that a file named on the command line replaces only an earlier file of the same kind. */

import { lstat, open, stat } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { isInside } from '../../files/paths.ts'
import { realPath } from '../../prepare/check-outputs.ts'
import { usageError } from '../command.ts'

const RESULT = /^\[?\{"schema":"fettle\/result\//

/** Throws FETTLE_USAGE when the file exists and is not a result; what is not a regular file is left to the writer. */
export async function assertReplaceableResult(path: string, shown: string): Promise<void> {
  const head = await readHead(path)
  if (head === null || head === '' || RESULT.test(head)) return
  throw usageError(`--result-file ${shown} exists and is not a fettle result; refusing to overwrite it`, 'Name another file.')
}

async function readHead(path: string): Promise<string | null> {
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

/** Throws FETTLE_USAGE when a report would be written into a run, or replace a file with another extension. */
export async function assertReplaceableReport(
  path: string,
  { cwd, runsDir, extensions, flag }: { cwd: string; runsDir: string; extensions: readonly string[]; flag: string },
): Promise<void> {
  const real = await realPath(resolve(cwd, path))
  const refuse = (why: string) => usageError(`${flag} ${why}`, 'Name another file.')
  if (isInside(await realPath(resolve(cwd, runsDir)), real)) throw refuse(`is inside the runs folder ${runsDir}`)
  const exists = (await stat(real).catch(() => null))?.isFile() === true
  if (exists && !extensions.includes(extname(real).toLowerCase()))
    throw refuse(`exists and does not end in ${extensions.join(', ')}; refusing to overwrite it`)
}
