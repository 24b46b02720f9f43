/** The documents of a run, written beside its journal: each a reading of the state, replaced whole or not at all. */

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { writeAtomic } from '../files/atomic-file.ts'
import { fileDigest } from '../files/file-chunks.ts'
import { readKeptText } from '../files/kept-files.ts'
import { UPLOAD_FILE } from '../input/upload/upload-source.ts'
import type { JournalHead, RunState } from '../journal/index.ts'
import { buildReport, RENDERERS, type Renderer, type Report, reportSchema } from '../report/index.ts'
import {
  COMPANIES_FILE,
  CONTENTS_FILE,
  EVENTS_FILE,
  isAnswersFile,
  isEnrichedFile,
  JOURNAL_FILE,
  QUEUE_FILE,
  REVIEW_FILE,
  ROWS_FILE,
  STAGE_FILES,
  STATES_FILE,
} from '../results/file-names.ts'
import { creditsOf } from '../run/index.ts'
import { hitsOfRun, reviewRows } from './review-rows.ts'
import type { RunDirectory } from './run-directory.ts'

/** Rows to review that a page is given; it takes as many as it can be mailed with. */
export const MOST_ROWS = 20_000

export interface ReportFacts {
  readonly directory: RunDirectory
  /** What the journal had recorded by then; null where it is not needed. */
  readonly head: JournalHead | null
  /** Milliseconds since 1970. */
  readonly now: number
  /** The report of the last good run, for the change against it. */
  readonly previous: Report | null
}

/** The report of a state. */
export function reportRun(state: RunState, { directory, head, now, previous }: ReportFacts): Report {
  const until = state.status === 'running' ? now : Date.parse(state.endedAt ?? state.updatedAt)
  const elapsedMs = Math.max(0, until - Date.parse(state.startedAt))
  return buildReport(state, {
    generatedAt: new Date(now).toISOString(),
    elapsedMs,
    directory: directory.path,
    journal: head,
    credits: creditsIn(state),
    previous,
  })
}

/** Counts that do not add up are an error of the run, not of its report. */
function creditsIn(state: RunState): number | null {
  if (!state.jobs.some(job => job.enrichRequested)) return 0
  try {
    return creditsOf(state)
  } catch {
    return null
  }
}

/** Writes report.json alone: what a running run keeps current. Throws FETTLE_OUTPUT_WRITE. */
export const writeReportJson = (directory: RunDirectory, report: Report): Promise<void> =>
  writeAtomic(join(directory.path, RENDERERS.json.file), sealReport(report))

/** Writes every document of a run, report.json last, so that its end implies the others. Throws FETTLE_OUTPUT_WRITE. */
export async function writeReports(directory: RunDirectory, report: Report, state: RunState): Promise<void> {
  const rows = await reviewRows(state, directory, MOST_ROWS)
  const hits = await hitsOfRun(state, directory)
  const renderers: readonly Renderer[] = Object.values(RENDERERS)
  for (const { file, render } of renderers)
    if (file !== null && file !== RENDERERS.json.file) await writeAtomic(join(directory.path, file), render(report, rows, hits))
  await writeReportJson(directory, { ...report, files: await runFiles(directory.path) })
}

/**
 * Whether report.json has the end of a run. It is written last, so that every other document was written too; a report of another
 * version counts.
 */
export function isReported(directory: RunDirectory, { status, exitCode }: Pick<RunState, 'status' | 'exitCode'>): boolean {
  try {
    const report = JSON.parse(readKeptText(join(directory.path, RENDERERS.json.file)) ?? 'null')
    return report.status === status && report.exitCode === exitCode
  } catch {
    return false
  }
}

export const hasReports = (directory: RunDirectory): boolean =>
  Object.values(RENDERERS).every(({ file }) => file === null || existsSync(join(directory.path, file)))

/** The last written report; null if it is missing or cannot be read. */
export function readReport(directory: RunDirectory): Report | null {
  try {
    return reportSchema.parse(JSON.parse(readKeptText(join(directory.path, RENDERERS.json.file)) ?? 'null'))
  } catch {
    return null
  }
}

const EMPTY = '"checksum": ""\n}\n'
const SEAL = /"checksum": "([0-9a-f]{64})"\n\}\n$/

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The text of report.json, with its checksum. */
function sealReport(report: Report): string {
  const text = RENDERERS.json.render({ ...report, checksum: '' })
  return text.replace(/""\n\}\n$/, `"${sha256(text)}"\n}\n`)
}

/** Whether the text is as it was written. */
export function isSealIntact(text: string): boolean {
  const sum = SEAL.exec(text)?.[1]
  return sum !== undefined && sha256(text.replace(SEAL, EMPTY)) === sum
}

/** Files that the end of a run, or the next run, removes. */
const WORK_FILES = [UPLOAD_FILE, STATES_FILE, COMPANIES_FILE, EVENTS_FILE, QUEUE_FILE, REVIEW_FILE, ...STAGE_FILES]
export const isWorkFile = (name: string): boolean => WORK_FILES.includes(name) || isEnrichedFile(name) || isAnswersFile(name)

/** Files with a record of their own: the journal's chain, `file.received`, and the outputs. */
const isRecorded = (name: string): boolean =>
  [JOURNAL_FILE, CONTENTS_FILE, RENDERERS.json.file, QUEUE_FILE, ROWS_FILE].includes(name) || isEnrichedFile(name)

/** The files of a run directory with their digests, but for those that are recorded elsewhere. */
async function runFiles(path: string): Promise<Report['files']> {
  const names = readdirSync(path, { withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.startsWith('.') && !isRecorded(entry.name))
    .map(({ name }) => name)
    .sort()
  const files: Report['files'] = []
  for (const name of names) {
    const sha256 = await fileDigest(join(path, name))
    if (sha256 !== null) files.push({ path: name, bytes: statSync(join(path, name)).size, sha256 })
  }
  return files
}
