/** Finds what the files of a run have about the rows of a key. It writes nothing. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { contentChunks, unreadable } from '../files/file-chunks.ts'
import { parseRows, parserOptions } from '../input/table/records.ts'
import { UPLOAD_FILE } from '../input/upload/upload-source.ts'
import { contentsPath, type RunState } from '../journal/index.ts'
import { MASK } from '../model/list.ts'
import type { RowSample } from '../model/results.ts'
import { type RowState, stateId } from '../results/changes/row-states.ts'
import {
  APPLIED_FILE,
  COMPANIES_FILE,
  isAnswersFile,
  isEnrichedFile,
  ROWS_FILE,
  reviewPath,
  STAGE_FILES,
  STATES_FILE,
} from '../results/file-names.ts'
import { readReview, readStates, requireDecisions } from '../results/index.ts'
import { rowDigest } from '../results/row-fingerprint.ts'
import type { RunDirectory } from '../runs/run-directory.ts'
import { type ForgottenRows, forgetInContents, isOfRows } from './forget-contents.ts'

/** Entries of a file about the rows; `whole` for a file that is removed with all rows, because its rows belong together. */
export interface FoundEntries {
  readonly file: string
  readonly entries: number | 'whole'
}

/** What identifies the rows of a key in a run: `ForgottenRows` as JSON. */
export interface RunRows {
  readonly runId: string
  readonly rows: readonly number[]
  readonly fingerprints: readonly string[]
  readonly cells: readonly string[]
  readonly companies: readonly string[]
}

/** What is being removed: a file of the runs folder while it is. */
export interface Intent {
  readonly id: string
  readonly at: string
  readonly key: string
  readonly pipeline: string | null
  readonly runs: readonly RunRows[]
  /** Companies of answers, whose searches go. */
  readonly companies: readonly string[]
  /** See ForgottenRow. */
  readonly rows: readonly string[]
  readonly answers: readonly string[]
  readonly tables: readonly string[]
}

export const forgottenRows = (key: string, run: RunRows): ForgottenRows => ({
  key,
  rows: new Set(run.rows),
  fingerprints: new Set(run.fingerprints),
  cells: new Set(run.cells),
  companies: new Set(run.companies),
})

/** Work files in which a row cannot be left out. A review of the run, which needs them, ends with them. */
export const isWholeFile = (name: string): boolean =>
  isEnrichedFile(name) || isAnswersFile(name) || [ROWS_FILE, UPLOAD_FILE, COMPANIES_FILE, ...STAGE_FILES].includes(name)

/** What other runs show of the rows, so that those without a key, or without the states of their rows, are searched as well. */
export interface KnownRows {
  readonly fingerprints: ReadonlySet<string>
  /** Digests of fingerprints for which only answers are left. */
  readonly rows: ReadonlySet<string>
  /** Companies and cells of rows, for runs without the states of their rows. */
  readonly companies: ReadonlySet<string>
  readonly cells: ReadonlySet<string>
}

/** Whether a state is of the key, or of cells that were asked under it. */
export const isOfState = (
  { id, question }: Pick<RowState, 'id' | 'question'>,
  key: string,
  fingerprints: ReadonlySet<string>,
): boolean => id === stateId(key) || fingerprints.has(question)

/** The rows of the key in a finished run, and the files that have them; null when there are none. */
export async function rowsInRun(
  { plan, runId, samples }: RunState,
  directory: RunDirectory,
  key: string,
  known: KnownRows,
): Promise<{ readonly found: RunRows; readonly files: readonly FoundEntries[] } | null> {
  const rows = new Set<number>()
  const fingerprints = new Set(known.fingerprints)
  const states = await readStates(directory.path)
  const cells = new Set(states === null ? known.cells : [])
  const companies = new Set(states === null ? known.companies : [])
  const isKnown = (fingerprint: string): boolean =>
    fingerprints.has(fingerprint) || known.rows.has(rowDigest(fingerprint).toString('hex'))
  let inStates = 0
  if (states !== null)
    for await (const { id, row, name, question, company } of states.rows()) {
      if (id !== stateId(key) && !isKnown(question)) continue
      inStates++
      rows.add(row)
      fingerprints.add(question)
      cells.add(name)
      if (company.id !== '') companies.add(company.id)
    }
  let inReview = 0
  const see = (sample: RowSample): boolean => {
    if (!isOfRows(sample, { key, rows, fingerprints, cells, companies })) return false
    rows.add(sample.row)
    if (sample.fingerprint !== undefined) fingerprints.add(sample.fingerprint)
    for (const cell of Object.values(sample.cells)) cells.add(cell)
    if (sample.candidate.id !== '') companies.add(sample.candidate.id)
    return true
  }
  for (const sample of samples) see(sample)
  for await (const sample of readReview(directory.path)) if (see(sample)) inReview++
  for (const cell of ['', MASK]) cells.delete(cell)
  // Companies that other rows have as well stay.
  if (states !== null && companies.size > 0)
    for await (const state of states.rows()) if (!isOfState(state, key, fingerprints)) companies.delete(state.company.id)
  const found = { runId, rows: [...rows], fingerprints: [...fingerprints], cells: [...cells], companies: [...companies] }
  const wholes = readdirSync(directory.path).filter(isWholeFile)
  const files: FoundEntries[] = []
  const add = (name: string, entries: FoundEntries['entries']): void => {
    if (entries !== 0) files.push({ file: join(directory.path, name), entries })
  }
  const { entries, ofRows } = forgetInContents(directory.journal, forgottenRows(key, found))
  const isHere =
    rows.size > 0 || ofRows > 0 || ((states === null || plan.key === null) && (await isInFiles(directory, wholes, key)))
  if (isHere) add(basename(contentsPath(directory.journal)), entries)
  add(STATES_FILE, inStates)
  add(basename(reviewPath(directory.path)), inReview)
  add(APPLIED_FILE, await linesAbout(join(directory.path, APPLIED_FILE), fingerprints))
  if (isHere) for (const name of wholes) add(name, 'whole')
  return files.length === 0 ? null : { found, files }
}

async function linesAbout(path: string, fingerprints: ReadonlySet<string>): Promise<number> {
  if (!existsSync(path)) return 0
  return (await requireDecisions(path)).filter(({ fingerprint }) => fingerprints.has(fingerprint)).length
}

/** Of a run without states, such as a failed one: whether a received file or a result has the key as a cell. */
async function isInFiles({ path }: RunDirectory, names: readonly string[], key: string): Promise<boolean> {
  for (const name of names)
    if (
      (isEnrichedFile(name) || name === ROWS_FILE || name === UPLOAD_FILE) &&
      (await hasCell(join(path, name), cell => cell === key))
    )
      return true
  return false
}

/** Whether a cell of a table with commas is the key, or has it in its text; false for a file that does not exist. */
export async function hasCell(file: string, isFound: (cell: string) => boolean): Promise<boolean> {
  if (!existsSync(file)) return false
  const pieces = contentChunks(file, cause => unreadable(file, cause))
  for await (const row of parseRows(pieces, { ...parserOptions(',', 'relaxed'), relax_column_count: true }))
    if (row.some(isFound)) return true
  return false
}
