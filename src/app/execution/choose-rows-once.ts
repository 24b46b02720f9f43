/** Chooses the rows of a run that go up. */

import type { Env } from '../env/environment.ts'
import { checkRowBudget, chooseKnownRows, type ReuseSettings } from '../prepare/reuse.ts'
import { changedCompaniesOf } from '../runs/event-store.ts'
import type { RunDirectory } from '../runs/run-directory.ts'
import type { StorageOptions } from '../staging/remote-files.ts'
import { readablePlan } from './ports.ts'
import type { RunRecord } from './run-recorder.ts'

/** The rows that go up are chosen before the first request, and not again: neither time nor other runs change them. */
export async function chooseRowsOnce(
  record: RunRecord,
  directory: RunDirectory,
  settings: ReuseSettings & { readonly env: Env; readonly cwd: string; readonly signal: AbortSignal },
  storage: StorageOptions,
): Promise<void> {
  const { state } = record
  if (state === null) return
  const { plan } = state
  // The rows of shards are those of the list: each shard sends all rows of its range, and their merge keeps the answers.
  if (plan.reuse == null || plan.known !== undefined || plan.shard !== undefined || plan.merged !== undefined) return
  const readable = await readablePlan(plan, directory, storage)
  const changedCompanies = changedCompaniesOf(directory, state)
  const chosen = await chooseKnownRows(readable, state, directory, { ...settings, changedCompanies })
  const { counts, parts, answers, bits, inRegister } = chosen
  checkRowBudget(plan, counts.sent)
  record.append({ type: 'reuse.chosen', counts, sent: counts.sent, parts, answers: answers ?? '', bits: bits ?? '', inRegister })
}
