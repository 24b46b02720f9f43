/**
 * Inputs that are no file here, kept among the runs under the hash of their bytes until no unfinished run needs them. It knows
 * neither where the bytes come from nor what is in them.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { FettleError, type Issue } from '../../errors.ts'
import { writeContentAddressed } from '../../files/content-addressed.ts'
import { listRunIds, makeFolder, readRun, removeIfPossible, runDirectory } from '../runs/run-directory.ts'

/** So long a run may need from its input to its first line: what no run needs after that, none will. */
const HOUR_MS = 3_600_000

/** The folder among the runs: standard inputs, or copies of objects elsewhere. */
export type StagingArea = 'stdin' | 'inputs'

/** An input, received. */
export interface StagedInput {
  /** The file that it is read from now. */
  readonly at: string
  /** What a plan calls it. */
  readonly path: string
  /** What people call it. */
  readonly name: string
  /** Issues that call it what people do. */
  named(issues: readonly Issue[]): Issue[]
  /** Removes what no run needs. */
  release(): void
}

/** Where bytes are kept, and what they are called. */
export interface StagingOptions {
  readonly runsDir: string
  readonly shelf: StagingArea
  /** They are kept for a run; else they are looked at, and nothing is left. */
  readonly keeps: boolean
  readonly name: string
  /** What a plan calls it, given the file where it is kept; that file if absent. */
  readonly path?: string
}

/** Receives bytes to be looked at, and kept when a run is to read them again. Throws FETTLE_OUTPUT_WRITE, and what `bytes` throws. */
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

/** Removes a kept input unless an unfinished run needs it. What cannot be removed is tried again with the next one. */
export function removeStaged(runsDir: string, shelf: StagingArea, name: string): void {
  if (name !== '' && !isNeeded(runsDir, name)) removeIfPossible(join(runsDir, shelf, name))
}

/** Removes folders while they are empty, the innermost first. */
function removeEmpty(folders: readonly string[]): void {
  try {
    for (const folder of folders) rmdirSync(folder)
  } catch {
    // Something is in it by now.
  }
}

/** By the hash, which stands in the plan of a run whatever the input is called. A run whose journal cannot be read may be an unfinished one. */
const isNeeded = (runsDir: string, name: string): boolean =>
  listRunIds(runsDir).some(id => {
    try {
      const journal = readFileSync(runDirectory(runsDir, id).journal, 'latin1')
      return journal.includes(name.replace(/\.csv$/, '')) && !readRun(runsDir, id).finished
    } catch (error) {
      return FettleError.is(error)
    }
  })

/** Removes what a kill between the reading and the first line of a run left, measured on the file system's own clock. */
function sweep(runsDir: string, shelf: StagingArea, latest: string): void {
  try {
    const folder = join(runsDir, shelf)
    const touched = (name: string): number => statSync(join(folder, name)).mtimeMs
    const now = Math.max(...readdirSync(folder).map(touched))
    for (const name of readdirSync(folder))
      if (name !== latest && /^[0-9a-f]{64}\.csv$/.test(name) && now - touched(name) > HOUR_MS) removeStaged(runsDir, shelf, name)
  } catch {
    // What is left harms nobody; the next one tries again.
  }
}
