/** Names temporary files and removes stale ones: those whose writer, named in the file name, is dead. Never throws. */
import { lstat, readdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isAlive, ownBeginning, pidNamespace } from '../process.ts'

/** No process writes to an output for this long without a byte. */
const DAY_MS = 24 * 3_600_000

/** The tag of a write check: the file is empty, and any process may remove it at any time. */
export const PROBE = 'probe'

const MARK = /^(.+)\.([0-9a-f]{8})-(\d+)-(\d*)$/
let namespace: string | null = null

function own(): { readonly namespace: string; readonly text: string } {
  namespace ??= pidNamespace()
  return { namespace, text: `${namespace}-${process.pid}-${ownBeginning() ?? ''}` }
}

/** The temporary name of `target` in this process; `tag` distinguishes its writers. */
export const temporaryName = (target: string, tag: string): string =>
  join(dirname(target), `${formatStart(target)}${tag === PROBE ? tag : `${tag}.${own().text}`}.tmp`)

const formatStart = (target: string): string => `.${basename(target).slice(0, 200)}.`

function isStale(name: string, ageMs: number, run: string | undefined): boolean {
  if (name === PROBE) return true
  const [, tag, namespace, pid, began = ''] = MARK.exec(name) ?? []
  if (tag !== undefined && tag === run) return true
  if (namespace === own().namespace) return !isAlive({ pid: Number(pid), began: began || undefined })
  return ageMs > DAY_MS
}

interface SweepOptions {
  /** By the file system's clock; 0: no file of a foreign host is old enough. */
  readonly now?: number
  /** The name of a file that stays. */
  readonly kept?: string
  readonly run?: string
}

/** Removes stale temporary files in `folder` that begin with `start`. */
async function sweep(folder: string, start: string, { now = 0, kept, run }: SweepOptions = {}): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    if (!name.startsWith(start) || !name.endsWith('.tmp') || name === kept) continue
    try {
      const age = now - (await lstat(join(folder, name))).mtimeMs
      if (isStale(name.slice(start.length, -'.tmp'.length), age, run)) await unlink(join(folder, name))
    } catch {
      // A stale file does no harm; the next writer tries again.
    }
  }
}

/**
 * Removes stale temporary files of `target`, except `kept`: files of dead processes, files older than a day, and files of `run`,
 * since one process at a time writes for a run.
 */
export async function removeStaleTempFiles(target: string, kept: string, run?: string): Promise<void> {
  const now = await lstat(kept).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
  await sweep(dirname(target), formatStart(target), { now, kept: basename(kept), run })
}

/** Removes what dead processes of this machine left beside `target`; for readers of it. */
export const sweepBeside = (target: string): Promise<void> => sweep(dirname(target), formatStart(target))

/** Removes the temporary files of dead processes of this machine in a folder, for any target. */
export const sweepFolder = (folder: string): Promise<void> => sweep(folder, '.')
