/** The record of removed runs: a line for each, with a checksum over itself and the lines before it, as in a journal. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { action, FettleError } from '../errors.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import { readKeptText } from '../files/kept-files.ts'
import { Checksums, cut, resealed } from '../journal/index.ts'
import type { OutputFile } from '../model/results.ts'

export interface RunSpending {
  readonly runId: string
  readonly pipeline: string
  /** `embedded`, or the address. */
  readonly service: string
  readonly identity: string
  readonly startedAt: string
  readonly endedAt: string | null
  readonly status: string
  readonly finished: boolean
  readonly rows: number
  readonly sent: number
  /** What the service may charge; null while unknown. */
  readonly credits: number | null
  /** The most that it may come to, until it is known. */
  readonly reserved: number
  readonly requests: number
  readonly jobs: readonly { readonly id: string | null; readonly name: string; readonly correlationIds: readonly string[] }[]
  /** The checksum of the last line of the journal. */
  readonly journal: string | null
  /** When the run was removed; null while it is there. */
  readonly prunedAt: string | null
  /** Of a merge: the runs of its shards, which spent it. */
  readonly shards?: readonly string[]
  /** Of a removed run; absent in records of earlier versions. */
  readonly outputs?: readonly OutputFile[]
}

export const prunedPath = (runsDir: string): string => join(runsDir, 'pruned.jsonl')

function readPrunedLines(runsDir: string): string[] {
  const lines = (readKeptText(prunedPath(runsDir)) ?? '').split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** Of removed runs, in the order of their removal. Throws FETTLE_JOURNAL_DAMAGED for a line that cannot be read. */
export const prunedRuns = (runsDir: string): RunSpending[] =>
  readPrunedLines(runsDir).map((line, at) => {
    try {
      return JSON.parse(cut(line).json) as RunSpending
    } catch (cause) {
      throw new FettleError('FETTLE_JOURNAL_DAMAGED', 'the record of removed runs is damaged', {
        at: { file: prunedPath(runsDir), line: at + 1, column: null },
        hint: 'Restore the file from a backup, or remove the line, whose run then counts for nothing. Count again.',
        action: action('costs'),
        cause,
      })
    }
  })

/** Appends the records of runs that are about to be removed; the file is replaced whole. Throws FETTLE_OUTPUT_WRITE. */
export async function keepSpending(runsDir: string, added: readonly RunSpending[]): Promise<void> {
  const ids = new Set(prunedRuns(runsDir).map(({ runId }) => runId))
  const fresh = added.filter(({ runId }) => !ids.has(runId)).map(one => JSON.stringify(one))
  const lines = sealed(readPrunedLines(runsDir), fresh)
  await writeAtomic(prunedPath(runsDir), lines.map(line => `${line}\n`).join(''))
}

/** Earlier lines stay as they are, also damaged ones: a removal must not make them look whole. */
function sealed(known: readonly string[], added: readonly string[]): string[] {
  const sums = new Checksums()
  if (known.every(line => sums.accept(line) === null)) return resealed([...known, ...added])
  return [...known, ...added]
}

interface ReadPruned {
  readonly runs: readonly RunSpending[]
  /** The first line that is not as it was written: nothing is known of the lines after it. `why` is the end of a sentence. */
  readonly fault: { readonly line: number; readonly why: string } | null
}

/** The records up to the first that is damaged. */
export function readPruned(runsDir: string): ReadPruned {
  const sums = new Checksums()
  const runs: RunSpending[] = []
  const lines = readPrunedLines(runsDir)
  const isTorn = lines.length > 0 && !readFileSync(prunedPath(runsDir), 'utf8').endsWith('\n')
  for (const [at, line] of lines.entries()) {
    const problem = isTorn && at === lines.length - 1 ? 'it ends within a line' : sums.accept(line)
    const run = problem === null ? parsed(line) : null
    if (run === null) return { runs, fault: { line: at + 1, why: problem ?? 'it is not a record' } }
    runs.push(run)
  }
  return { runs, fault: null }
}

/** The newest removed run of this id, beginning of an id, or pipeline; null if no run fits. */
export const findPruned = (runsDir: string, wanted: string): RunSpending | null =>
  readPruned(runsDir)
    .runs.filter(({ runId, pipeline }) => runId.startsWith(wanted) || pipeline === wanted)
    .sort((a, b) => (a.runId < b.runId ? 1 : -1))[0] ?? null

/** Null for a damaged line; records with outputs have a checksum. */
function parsed(line: string): RunSpending | null {
  const { json, sum } = cut(line)
  try {
    const run = JSON.parse(json) as RunSpending
    return sum === null && run.outputs !== undefined ? null : run
  } catch {
    return null
  }
}
