/**
 * What the killed left beside a file on its way to its final name: temporary files that nobody will finish. Judged by the
 * process in their name and by their age on the file system's own clock. It knows no content and never fails.
 */
import { lstat, readdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** A text file takes a moment to write: its writer is gone after so long, if its process is. */
const MINUTE_MS = 60_000
/** Nobody writes to one output for so long without a byte, whoever it is. */
const DAY_MS = 24 * 60 * MINUTE_MS

/** The name under which `target` is written; `tag` tells writers apart. */
export const temporaryName = (target: string, tag: string): string =>
  join(dirname(target), `.${basename(target).slice(0, 200)}.${tag}.tmp`)

/** The tag of a proof that a file can be written: empty, and anybody may remove it at any moment. */
export const PROBE = 'probe'

/** The tag of a text that process `pid` writes as its `serial`-th. */
export const textTag = (pid: number, serial: number): string => `${pid}-${serial}`

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Removes temporary files of `target` that nobody will finish, `own` excepted. */
export async function sweepDebris(target: string, own: string): Promise<void> {
  try {
    const folder = dirname(target)
    const start = temporaryName(basename(target), '').slice(0, -'.tmp'.length)
    const now = (await lstat(own)).mtimeMs
    for (const name of await readdir(folder)) {
      if (!name.startsWith(start) || !name.endsWith('.tmp') || name === basename(own)) continue
      const tag = name.slice(start.length, -'.tmp'.length)
      const age = now - (await lstat(join(folder, name))).mtimeMs
      const pid = /^(\d+)-\d+$/.exec(tag)?.[1]
      const isLeft = tag === PROBE || age > DAY_MS || (age > MINUTE_MS && pid !== undefined && isGone(Number(pid)))
      if (isLeft) await unlink(join(folder, name))
    }
  } catch {
    // Debris harms nobody; whoever writes next tries again.
  }
}
