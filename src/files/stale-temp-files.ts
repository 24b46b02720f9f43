/**
 * What the killed left beside a file on its way to its final name: temporary files that nobody will finish. Each carries in its
 * name the process that writes it, so that it is known for left behind the moment that process is dead. It knows no content and
 * never fails.
 */
import { createHash } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { lstat, readdir, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { isAlive, ownBeginning } from '../process.ts'

/** Names of an earlier form do not say of which machine the process is: its file is left alone for so long. */
const MINUTE_MS = 60_000
/** Nobody writes to one output for so long without a byte, whoever it is. */
const DAY_MS = 24 * 60 * MINUTE_MS

/** The tag of a proof that a file can be written: empty, and anybody may remove it at any moment. */
export const PROBE = 'probe'

/** Where process numbers mean what they mean here: this machine, and in it this container. */
function placeOfNumbers(): string {
  let space = ''
  try {
    space = readlinkSync('/proc/self/ns/pid')
  } catch {
    // No such spaces here.
  }
  return createHash('sha256').update(`${hostname()} ${space}`).digest('hex').slice(0, 8)
}

const MARK = /^(.+)\.([0-9a-f]{8})-(\d+)-(\d*)$/
let mark: { readonly place: string; readonly text: string } | null = null

/** This process, as the names of its temporary files tell it. */
function own(): { readonly place: string; readonly text: string } {
  if (mark === null) {
    const place = placeOfNumbers()
    mark = { place, text: `${place}-${process.pid}-${ownBeginning() ?? ''}` }
  }
  return mark
}

/** The name under which this process writes `target`; `tag` tells its writers apart. */
export const temporaryName = (target: string, tag: string): string =>
  join(dirname(target), `${startOf(target)}${tag === PROBE ? tag : `${tag}.${own().text}`}.tmp`)

const startOf = (target: string): string => `.${basename(target).slice(0, 200)}.`

/** Whether nobody will finish the file that has `name` between the dot of its target and `.tmp`. */
function isLeft(name: string, ageMs: number, run: string | undefined): boolean {
  if (name === PROBE) return true
  const [, tag, place, pid, began = ''] = MARK.exec(name) ?? []
  if (tag !== undefined && tag === run) return true
  if (place === own().place) return !isAlive({ pid: Number(pid), ...(began === '' ? {} : { began }) })
  const older = /^(\d+)(?:-\d+)?$/.exec(name)?.[1]
  const isOlder = older !== undefined && ageMs > MINUTE_MS && !isAlive({ pid: Number(older) })
  return isOlder || ageMs > DAY_MS
}

/** Removes the temporary files in `folder` that begin with `start` and that nobody will finish. `now` is the file system's clock. */
async function sweep(folder: string, start: string, now: number, isKept: (name: string) => boolean, run?: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    if (!name.startsWith(start) || !name.endsWith('.tmp') || isKept(name)) continue
    try {
      const age = now - (await lstat(join(folder, name))).mtimeMs
      if (isLeft(name.slice(start.length, -'.tmp'.length), age, run)) await unlink(join(folder, name))
    } catch {
      // Debris harms nobody; whoever writes next tries again.
    }
  }
}

/**
 * Removes temporary files of `target` that nobody will finish, `kept` excepted: those of dead processes, those older than a day,
 * and those of `run`, since one process at a time writes for a run.
 */
export async function removeStaleTempFiles(target: string, kept: string, run?: string): Promise<void> {
  const now = await lstat(kept).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
  await sweep(dirname(target), startOf(target), now, name => name === basename(kept), run)
}

/** Removes what dead processes of this machine left beside `target`; for who only reads it. */
export const sweepBeside = (target: string): Promise<void> => sweep(dirname(target), startOf(target), 0, () => false)

/** Removes what dead processes of this machine left in a folder, whatever it was to become. */
export const sweepFolder = (folder: string): Promise<void> => sweep(folder, '.', 0, () => false)
