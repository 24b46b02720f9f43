/** Stores inputs that may be gone later in the directory of runs, under the hash of their bytes, until no unfinished run needs them. */

import { existsSync, mkdtempSync, readdirSync, rmdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { action, FettleError, type Issue } from '../errors.ts'
import { writeContentAddressed } from '../files/atomic-file.ts'
import { readChunks } from '../files/file-chunks.ts'
import { readKept } from '../files/kept-files.ts'
import { openInput } from '../files/open-input.ts'
import {
  type InputQuery,
  type InputRef,
  type Plan,
  recordedInput,
  requestedInput,
  STDIN_NAME,
  shownPath,
} from '../pipeline/index.ts'
import { listRunIds, makeFolder, makeRunsFolder, readRun, removeIfPossible, runDirectory } from '../runs/run-directory.ts'
import { knownRuns } from '../runs/run-store.ts'

/** The longest time between reading an input and the first line of its run. */
const HOUR_MS = 3_600_000

const FOLDERS = { stdin: 'stdin', rows: 'rows', object: 'inputs', kept: 'inputs' }

export interface ReceivedInput extends InputRef {
  readonly path: string
  /** Of a database. */
  readonly query?: InputQuery
  readonly named: (issues: readonly Issue[]) => readonly Issue[]
  readonly release: () => void
}

export interface StagingOptions extends Pick<InputRef, 'shown'> {
  readonly runsDir: string
  readonly kind: keyof typeof FOLDERS
  /** Store them for a run; otherwise they are removed after the inspection. */
  readonly keeps: boolean
}

/** Stored inputs of the calls of this process, by path: rows that are the same have one file. */
const users = new Map<string, number>()

/** Receives bytes for an inspection, and stores them for a run. Throws FETTLE_OUTPUT_WRITE, and what `bytes` throws. */
export async function stageInput(
  bytes: AsyncIterable<Uint8Array>,
  { runsDir, kind, keeps, shown }: StagingOptions,
): Promise<ReceivedInput> {
  const kept = join(runsDir, FOLDERS[kind])
  const isFirst = !existsSync(runsDir)
  if (keeps) makeRunsFolder(runsDir)
  if (keeps) makeFolder(kept)
  const folder = keeps ? kept : mkdtempSync(join(tmpdir(), `fettle-${FOLDERS[kind]}-`))
  const drop = (file: string): void => {
    if (keeps) removeStaged(runsDir, kind, file)
    else removeIfPossible(folder)
    if (keeps && isFirst) removeRunsFolder(runsDir, kept)
  }
  try {
    const readFrom = await writeContentAddressed(bytes, folder)
    const file = basename(readFrom)
    const used = resolve(readFrom)
    users.set(used, (users.get(used) ?? 0) + 1)
    let isReleased = false
    if (keeps) sweep(kept, name => removeStaged(runsDir, kind, name), file)
    return {
      kind,
      shown,
      readFrom,
      path: kind === 'object' ? shown : join(kept, file),
      named: issues => issues.map(issue => renamePaths(issue, [readFrom, join(kept, file)], shown)),
      release() {
        if (isReleased) return
        isReleased = true
        const others = (users.get(used) ?? 1) - 1
        if (others > 0) users.set(used, others)
        else users.delete(used)
        drop(file)
      },
    }
  } catch (error) {
    drop('')
    throw error
  }
}

/** A local file: the file itself for an inspection, a copy for a run. */
export async function receiveFile(
  path: string,
  { runsDir, keeps, cwd }: Pick<StagingOptions, 'runsDir' | 'keeps'> & { readonly cwd: string },
): Promise<ReceivedInput> {
  const file: ReceivedInput = { ...requestedInput(path), path, named: issues => issues, release: () => {} }
  if (!keeps) return file
  const opened = await openInput(path, cwd)
  // The inspection reports a file that cannot be opened.
  if ('code' in opened) return file
  try {
    return await stageInput(readChunks(opened.handle), { runsDir, keeps, kind: 'kept', shown: path })
  } finally {
    await opened.handle.close()
  }
}

function renamePaths(issue: Issue, paths: readonly string[], name: string): Issue {
  const rename = (text: string): string => paths.reduce((all, path) => all.replaceAll(path, name), text)
  const { message, hint, at } = issue
  return { ...issue, message: rename(message), hint: hint && rename(hint), at: at && { ...at, file: rename(at.file) } }
}

/** Removes a stored input unless an unfinished run needs it. A failed removal is repeated with the next input. */
export function removeStaged(runsDir: string, kind: InputRef['kind'], name: string): void {
  if (kind === 'file' || name === '') return
  const path = join(runsDir, FOLDERS[kind], name)
  if (!users.has(resolve(path)) && !isNeeded(runsDir, name)) removeIfPossible(path)
}

/** Removes the folder of the inputs, and the folder of the runs, while they are empty. */
function removeRunsFolder(runsDir: string, kept: string): void {
  try {
    rmdirSync(kept)
    if (readdirSync(runsDir).every(name => name === '.gitignore')) removeIfPossible(runsDir)
  } catch {
    // The folder is not empty.
  }
}

/** Searches for the hash, which every plan of the input contains. A run with an unreadable journal may be unfinished. */
function isNeeded(runsDir: string, name: string): boolean {
  const known = knownRuns(runsDir)
  return listRunIds(runsDir).some(id => {
    if (known(id) !== null) return false
    try {
      const text = readKept(runDirectory(runsDir, id).journal)
      return text?.includes(name.replace(/\.csv$/, '')) === true && !readRun(runsDir, id).finished
    } catch (error) {
      return FettleError.is(error)
    }
  })
}

/** Removes inputs that a kill left before the first line of a run, by the clock of the file system. */
function sweep(folder: string, remove: (name: string) => void, latest: string): void {
  try {
    const touched = (name: string): number => statSync(join(folder, name)).mtimeMs
    const now = Math.max(...readdirSync(folder).map(touched))
    for (const name of readdirSync(folder))
      if (name !== latest && /^[0-9a-f]{64}\.csv$/.test(name) && now - touched(name) > HOUR_MS) remove(name)
  } catch {
    // Leftovers are harmless; the next call tries again.
  }
}

export function isSameInput(asked: string, recorded: Plan['input']): boolean {
  const { kind } = requestedInput(asked)
  const { kept, path } = recorded
  if (kept !== undefined) return shownPath(asked) === kept
  return shownPath(asked) === path || (kind === 'stdin' && recordedInput(recorded).kind === 'stdin')
}

export interface Stdin {
  /** Called only to read it: touching it may keep a process alive. */
  readonly open: () => Readable & { readonly isTTY?: boolean }
  /** Store it for a run; otherwise it is removed after the inspection. */
  readonly keeps: boolean
  readonly signal?: AbortSignal
}

/** Standard input for the pipelines of one call; a second reader is rejected. */
export function stdinOf({ open, keeps, signal }: Stdin): (file: string, runsDir: string) => Promise<ReceivedInput> {
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
        hint: 'Pipe the list into the command, or read a file.',
        action: action('run', file, '--input', 'FILE'),
      })
    return stageInput(readPieces(stream, signal), { runsDir, keeps, kind: 'stdin', shown: STDIN_NAME })
  }
}

async function* readPieces(stream: Readable, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  if (signal !== undefined) addAbortSignal(signal, stream)
  try {
    yield* stream as AsyncIterable<Uint8Array>
  } catch (error) {
    signal?.throwIfAborted()
    throw new FettleError('FETTLE_INPUT_READ', `cannot read ${STDIN_NAME}: ${(error as Error).message}`, {
      cause: error,
      hint: 'Check the program that writes into the pipe, or read a file instead.',
    })
  }
}
