/** Stores inputs that are not local files in the directory of runs, under the hash of their bytes, until no unfinished run needs them. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { FettleError, type Issue } from '../../errors.ts'
import { writeContentAddressed } from '../../files/content-addressed.ts'
import { listRunIds, makeFolder, readRun, removeIfPossible, runDirectory } from '../runs/run-directory.ts'

/** The longest time between reading an input and the first line of its run. */
const HOUR_MS = 3_600_000

/** The folder among the runs: standard inputs, or copies of objects elsewhere. */
export type StagingArea = 'stdin' | 'inputs'

export interface StagedInput {
  readonly at: string
  readonly path: string
  readonly name: string
  named(issues: readonly Issue[]): Issue[]
  release(): void
}

export interface StagingOptions {
  readonly runsDir: string
  readonly shelf: StagingArea
  /** Store them for a run; otherwise they are removed after the inspection. */
  readonly keeps: boolean
  readonly name: string
  /** Its path in the plan; the path of the stored file if absent. */
  readonly path?: string
}

/** Receives bytes for an inspection, and stores them for a run. Throws FETTLE_OUTPUT_WRITE, and what `bytes` throws. */
export async function stageInput(
  bytes: AsyncIterable<Uint8Array>,
  { runsDir, shelf, keeps, name, path }: StagingOptions,
): Promise<StagedInput> {
  const kept = join(runsDir, shelf)
  const isFirst = !existsSync(runsDir)
  if (keeps) makeFolder(kept)
  const folder = keeps ? kept : mkdtempSync(join(tmpdir(), `fettle-${shelf}-`))
  const drop = (file: string): void => {
    if (keeps) removeStaged(runsDir, shelf, file)
    else removeIfPossible(folder)
    if (keeps && isFirst) removeEmpty([kept, runsDir])
  }
  try {
    const at = await writeContentAddressed(bytes, folder)
    const file = basename(at)
    if (keeps) sweep(runsDir, shelf, file)
    return {
      at,
      path: path ?? join(kept, file),
      name,
      named: issues => issues.map(one => renamed(one, [at, join(kept, file)], name)),
      release: () => drop(file),
    }
  } catch (error) {
    drop('')
    throw error
  }
}

function renamed(one: Issue, paths: readonly string[], name: string): Issue {
  const inWords = (text: string): string => paths.reduce((all, path) => all.replaceAll(path, name), text)
  return {
    ...one,
    message: inWords(one.message),
    hint: one.hint === null ? null : inWords(one.hint),
    at: one.at === null ? null : { ...one.at, file: inWords(one.at.file) },
  }
}

/** Removes a stored input unless an unfinished run needs it. A failed removal is repeated with the next input. */
export function removeStaged(runsDir: string, shelf: StagingArea, name: string): void {
  if (name !== '' && !isNeeded(runsDir, name)) removeIfPossible(join(runsDir, shelf, name))
}

/** Removes folders while they are empty, the innermost first. */
function removeEmpty(folders: readonly string[]): void {
  try {
    for (const folder of folders) rmdirSync(folder)
  } catch {
    // The folder is not empty.
  }
}

/** Searches for the hash, which every plan of the input contains. A run with an unreadable journal may be unfinished. */
const isNeeded = (runsDir: string, name: string): boolean =>
  listRunIds(runsDir).some(id => {
    try {
      const journal = readFileSync(runDirectory(runsDir, id).journal, 'latin1')
      return journal.includes(name.replace(/\.csv$/, '')) && !readRun(runsDir, id).finished
    } catch (error) {
      return FettleError.is(error)
    }
  })

/** Removes inputs that a kill left before the first line of a run, by the clock of the file system. */
function sweep(runsDir: string, shelf: StagingArea, latest: string): void {
  try {
    const folder = join(runsDir, shelf)
    const touched = (name: string): number => statSync(join(folder, name)).mtimeMs
    const now = Math.max(...readdirSync(folder).map(touched))
    for (const name of readdirSync(folder))
      if (name !== latest && /^[0-9a-f]{64}\.csv$/.test(name) && now - touched(name) > HOUR_MS) removeStaged(runsDir, shelf, name)
  } catch {
    // Leftovers are harmless; the next call tries again.
  }
}
