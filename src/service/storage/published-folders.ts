/**
 * Folders of imported data, `<dir>/<name>/info.json` and the files it names. They are published by one rename of info.json, so they
 * are complete or absent, and a second import replaces the first in one step.
 */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { writeWhole } from './atomic-file.ts'
import { lockDirectory, type Release } from './lock.ts'

/** `line`: the last line of the row in the file, from 1; null when it is unknown. */
export type SkippedRow<Line = number | null> = { readonly line: Line; readonly why: string }

const MAX_SKIPPED_ROWS = 20

/** Counts a skipped row, and lists it if it is one of the first twenty. */
export function noteSkipped<Row>(counts: { skipped: number; readonly skippedRows: Row[] }, row: Row): void {
  if (counts.skipped++ < MAX_SKIPPED_ROWS) counts.skippedRows.push(row)
}

export interface Taken {
  readonly file: string
  /** The target of the import, such as `register "uk"`. */
  readonly target: string
  readonly things: string
  readonly now: number
  /** The count of the previous import; null for the first one. */
  readonly before: number | null
  readonly skipped: number
  /** The first rows that were skipped. */
  readonly skippedRows: readonly SkippedRow[]
}

/** Throws FETTLE_INPUT_EMPTY for an empty import, FETTLE_IMPORT_SHRINKS for less than half of the previous one. */
export function requireNoLoss({ file, target, things, now, before, skipped, skippedRows }: Taken): void {
  if (now > 0 && (before === null || now * 2 >= before)) return
  const [first] = skippedRows
  const where = first === undefined ? '' : `, the first ${first.line === null ? '' : `on line ${first.line} `}since: ${first.why}`
  const rows = `rows skipped: ${skipped}${skipped === 0 ? '' : where}`
  const stays = before === null ? '' : ` The existing ${before} stay.`
  if (now === 0) {
    throw new FettleError('FETTLE_INPUT_EMPTY', `${file} was not imported into the ${target}: 0 ${things}; ${rows}.${stays}`, {
      hint: 'Check the file and its kind; if they are right, force the import.',
    })
  }
  const message = `${file} was not imported into the ${target}: ${now} ${things} would replace ${before}; ${rows}.${stays}`
  throw new FettleError('FETTLE_IMPORT_SHRINKS', message)
}

const INFO = 'info.json'
/** Held while an import runs. */
const LOCK = 'lock'
const NAME = /^[a-z0-9-]{1,40}$/

const because = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

type Kind = 'register' | 'list'

const failToWrite = (what: Kind, path: string, cause: unknown): FettleError =>
  new FettleError('FETTLE_OUTPUT_WRITE', `Writing the ${what} in ${path} failed: ${because(cause)}`, { cause })

/** Throws FETTLE_LOCKED while another import into the folder runs, FETTLE_OUTPUT_WRITE where it cannot be written. */
export function lockImport(what: Kind, folder: string): Release {
  try {
    return lockDirectory(folder)
  } catch (cause) {
    if (!FettleError.is(cause) || cause.code !== 'FETTLE_LOCKED') throw failToWrite(what, folder, cause)
    const message = `Cannot import into ${folder}: another import into this ${what} is running`
    throw new FettleError('FETTLE_LOCKED', message, { cause })
  }
}

interface FolderKind<Info> {
  readonly what: Kind
  readonly reading: string
  /** Files beside info.json that `publish` keeps. */
  readonly keeps: (info: Info) => readonly (string | undefined)[]
  /** The error for a name without data, with the names that exist. */
  readonly unknown: (dir: string, name: string, names: readonly string[]) => FettleError
}

export function publishedFolders<Info extends { readonly name: string }>({ what, reading, keeps, unknown }: FolderKind<Info>) {
  const writeError = (path: string, cause: unknown): FettleError => failToWrite(what, path, cause)
  const again = `Import the ${what} again.`
  const readError = (path: string, cause: unknown, attempt = `Opening the ${what}`, hint = again): FettleError =>
    new FettleError('FETTLE_INPUT_READ', `${attempt} ${path} failed: ${because(cause)}`, { cause, hint })

  const folderOf = (dir: string, name: string): string => {
    if (NAME.test(name)) return join(dir, name)
    const lower = name.toLowerCase()
    const guess = NAME.test(lower) ? `; did you mean ${lower}?` : ''
    const hint = 'Use 1 to 40 of a–z, 0–9 and hyphen.'
    throw new FettleError('FETTLE_USAGE', `"${name}" cannot name a ${what}${guess}`, { hint })
  }

  const infoIn = async (folder: string): Promise<Info | null> => {
    const path = join(folder, INFO)
    try {
      return JSON.parse(await readFile(path, 'utf8')) as Info
    } catch (error) {
      if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null
      // Without it an import does not know what it replaces.
      throw readError(path, error, reading, `Remove the folder ${folder}, then import the ${what} again.`)
    }
  }

  /** Throws for a copy of a folder: everything in it would be there twice. */
  const infoNamed = async (dir: string, name: string): Promise<Info | null> => {
    const info = await infoIn(join(dir, name))
    if (info === null || info.name === name) return info
    const path = join(dir, name)
    throw readError(
      path,
      `it is a copy of the ${what} "${info.name}"`,
      reading,
      `Remove it, or import the ${what} under this name.`,
    )
  }

  const all = async (dir: string): Promise<Info[]> => {
    const names = await readdir(dir).catch((error: NodeJS.ErrnoException): string[] => {
      if (error.code === 'ENOENT') return []
      throw readError(dir, error, reading, 'Make it a folder that can be read.')
    })
    const infos = await Promise.all(names.sort().map(name => (NAME.test(name) ? infoNamed(dir, name) : null)))
    return infos.filter(info => info !== null)
  }

  const info = async (dir: string, name: string): Promise<Info> => {
    const info = await infoIn(folderOf(dir, name))
    if (info !== null) return info
    const names = (await all(dir)).map(other => other.name)
    throw unknown(dir, name, names)
  }

  return {
    writeError,
    readError,
    /** The folder of a name. Throws FETTLE_USAGE for a name that is not 1 to 40 of a–z, 0–9 and hyphen. */
    folderOf,
    /** The info.json in a folder; null without one. */
    infoIn,
    /** All infos under `dir`, sorted by name, without unfinished imports; empty when the folder does not exist. Throws FETTLE_INPUT_READ. */
    all,
    /** The info of a name; throws the error for an unknown one. */
    info,

    async publish(folder: string, fresh: Info): Promise<void> {
      try {
        await writeWhole(join(folder, INFO), write => write(`${JSON.stringify(fresh, null, 2)}\n`))
        const needed = [INFO, LOCK, ...keeps(fresh)]
        for (const other of await readdir(folder)) if (!needed.includes(other)) await rm(join(folder, other), { force: true })
      } catch (error) {
        throw writeError(folder, error)
      }
    },

    /** Removes what has this name, and the folder `also` under `dir`. */
    async remove(dir: string, name: string, also?: string): Promise<void> {
      await info(dir, name)
      const folder = folderOf(dir, name)
      try {
        // info.json first: without it the rest is not published, if the process is killed here.
        await rm(join(folder, INFO))
        await rm(folder, { recursive: true })
        if (also !== undefined) await rm(join(dir, also), { recursive: true, force: true })
      } catch (error) {
        throw writeError(folder, error)
      }
    },
  }
}
