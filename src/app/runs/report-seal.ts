/** The checksums in the report.json of a run: of the other files of its directory, and of the report itself. */
import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileDigest } from '../../files/file-chunks.ts'
import { UPLOAD_FILE } from '../../input/upload/upload-source.ts'
import { RENDERERS, type Report } from '../../report/index.ts'
import {
  ACCEPTED_FILE,
  CANDIDATES_FILE,
  COMPANIES_FILE,
  CONTENTS_FILE,
  EVENTS_FILE,
  FETCHED_FILE,
  isAnswersFile,
  isEnrichedFile,
  JOURNAL_FILE,
  QUESTIONS_FILE,
  QUEUE_FILE,
  REVIEW_FILE,
  ROWS_FILE,
  STATES_FILE,
} from '../../results/file-names.ts'
import { CHOICE_FILE } from '../../reuse/files/choice.ts'

const EMPTY = '"checksum": ""\n}\n'
const SEAL = /"checksum": "([0-9a-f]{64})"\n\}\n$/

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The text of report.json, with its checksum. */
export function sealReport(report: Report): string {
  const text = RENDERERS.json.render({ ...report, checksum: '' })
  return text.replace(/""\n\}\n$/, `"${sha256(text)}"\n}\n`)
}

/** Whether the text is as it was written. */
export function isSealIntact(text: string): boolean {
  const sum = SEAL.exec(text)?.[1]
  return sum !== undefined && sha256(text.replace(SEAL, EMPTY)) === sum
}

/** Files that the end of a run, or the next run, removes. */
const WORK_FILES = [
  CHOICE_FILE,
  UPLOAD_FILE,
  STATES_FILE,
  COMPANIES_FILE,
  EVENTS_FILE,
  QUESTIONS_FILE,
  CANDIDATES_FILE,
  ACCEPTED_FILE,
  FETCHED_FILE,
  QUEUE_FILE,
  REVIEW_FILE,
]
export const isWorkFile = (name: string): boolean => WORK_FILES.includes(name) || isEnrichedFile(name) || isAnswersFile(name)

/** Files with a record of their own: the journal's chain, `file.received`, and the outputs. */
const isRecorded = (name: string): boolean =>
  [JOURNAL_FILE, CONTENTS_FILE, RENDERERS.json.file, QUEUE_FILE, ROWS_FILE].includes(name) || isEnrichedFile(name)

/** The files of a run directory with their digests, but for those that are recorded elsewhere. */
export async function runFiles(path: string): Promise<Report['files']> {
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
