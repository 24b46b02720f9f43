/**
 * Files of a data directory that its database does not name. Without a database the directory is rejected. Otherwise such files
 * are moved to `aside/`, since the database may be an older copy, and removed after the retention time.
 */
import { readdirSync } from 'node:fs'
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { isPart, makeFolder } from './atomic-file.ts'

const FOLDERS = ['uploads', 'files', 'imports'] as const
const ASIDE = 'aside'

/** The names in a folder without unfinished files; none without the folder. */
export const wholeIn = (folder: string): string[] => {
  try {
    return readdirSync(folder).filter(name => !isPart(name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/**
 * Throws FETTLE_SETTINGS for a directory whose database is missing or empty although its files exist. `more` names further files of
 * the lost database.
 */
export function requireNothingBeside(directory: string, fault: string, more: readonly string[] = []): void {
  const found = FOLDERS.map(folder => [wholeIn(join(directory, folder)).length, `in ${folder}/`] as const)
  const beside = [...more, ...found.filter(([count]) => count > 0).map(([count, where]) => `${count} ${where}`)]
  if (beside.length === 0) return
  const why = `${join(directory, 'jobs.db')} ${fault}, but its files exist: ${beside.join(', ')}. No file was removed.`
  throw new FettleError('FETTLE_SETTINGS', `Cannot open the data directory ${directory}: ${why}`, {
    hint: `Restore jobs.db from the backup that these files belong to, together with its jobs.db-wal if there is one (docs/self-hosting.md). To start without these jobs, move ${directory} away, or use another data directory.`,
  })
}

interface Tidying {
  readonly directory: string
  readonly folder: (typeof FOLDERS)[number]
  readonly now: number
  readonly isNeeded: (name: string) => boolean
  readonly isSpent?: (name: string) => boolean
}

/**
 * Removes unfinished and spent files of a folder, and moves other files that are not needed to `aside/` of the directory. Returns how
 * many were moved.
 */
export async function tidy({ directory, folder, now, isNeeded, isSpent = () => false }: Tidying): Promise<number> {
  let moved = 0
  for (const name of await readdir(join(directory, folder))) {
    const path = join(directory, folder, name)
    if (isPart(name) || (!isNeeded(name) && isSpent(name))) await rm(path, { force: true })
    else if (!isNeeded(name)) {
      const target = join(directory, ASIDE)
      await makeFolder(target)
      await rename(path, join(target, name))
      // Its retention time starts now.
      await utimes(join(target, name), now / 1000, now / 1000)
      moved += 1
    }
  }
  return moved
}

export const asideMessage = (directory: string, moved: number): string =>
  `files that the database does not name were moved to ${join(directory, ASIDE)}: ${moved}. If the database is an older backup, stop the service and restore the newer one; otherwise they can be removed`

/** Removes files that were moved aside before this time. */
export async function removeAside(directory: string, before: number): Promise<void> {
  const folder = join(directory, ASIDE)
  for (const name of wholeIn(folder)) {
    const { mtimeMs } = await stat(join(folder, name))
    if (mtimeMs < before) await rm(join(folder, name), { force: true })
  }
}
