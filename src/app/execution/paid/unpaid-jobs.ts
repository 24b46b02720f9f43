/** A run that was stopped before it paid, and chooses its rows again where another one asked some of them meanwhile. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileDigest } from '../../../files/file-chunks.ts'
import { type KnownBits, readKnownBits } from '../../../input/upload/known-rows.ts'
import type { RunState } from '../../../journal/index.ts'
import { REUSED_FILE } from '../../../results/file-names.ts'
import type { RunDirectory } from '../../runs/run-directory.ts'

/** Whether requests about its rows were made, and nothing is paid. A worker has no answers: its rows were chosen for the whole list. */
export const isUnpaid = ({ plan, jobs }: RunState, { path }: RunDirectory): boolean =>
  plan.enrich !== null &&
  jobs.some(({ requested }) => requested) &&
  jobs.every(({ enrichRequested }) => !enrichRequested) &&
  existsSync(join(path, REUSED_FILE))

/** Which rows the run sends; null where the files of its choice are not as recorded, so that it has to choose again. */
export async function recordedChoice({ plan: { known } }: RunState, { path }: RunDirectory): Promise<KnownBits | null> {
  if (known === undefined || (await fileDigest(join(path, REUSED_FILE))) !== known.answers) return null
  return readKnownBits(path, known.bits).catch(() => null)
}

/** Names of jobs that no job of the run had: with a lost answer, an earlier one must not be found. */
export function nextJobName({ runId, jobName }: RunState): string {
  const first = `fettle-${runId}`
  const number = jobName === first ? 1 : Number(jobName.slice(first.length + 2))
  return `${first}-r${number + 1}`
}
