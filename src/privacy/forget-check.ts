/** Searches every file that `forget` is responsible for, byte by byte, for what it removed. */
import { type Dirent, existsSync, readdirSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { FettleError } from '../errors.ts'
import { contentChunks, isPacked } from '../files/file-chunks.ts'
import { unreadableKept } from '../files/kept-files.ts'
import type { RunState } from '../journal/index.ts'
import { stateId } from '../results/changes/row-states.ts'
import { readStates } from '../results/index.ts'
import { keyOwner } from '../reuse/files/row-key.ts'
import { runDirectory } from '../runs/run-directory.ts'
import { type Intent, isOfState } from './forget-scan.ts'

/** What must be found in no file. */
export interface Traces {
  /** The key: as a whole word, a number only as a whole cell or text and not in reports, whose counts look the same; a short one by its digests. */
  readonly key: string
  /** Names and companies that only the rows have, and digests. */
  readonly words: readonly string[]
  readonly bytes: readonly Buffer[]
}

/** Shorter texts are parts of any file. */
const SHORTEST = 3

const COLON = 0x3a

/** Made from the journal, which is searched as well. */
const REPORTS: readonly string[] = ['.html', '.md', '.xml']

/** Collects what only the rows have. Call it before they are removed. */
export async function traceRows({ key, runs, rows }: Intent, states: readonly RunState[], runsDir: string): Promise<Traces> {
  const fingerprints = new Set(runs.flatMap(run => run.fingerprints))
  // Companies that were only proposed may belong to other rows.
  const [own, others] = [new Set<string>(), new Set<string>()]
  for (const { runId } of states) {
    const file = await readStates(runDirectory(runsDir, runId).path)
    if (file === null) continue
    for await (const state of file.rows()) {
      const texts = isOfState(state, key, fingerprints) ? own : others
      for (const text of [state.name, state.company.id]) texts.add(text)
    }
  }
  const words = [...own].filter(text => text.length >= SHORTEST && !others.has(text))
  return {
    key,
    words: [...words, ...fingerprints, stateId(key)],
    bytes: [keyOwner(key), ...[...rows].map(row => Buffer.from(row, 'hex'))],
  }
}

/** Throws FETTLE_FORGET_LEFT naming the files that still have something, and FETTLE_OUTPUT_WRITE for one that cannot be read. */
export async function assertGone(
  traces: Traces,
  { pipeline, tables, answers }: Intent,
  states: readonly RunState[],
  runsDir: string,
): Promise<void> {
  // Other pipelines may use the same key, and the same cells, for rows of their own.
  const folders = pipeline === null ? [runsDir, ...answers] : states.map(({ runId }) => runDirectory(runsDir, runId).path)
  const files = new Set([...folders.flatMap(listFiles), ...tables])
  const left: string[] = []
  for (const file of files) {
    const isFound = await hasTrace(file, traces).catch(error => {
      // A run that started meanwhile has removed a temporary file.
      if (!existsSync(file)) return false
      throw error
    })
    if (isFound) left.push(file)
  }
  if (left.length > 0)
    throw new FettleError(
      'FETTLE_FORGET_LEFT',
      `the row was removed, and these files still have its key or what only it had: ${left.join(', ')}`,
    )
}

/** Locks are held by this process, and have nothing of rows. */
const isLock = ({ parentPath, name }: Dirent): boolean => parentPath.split(sep).includes('locks') || /^(.+\.)?lock$/.test(name)

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap(entry =>
      entry.isFile() && !isLock(entry) ? [join(entry.parentPath, entry.name)] : [],
    )
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw unreadableKept(folder, cause)
  }
}

/** The ways in which files have a text: unchanged, and as JSON, CSV, HTML and XML escape it. */
function listSpellings(text: string): string[] {
  const html = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const xml = html.replaceAll('"', '&quot;').replaceAll("'", '&#39;')
  return [...new Set([text, JSON.stringify(text).slice(1, -1), text.replaceAll('"', '""'), html, xml])]
}

const isWordByte = (byte: number | undefined): boolean =>
  byte !== undefined && (byte >= 0x80 || /\w/.test(String.fromCharCode(byte)))

async function hasTrace(file: string, { key, words, bytes }: Traces): Promise<boolean> {
  const isJson = /\.jsonl?$/.test(isPacked(file) ? file.slice(0, -'.gz'.length) : file)
  const isBinary = ['.answers', '.asked', '.bin'].includes(extname(file))
  const isNumber = /^[\d.,\s-]+$/.test(key)
  const isAmbiguous = key.length < SHORTEST || (isNumber && REPORTS.includes(extname(file)))
  const texts = isAmbiguous ? words : [...words, key]
  const needles = texts.flatMap(listSpellings).map(text => Buffer.from(text))
  const ofKey = new Set(listSpellings(key))
  /** Whether the bytes around a place show a whole word; a number also needs to be a whole text. */
  const isWhole = (content: Buffer, at: number, needle: Buffer): boolean => {
    const [before, after] = [content[at - 1], content[at + needle.length]]
    if (!isNumber || !ofKey.has(needle.toString())) return !isWordByte(before) && !isWordByte(after)
    const ends = isJson ? '"' : '"\',;\t|<>\r\n'
    // In JSON a number before a colon is a key of a map, such as a line.
    if (isJson && content[at + needle.length + 1] === COLON) return false
    return [before, after].every(byte => byte === undefined || ends.includes(String.fromCharCode(byte)))
  }
  const longest = Math.max(8, ...needles.map(({ length }) => length)) + 2
  let rest: Buffer = Buffer.alloc(0)
  const isIn = (content: Buffer): boolean =>
    (isBinary && bytes.some(digest => content.includes(digest))) ||
    needles.some(needle => {
      for (let at = content.indexOf(needle); at !== -1; at = content.indexOf(needle, at + 1))
        if (isWhole(content, at, needle)) return true
      return false
    })
  for await (const chunk of contentChunks(file, cause => unreadableKept(file, cause))) {
    const content = Buffer.concat([rest, chunk])
    if (isIn(content)) return true
    rest = content.subarray(-longest)
  }
  return false
}
