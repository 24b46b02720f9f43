/** Runs that ended before they began, such as for a missing list: a line for each, among the runs. */
import { join } from 'node:path'
import { z } from 'zod'
import { FettleError } from '../errors.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import { readKeptText } from '../files/kept-files.ts'
import { describeSeries, type SeriesPlan } from '../pipeline/index.ts'
import { safeText } from '../report/index.ts'
import { listRunIds } from './run-directory.ts'

const Attempt = z.object({
  /** UTC. */
  at: z.string(),
  pipeline: z.string(),
  target: z.string().nullable(),
  limit: z.number().nullable(),
  /** The series, without the account where it was not known. */
  series: z.string(),
  exitCode: z.number(),
  code: z.string(),
  /** Without a cell of the list. */
  message: z.string(),
})

export type Attempt = z.infer<typeof Attempt>

/** The time of an attempt as the ids of runs begin. */
export const formatStamp = (at: string): string => `${at.slice(0, 19).replace(/[-:]/g, '')}Z`

/** The newest are kept. */
const MOST = 1_000

const attemptsPath = (runsDir: string): string => join(runsDir, 'attempts.jsonl')

/** The attempts that are recorded, newest first. A line that cannot be read is left out: it is a note, and nothing is decided by it. */
export function readAttempts(runsDir: string, pipeline?: string): Attempt[] {
  const lines = (readKeptText(attemptsPath(runsDir)) ?? '').split('\n')
  return lines
    .flatMap(line => {
      const attempt = Attempt.safeParse(parseLine(line))
      return attempt.success && (pipeline === undefined || attempt.data.pipeline === pipeline) ? [attempt.data] : []
    })
    .reverse()
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

type Subject = Pick<Attempt, 'at' | 'pipeline' | 'target' | 'limit' | 'series'>

export const describeAttempt = (plan: SeriesPlan, identity: string | null, now: number): Subject => ({
  at: new Date(now).toISOString(),
  pipeline: plan.name,
  target: plan.target ?? null,
  limit: plan.limit,
  series: describeSeries(plan, identity).name,
})

/**
 * Records a run that did not start, in a folder that has runs: a first command leaves no folder behind. Not recorded are an attempt
 * while another process runs the pipeline, whose run is listed, and one whose line cannot be written: its error is reported already.
 */
export async function keepAttempt(runsDir: string, error: unknown, subject: Subject): Promise<void> {
  if (!FettleError.is(error) || error.code === 'FETTLE_LOCKED' || listRunIds(runsDir).length === 0) return
  const { code, exitCode } = error
  const first = error.issues.find(({ severity }) => severity === 'error')
  const attempt: Attempt = {
    ...subject,
    exitCode,
    code: first?.code ?? code,
    message: safeText(first?.code ?? code, first?.message ?? error.message),
  }
  const kept = [attempt, ...readAttempts(runsDir).slice(0, MOST - 1)].reverse()
  await writeAtomic(attemptsPath(runsDir), kept.map(line => `${JSON.stringify(line)}\n`).join('')).catch(() => {})
}

/** Removes the attempts before a time, in milliseconds since 1970, with the runs of that age. */
export async function dropAttempts(runsDir: string, before: number, pipeline?: string): Promise<void> {
  const known = readAttempts(runsDir)
  const kept = known.filter(
    attempt => Date.parse(attempt.at) >= before || (pipeline !== undefined && attempt.pipeline !== pipeline),
  )
  if (kept.length < known.length)
    await writeAtomic(
      attemptsPath(runsDir),
      kept
        .reverse()
        .map(line => `${JSON.stringify(line)}\n`)
        .join(''),
    )
}
