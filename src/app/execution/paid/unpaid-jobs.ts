/** A run that was stopped before it paid for all its rows, and chooses them again where another one asked some of them meanwhile. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileDigest } from '../../../files/file-chunks.ts'
import { type KnownBits, readKnownBits } from '../../../input/upload/known-rows.ts'
import type { JobState, RunState } from '../../../journal/index.ts'
import { REUSED_FILE } from '../../../results/file-names.ts'
import type { RunDirectory } from '../../runs/run-directory.ts'

/** Its rows are still to be paid. */
export const isOpen = ({ enrichRequested, failure }: JobState): boolean => !enrichRequested && failure === null

/** Whether requests about rows were made that are not paid. A worker has no answers: its rows were chosen for the whole list. */
export const hasOpenJobs = ({ plan, jobs }: RunState, { path }: RunDirectory): boolean =>
  plan.enrich !== null && jobs.some(({ requested }) => requested) && jobs.some(isOpen) && existsSync(join(path, REUSED_FILE))

/** Which rows the run sends and has not paid; null where the files of its choice are not as recorded. */
export async function openRows(
  { plan: { known, parts }, jobs }: RunState,
  { path }: RunDirectory,
): Promise<Pick<KnownBits, 'fate'> | null> {
  if (known === undefined || (await fileDigest(join(path, REUSED_FILE))) !== known.answers) return null
  const bits = await readKnownBits(path, known.bits).catch(() => null)
  if (bits === null || jobs.every(isOpen)) return bits
  const openParts = jobs.filter(isOpen).map(({ part }) => parts[part]!)
  const isOpenRow = (sent: number): boolean => openParts.some(({ from, rows }) => sent >= from && sent < from + rows)
  // Rows are asked about in their order, each once.
  let sent = 0
  return { fate: row => (bits.fate(row) === 'sent' && !isOpenRow(sent++) ? 'known' : bits.fate(row)) }
}

/** Names of jobs that no job of the run had: with a lost answer, an earlier one must not be found. */
export function nextJobName({ runId, jobName }: RunState): string {
  const first = `fettle-${runId}`
  const number = jobName === first ? 1 : Number(jobName.slice(first.length + 2))
  return `${first}-r${number + 1}`
}
