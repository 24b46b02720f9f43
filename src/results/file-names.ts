/** The names of the files that a run keeps in its directory. */
import { copyFile, link } from 'node:fs/promises'
import { join } from 'node:path'
import { FettleError } from '../errors.ts'
import { attempt, removeFile } from '../files/atomic-file.ts'
import { CHOICE_FILE } from '../reuse/files/choice.ts'

/** The result of a run in its own directory, for programs. */
export const ROWS_FILE = 'rows.csv'
export const JOURNAL_FILE = 'journal.jsonl'
/** What its events have of rows. */
export const CONTENTS_FILE = 'journal-rows.jsonl'
/** The events of a portfolio that a run has read, until it is at its end. */
export const EVENTS_FILE = 'events.json'
export const PLAN_FILE = 'pipeline.resolved.yml'
export const REVIEW_FILE = 'review.jsonl.gz'
/** The decisions that changed rows of the outputs: what the next run must not lose. */
export const APPLIED_FILE = 'decisions.csv'
export const COMPANIES_FILE = 'companies.jsonl'
/** Their directors, where they are searched for. */
export const DIRECTORS_FILE = 'directors.jsonl'
export const QUESTIONS_FILE = 'questions.jsonl'
export const CANDIDATES_FILE = 'candidates.jsonl'
/** Accepted companies with missing tags, and what was fetched about them. */
export const ACCEPTED_FILE = 'accepted.jsonl'
export const FETCHED_FILE = 'fetched.jsonl'
/** Hits of the companies that were searched for, which a decision table reads. */
export const HITS_FILE = 'hits.jsonl'
/** Events of the companies of the portfolio, which a decision table reads. */
export const COMPANY_EVENTS_FILE = 'company-events.jsonl'
/** Questions to a decision tree of the service, and what it decided. */
export const TREE_FILE = 'decide.jsonl'
export const RULED_FILE = 'decided.jsonl'
/** The result of every row: what the next run is compared with. */
export const STATES_FILE = 'states.jsonl.gz'
/** Answers to keep for later runs, until they are in their folder. */
export const answersFile = (kind: string): string => `answers-${kind}.bin`
export const QUEUE_FILE = 'queue.json'

/** What a later stage or a review of the run needs of its rows besides the received files; a key is forgotten by removing them. */
export const STAGE_FILES: readonly string[] = [
  CHOICE_FILE,
  QUESTIONS_FILE,
  CANDIDATES_FILE,
  ACCEPTED_FILE,
  FETCHED_FILE,
  DIRECTORS_FILE,
  HITS_FILE,
  COMPANY_EVENTS_FILE,
  TREE_FILE,
  RULED_FILE,
]

export const isEnrichedFile = (name: string): boolean => /^enriched-\d+\.csv\.gz$/.test(name)

export const reviewPath = (directory: string): string => join(directory, REVIEW_FILE)

/** The folder of the chosen rows of shard `number` (from 1) of a list in a queue. */
export const shardFolder = (directory: string, number: number): string => join(directory, `shard-${number}`)

/** What a merge makes before the first line of its journal, and what is there of a list in a queue. */
export const isBeforeJournal = (name: string): boolean =>
  isEnrichedFile(name) || name === CHOICE_FILE || name === CONTENTS_FILE || /^shard-\d+$/.test(name)

export const isAnswersFile = (name: string): boolean => /^answers-\w+\.bin$/.test(name)

export const receivedPath = (directory: string, part: number): string => join(directory, `enriched-${part}.csv.gz`)

export const cannotReadBack = (path: string, cause: Error): FettleError =>
  new FettleError('FETTLE_OUTPUT_WRITE', `cannot read back ${path}: ${cause.message}`, { cause })

/** Replaces a file by a hard link to another, or by a copy where the file system has no links between the two. Throws FETTLE_OUTPUT_WRITE. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  await removeFile(to)
  await attempt(to, () => link(from, to).catch(() => copyFile(from, to)))
}
