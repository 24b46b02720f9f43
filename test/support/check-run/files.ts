/** I3: every file with its final name is complete, and no temporary file outlives a run. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { csvRecords, documentFault, jsonLines } from './documents.ts'
import type { Account } from './evidence.ts'
import type { Violation } from './violation.ts'

function faultOfFile(path: string): string | null {
  if (!path.endsWith('.gz')) return documentFault(basename(path), readFileSync(path, 'utf8'))
  try {
    return documentFault(basename(path, '.gz'), gunzipSync(readFileSync(path)).toString())
  } catch {
    return 'it cannot be unpacked'
  }
}

/** Files below a folder, with their paths; none when it is not there. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

const isTemporary = (path: string): boolean => /\.(?:tmp|partial)$/.test(path)

/** What there is to judge. */
export interface FileEvidence {
  readonly runDirectory: string
  /** Output files, whether or not they are there. */
  readonly outputs: readonly string[]
  readonly account: Account
  /** Folder that the report's relative paths start from. */
  readonly cwd: string
}

/** Judges. */
export function checkFiles({ runDirectory, outputs, account, cwd }: FileEvidence): Violation[] {
  const found: Violation[] = []
  const say = (what: string): void => void found.push({ invariant: 'I3', what })
  const { state, report } = account
  const own = readdirOf(runDirectory).map(name => join(runDirectory, name))
  for (const path of [...own, ...outputs.filter(existsSync)]) {
    // The journal's last line may be torn while the run is not at its end; it was judged when it was read.
    if (isTemporary(path) || ['journal.jsonl', 'journal-rows.jsonl'].includes(basename(path))) continue
    const fault = faultOfFile(path)
    if (fault !== null) say(`${path} is not whole: ${fault}`)
  }
  if (state?.finished !== true) return found

  if (report !== null && report.status !== state.status) say(`report.json says ${report.status}, the journal ${state.status}`)
  for (const { path, sha256 } of report?.results.flatMap(result => result.outputs) ?? []) {
    const file = resolve(cwd, path)
    const content = existsSync(file) ? readFileSync(file) : null
    if (content === null) say(`${path} is in the report and not there`)
    else if (createHash('sha256').update(content).digest('hex') !== sha256)
      say(`${path} is not the file that the report tells of`)
  }
  const beside = [...new Set(outputs.map(path => dirname(path)))].flatMap(folder =>
    readdirOf(folder).map(name => join(folder, name)),
  )
  const ofOutputs = beside.filter(path =>
    outputs.some(output => basename(path).startsWith(`.${basename(output).slice(0, 200)}.`)),
  )
  const debris = [...filesBelow(runDirectory), ...ofOutputs].filter(isTemporary)
  for (const path of new Set(debris)) say(`${path} was left behind`)
  return found
}

const readdirOf = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => entry.name)
    : []

/** Data records of an output file; null when it is not there or not whole. JSON lines have no header, CSV has. */
export function recordsIn(path: string): number | null {
  if (!existsSync(path)) return null
  const text = readFileSync(path, 'utf8')
  const lines = text.startsWith('{') ? jsonLines(text) : null
  if (lines !== null) return lines
  const records = csvRecords(text)
  return records === null ? null : Math.max(0, records - 1)
}
