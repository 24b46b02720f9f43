/**
 * The journal on disk: one JSON line for each event, synced before the caller continues, so that every effect has a record that
 * survives a crash. Only the repeated reading of an unchanged job waits for the next sync: nothing is done because of it. A torn last
 * line is the only damage that is repaired.
 */

import { closeSync, constants, fsyncSync, ftruncateSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { FettleError } from '../errors.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import { syncFolderSync, writeWhole } from '../files/durable.ts'
import { Checksums } from './checksum.ts'
import {
  type Content,
  type Contents,
  ContentsFile,
  contentsPath,
  digestContent,
  joinContent,
  readContents,
  splitContent,
  writeContents,
} from './contents.ts'
import { EVENTS, type RunEvent, type RunEventInput } from './events.ts'
import { advance, type RunState } from './state.ts'

const VERSION = 1

/** An open journal: append-only, with the state after its last event. */
export interface Journal {
  readonly path: string
  readonly state: RunState | null
  /** Of the last event; null for an empty journal. */
  readonly head: JournalHead | null
  /** Writes one event, syncs it unless it has nothing new, then updates the state. Throws FETTLE_JOURNAL_WRITE when the event is not recorded. */
  append(event: RunEventInput): RunState
  close(): void
}

/** The events of a journal file, the bytes of its complete lines, and their checksums. */
export interface JournalContent {
  readonly events: readonly RunEvent[]
  readonly wholeBytes: number
  readonly sums: Checksums
}

/**
 * Reads a journal. A last line without its line end was torn by a crash and is dropped; damage anywhere else is an error. Throws
 * FETTLE_RUN_UNKNOWN when the file does not exist, FETTLE_JOURNAL_DAMAGED with the line, FETTLE_JOURNAL_NEWER for another version.
 */
export function readJournal(path: string): JournalContent {
  let bytes: Buffer
  try {
    assertFiles(dirname(path))
    bytes = readFileSync(path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT')
      throw new FettleError('FETTLE_RUN_UNKNOWN', `no journal at ${path}`, { cause })
    throw new FettleError('FETTLE_JOURNAL_DAMAGED', `cannot read the journal ${path}: ${(cause as Error).message}`, { cause })
  }
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1
  const sums = new Checksums()
  const lines = splitLines(bytes.subarray(0, wholeBytes)).map((line, index) => parseLine(line, path, index + 1, sums))
  const events = withContents(lines, path)
  const gap = findGap(events)
  if (gap !== null) throw damaged(path, gap.line, gap.why)
  return { events, wholeBytes, sums }
}

/** Reading a FIFO would never end: a folder of a run has files and folders alone. Throws for others. */
function assertFiles(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) continue
    const found = statSync(join(folder, entry.name), { throwIfNoEntry: false })
    if (found === undefined || found.isFile() || found.isDirectory()) continue
    throw new Error(`${entry.name} of its folder is not a regular file`)
  }
}

const START_BYTES = 65_536

/** The first event of a journal, read without the others; null when the journal is empty or cannot be read. */
export function readStart(path: string): Extract<RunEvent, { type: 'run.started' }> | null {
  let file: number | null = null
  try {
    // Reading a FIFO would never end.
    if (!statSync(path).isFile()) return null
    file = openSync(path, constants.O_RDONLY)
    const chunks: Buffer[] = []
    for (;;) {
      const chunk = Buffer.alloc(START_BYTES)
      const bytes = readSync(file, chunk)
      const end = chunk.subarray(0, bytes).indexOf(LINE_END)
      if (end === -1 && bytes === 0) return null
      chunks.push(chunk.subarray(0, end === -1 ? bytes : end))
      if (end !== -1) break
    }
    const event = parseLine(Buffer.concat(chunks), path, 1, new Checksums())
    return event.type === 'run.started' ? event : null
  } catch {
    return null
  } finally {
    if (file !== null) closeSync(file)
  }
}

/** A journal as of an event: what it had recorded by then, in one checksum. */
export interface JournalHead {
  readonly events: number
  readonly head: string
}

/** The head of a journal; null when it cannot be read. */
export function journalHead(path: string): JournalHead | null {
  try {
    return lastHead(readJournal(path).sums)
  } catch {
    return null
  }
}

function lastHead({ heads }: Checksums): JournalHead | null {
  const head = heads.at(-1)
  return head === undefined ? null : { events: heads.length, head }
}

const LINE_END = 0x0a

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_END, from)
    lines.push(bytes.subarray(from, end))
    from = end + 1
  }
  return lines
}

function parseLine(line: Buffer, path: string, number: number, sums: Checksums): Line {
  let text: string
  let value: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(line)
    value = JSON.parse(text)
  } catch {
    throw damaged(path, number, 'it is not JSON')
  }
  if (!isEvent(value)) throw damaged(path, number, 'it is not an event')
  if (value.type === 'run.started') assertVersion(value.journal, path, number)
  const fault = sums.accept(text) ?? findFault(value)
  if (fault !== null) throw damaged(path, number, fault)
  const { sum: _, ...event } = value as Line & { readonly sum?: string }
  return event as Line
}

/** An event as the journal has it: `content` is the digest of what is kept apart. */
type Line = RunEvent & { readonly content?: string }

/** The events with their contents. Throws FETTLE_JOURNAL_DAMAGED for one that is missing, or that neither its event nor a removal of rows records. */
function withContents(lines: readonly Line[], path: string): RunEvent[] {
  if (lines.every(({ content }) => content === undefined)) return [...lines]
  let contents: Contents
  try {
    contents = readContents(path)
  } catch (cause) {
    const file = contentsPath(path)
    const at = { file, line: null, column: null }
    throw new FettleError('FETTLE_JOURNAL_DAMAGED', `cannot read ${file}: ${(cause as Error).message}`, { at, cause })
  }
  const removals = lines.flatMap(line => (line.type === 'rows.forgotten' ? [line.contents] : []))
  return lines.map(({ content: digest, ...event }, index) => {
    if (digest === undefined) return event
    const line = index + 1
    const content = contents.get(line)
    const known = [digest, ...removals.flatMap(removal => removal[line] ?? [])]
    if (content !== undefined && known.includes(digestContent(content))) return joinContent(event, content)
    const why = `the content of line ${line} of the journal is ${content === undefined ? 'missing' : 'not as it was written'}`
    throw damaged(contentsPath(path), [...contents.keys()].filter(before => before < line).length + 1, why)
  })
}

/** Writes a journal of these events, in place of any journal there. Throws FETTLE_OUTPUT_WRITE. */
export async function writeJournal(path: string, events: readonly RunEvent[]): Promise<void> {
  const sums = new Checksums()
  const contents = new Map<number, Content>()
  const lines = events.map((event, index) => {
    const { json, content } = toJson(event)
    if (content !== null) contents.set(index + 1, content)
    const line = sums.seal(json)
    sums.accept(line)
    return `${line}\n`
  })
  await writeContents(path, contents)
  await writeAtomic(path, lines.join(''))
}

function toJson(event: RunEvent): { readonly json: string; readonly content: Content | null } {
  const { bare, content } = splitContent(event)
  return { json: JSON.stringify(content === null ? event : { ...bare, content: digestContent(content) }), content }
}

/** Checked first: a newer version may have other events and other checksums. */
function assertVersion(version: unknown, path: string, number: number): void {
  if (version === VERSION) return
  if (typeof version !== 'number' || !(version > VERSION)) throw damaged(path, number, 'it has no journal version')
  throw new FettleError(
    'FETTLE_JOURNAL_NEWER',
    `${path} was written by a newer fettle: its journal version is ${version}, and this fettle reads version ${VERSION}`,
  )
}

const damaged = (file: string, line: number, why: string): FettleError =>
  new FettleError('FETTLE_JOURNAL_DAMAGED', `cannot read the journal ${file}: line ${line} is damaged, ${why}`, {
    at: { file, line, column: 1 },
  })

/**
 * Opens a new or existing journal for appending; a torn last line is cut off first. `now` returns milliseconds since 1970 for the time
 * of each event; `onLine` is called with each event as JSON, its content included, once it is synced. Throws like readJournal, and FETTLE_JOURNAL_WRITE.
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
  const contents = new ContentsFile(path)
  // A torn line may follow the complete ones: the next line must replace it.
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
    get head() {
      return lastHead(sums)
    },
    append(input) {
      const event: RunEvent = { ...input, at: new Date(now()).toISOString() }
      const { json, content } = toJson(event)
      const text = sums.seal(json)
      const line = Buffer.from(`${text}\n`)
      attempt(path, () => {
        if (content !== null) contents.append(sums.heads.length + 1, content)
        if (isTorn) ftruncateSync(file, wholeBytes)
        isTorn = true
        writeWhole(file, line)
        if (!isRepeated(event, state)) fsyncSync(file)
        isTorn = false
        if (content !== null) contents.commit()
      })
      wholeBytes += line.length
      sums.accept(text)
      onLine(JSON.stringify(event))
      state = advance(state, event)
      if (state === null) throw new FettleError('FETTLE_BUG', `the journal ${path} does not begin with run.started`)
      return state
    },
    close: () => {
      contents.close()
      closeSync(file)
    },
  }
}

/** A poll that found the job as the one before did: after a power failure the job is read again anyway. */
function isRepeated(event: RunEvent, state: RunState | null): boolean {
  if (event.type !== 'status.observed') return false
  const job = state?.jobs.find(({ part }) => part === event.part)
  return job?.status === event.status && (event.summary === null || isDeepStrictEqual(event.summary, job.summary))
}

function attempt<T>(path: string, action: () => T): T {
  try {
    return action()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new FettleError('FETTLE_JOURNAL_WRITE', `cannot write the journal ${path}: ${why}`, { cause })
  }
}

const SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map(Object.entries(EVENTS).map(([type, fields]) => [type, z.object(fields)]))

const isEvent = (value: unknown): value is RunEvent =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  typeof value.type === 'string' &&
  'at' in value &&
  typeof value.at === 'string' &&
  !Number.isNaN(Date.parse(value.at))

function findFault(event: RunEvent): string | null {
  const fault = SCHEMAS.get(event.type)?.safeParse(event).error?.issues[0]
  return fault === undefined ? null : `its ${fault.path.map(String).join('.')} is missing or of another kind`
}

/** The first line, from 1, that cannot follow the lines before it; null when all can. */
function findGap(events: readonly RunEvent[]): { readonly line: number; readonly why: string } | null {
  const requested = new Set<number>()
  const created = new Set<number>()
  for (const [index, event] of events.entries()) {
    const gap = (why: string) => ({ line: index + 1, why })
    if (index === 0 && event.type !== 'run.started') return gap('the first event is not run.started')
    if (index > 0 && event.type === 'run.started') return gap('the run was started before')
    if (event.type === 'run.started') for (const job of event.merged?.jobs ?? []) created.add(job.part)
    if (!('part' in event)) continue
    if (event.type === 'job.requested') requested.add(event.part)
    else if (event.type === 'job.created') {
      if (!requested.has(event.part)) return gap('no job was requested before')
      created.add(event.part)
    } else if (event.type !== 'correlation.noted' && !created.has(event.part)) return gap('there was no job yet')
  }
  return null
}
