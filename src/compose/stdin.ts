/**
 * Standard input as an input: `-` in place of a path. It can be read once and by one pipeline, so it is kept among the runs, under
 * the hash of its bytes, until no unfinished run needs it: the same command again goes on with the same plan, and a resume needs
 * no standard input.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { FettleError, type Issue } from '../errors.ts'
import { spool } from '../input/spool.ts'
import { STDIN, STDIN_NAME, spoolOf } from '../pipeline/index.ts'
import { listRunIds, makeFolder, readRun, removeIfPossible, runDirectory } from './run-directory.ts'

/** So long a run may need from its input to its first line: what no run needs after that, none will. */
const HOUR_MS = 3_600_000

/** True when a pipeline reads, as `asked`, the input that a run recorded. */
export const isSameInput = (asked: string, recorded: string): boolean =>
  asked === recorded || (asked === STDIN && spoolOf(recorded) !== null)

/** Standard input, received. */
export interface Received {
  /** The file that it is read from now. */
  readonly at: string
  /** The file that a run reads it from. */
  readonly path: string
  /** Issues that call it what people do. */
  named(issues: readonly Issue[]): Issue[]
  /** Removes what no run needs. */
  release(): void
}

/** The standard input of a process. */
export interface Stdin {
  /** Asked for only when it is read: to touch it may keep a process alive. */
  readonly open: () => Readable & { readonly isTTY?: boolean }
  /** It is kept for a run; else it is looked at, and nothing is left. */
  readonly keeps: boolean
  readonly signal?: AbortSignal
}

/** Standard input for the pipelines of one call; the second that asks for it is refused. */
export function stdinOf({ open, keeps, signal }: Stdin): (file: string, runsDir: string) => Promise<Received> {
  let reader: string | null = null
  return async (file, runsDir) => {
    if (reader !== null)
      throw new FettleError('FETTLE_USAGE', `${reader} and ${file} both read ${STDIN_NAME}, which can be read once`, {
        hint: 'Run them one after the other, or give one of them a file.',
      })
    reader = file
    const stream = open()
    if (stream.isTTY === true)
      throw new FettleError('FETTLE_USAGE', `${file} reads ${STDIN_NAME}, and that is this terminal`, {
        hint: `Pipe the list into it: extract | fettle run ${file}; or name a file: --input FILE.`,
      })
    const kept = join(runsDir, 'stdin')
    const isFirst = !existsSync(runsDir)
    if (keeps) makeFolder(kept)
    const folder = keeps ? kept : mkdtempSync(join(tmpdir(), 'fettle-stdin-'))
    const drop = (name: string): void => {
      if (keeps) dropSpool(runsDir, name)
      else removeIfPossible(folder)
      if (keeps && isFirst) removeEmpty([kept, runsDir])
    }
    try {
      const at = await spool(piecesOf(stream, signal), folder)
      if (keeps) sweep(runsDir, basename(at))
      return {
        at,
        path: join(kept, basename(at)),
        named: issues => issues.map(one => renamed(one, [at, join(kept, basename(at))])),
        release: () => drop(basename(at)),
      }
    } catch (error) {
      drop('')
      throw error
    }
  }
}

async function* piecesOf(stream: Readable, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  if (signal !== undefined) addAbortSignal(signal, stream)
  try {
    yield* stream as AsyncIterable<Uint8Array>
  } catch (error) {
    signal?.throwIfAborted()
    throw new FettleError('FETTLE_INPUT_READ', `cannot read ${STDIN_NAME}: ${(error as Error).message}`, {
      cause: error,
      hint: 'Look at the program before the pipe; or name a file: --input FILE.',
    })
  }
}

function renamed(one: Issue, paths: readonly string[]): Issue {
  const inWords = (text: string): string => paths.reduce((all, path) => all.replaceAll(path, STDIN_NAME), text)
  return {
    ...one,
    message: inWords(one.message),
    hint: one.hint === null ? null : inWords(one.hint),
    at: one.at === null ? null : { ...one.at, file: inWords(one.at.file) },
  }
}

/** Removes a kept standard input unless an unfinished run needs it. What cannot be removed is tried again with the next one. */
export function dropSpool(runsDir: string, name: string): void {
  if (name !== '' && !isNeeded(runsDir, name)) removeIfPossible(join(runsDir, 'stdin', name))
}

/** Removes folders while they are empty, the innermost first. */
function removeEmpty(folders: readonly string[]): void {
  try {
    for (const folder of folders) rmdirSync(folder)
  } catch {
    // Something is in it by now.
  }
}

/** A run whose journal cannot be read may be an unfinished one. */
const isNeeded = (runsDir: string, name: string): boolean =>
  listRunIds(runsDir).some(id => {
    try {
      return readFileSync(runDirectory(runsDir, id).journal, 'latin1').includes(name) && !readRun(runsDir, id).finished
    } catch (error) {
      return FettleError.is(error)
    }
  })

/** Removes what a kill between the reading and the first line of a run left, measured on the file system's own clock. */
function sweep(runsDir: string, latest: string): void {
  try {
    const folder = join(runsDir, 'stdin')
    const touched = (name: string): number => statSync(join(folder, name)).mtimeMs
    const now = Math.max(...readdirSync(folder).map(touched))
    for (const name of readdirSync(folder))
      if (name !== latest && spoolOf(join(folder, name)) !== null && now - touched(name) > HOUR_MS) dropSpool(runsDir, name)
  } catch {
    // What is left harms nobody; the next one tries again.
  }
}
