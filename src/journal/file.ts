/**
 * The journal on disk: one JSON line an event, synced before the caller goes on, so that whatever is done next is done because
 * of something that will still be known after a crash. It decides nothing; a torn last line is the only damage it repairs.
 */
import { closeSync, constants, fsyncSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { FettleError } from '../errors.ts'
import { syncFolderSync } from '../files/durable.ts'
import { Checksums } from './checksum.ts'
import type { RunEvent, RunEventInput } from './events.ts'
import { faultOf, findGap, isEvent } from './integrity.ts'
import { advance, type RunState } from './state.ts'

/** The only version there has been. */
const VERSION = 1

/** An open journal: append-only, with the state it tells so far. */
export interface Journal {
  readonly path: string
  /** The fold of everything recorded; null before `run.started`. */
  readonly state: RunState | null
  /** Writes one event and syncs it; only then the state moves on. Throws FETTLE_JOURNAL_WRITE, and the event is not recorded. */
  append(fact: RunEventInput): RunState
  close(): void
}

/** What a journal file holds: its events, how many bytes of it are whole lines, and the checksums of those. */
export interface JournalContent {
  readonly events: readonly RunEvent[]
  readonly wholeBytes: number
  readonly sums: Checksums
}

/**
 * Reads a journal. A last line without its line end was torn by a crash and is dropped; damage anywhere else is an error, never
 * a silent fresh start. Throws FETTLE_RUN_UNKNOWN when there is no such file, FETTLE_JOURNAL_DAMAGED with the line,
 * FETTLE_JOURNAL_NEWER for another version's.
 */
export function readJournal(path: string): JournalContent {
  let bytes: Buffer
  try {
    // A FIFO would never be read to its end.
    if (!statSync(path).isFile()) throw new Error('it is no regular file')
    bytes = readFileSync(path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT')
      throw new FettleError('FETTLE_RUN_UNKNOWN', `no journal at ${path}`, { cause })
    throw new FettleError('FETTLE_JOURNAL_DAMAGED', `cannot read the journal ${path}: ${(cause as Error).message}`, { cause })
  }
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1
  const sums = new Checksums()
  const events = linesOf(bytes.subarray(0, wholeBytes)).map((line, index) => parseLine(line, path, index + 1, sums))
  const gap = findGap(events)
  if (gap !== null) throw damaged(path, gap.line, gap.why)
  return { events, wholeBytes, sums }
}

const LINE_END = 0x0a

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_END, from)
    lines.push(bytes.subarray(from, end))
    from = end + 1
  }
  return lines
}

function parseLine(line: Buffer, path: string, number: number, sums: Checksums): RunEvent {
  let text: string
  let value: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(line)
    value = JSON.parse(text)
  } catch {
    throw damaged(path, number, 'it is not JSON')
  }
  if (!isEvent(value)) throw damaged(path, number, 'it is not an event')
  if (value.type === 'run.started') proveVersion(value.journal, path, number)
  const fault = sums.accept(text) ?? faultOf(value)
  if (fault !== null) throw damaged(path, number, fault)
  return unsealed(value)
}

/** The event alone: its checksum is the file's. */
function unsealed(event: RunEvent & { readonly sum?: string }): RunEvent {
  const { sum: _, ...rest } = event
  return rest as RunEvent
}

/** Asked before anything else of a line: a newer version may hold other events, and other checksums. */
function proveVersion(version: unknown, path: string, number: number): void {
  if (version === VERSION) return
  if (typeof version !== 'number' || !(version > VERSION)) throw damaged(path, number, 'it names no version of a journal')
  throw new FettleError(
    'FETTLE_JOURNAL_NEWER',
    `${path} was written by a newer fettle: it is a journal of version ${version}, this fettle knows version ${VERSION}`,
  )
}

const damaged = (file: string, line: number, why: string): FettleError =>
  new FettleError('FETTLE_JOURNAL_DAMAGED', `cannot read the journal ${file}: line ${line} is damaged, ${why}`, {
    at: { file, line, column: 1 },
  })

/**
 * Opens a journal for appending, new or with what it holds; a torn last line is cut off first. `now` gives milliseconds since
 * 1970 for the time of each event; `onLine` is shown each line once it is safe. Throws as readJournal does, and
 * FETTLE_JOURNAL_WRITE.
 */
export function openJournal(
  path: string,
  now: () => number,
  mode: 'new' | 'existing',
  onLine: (line: string) => void = () => {},
): Journal {
  const content = mode === 'existing' ? readJournal(path) : { events: [], wholeBytes: 0, sums: new Checksums() }
  const flags =
    constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | (mode === 'new' ? constants.O_CREAT | constants.O_EXCL : 0)
  let state = content.events.reduce<RunState | null>(advance, null)
  const { sums } = content
  let { wholeBytes } = content
  // Half a line may stand after the whole ones; the next one must not be written behind it.
  let isTorn = mode === 'existing'
  const file = attempt(path, () => {
    const descriptor = openSync(path, flags, 0o600)
    if (mode === 'new') syncFolderSync(dirname(path))
    return descriptor
  })
  return {
    path,
    get state() {
      return state
    },
    append(fact) {
      const event: RunEvent = { ...fact, at: new Date(now()).toISOString() }
      const text = sums.seal(JSON.stringify(event))
      const line = Buffer.from(`${text}\n`)
      attempt(path, () => {
        if (isTorn) ftruncateSync(file, wholeBytes)
        isTorn = true
        writeWhole(file, line)
        fsyncSync(file)
        isTorn = false
      })
      wholeBytes += line.length
      sums.accept(text)
      onLine(text)
      state = advance(state, event)
      if (state === null) throw new FettleError('FETTLE_BUG', `the journal ${path} does not begin with run.started`)
      return state
    },
    close: () => closeSync(file),
  }
}

/** A short write is legal: the rest is written again, never left out. */
function writeWhole(file: number, bytes: Buffer): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(file, bytes, offset)
}

function attempt<T>(path: string, action: () => T): T {
  try {
    return action()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new FettleError('FETTLE_JOURNAL_WRITE', `cannot write the journal ${path}: ${why}`, { cause })
  }
}
