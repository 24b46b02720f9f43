/** Chooses the rows of a run that go up. */
import { FettleError } from '../../errors.ts'
import type { Plan } from '../../pipeline/index.ts'
import { DEFAULT_RUNTIME } from '../env/runtime.ts'
import { checkRowBudget, chooseKnownRows, type ReuseSettings } from '../prepare/reuse.ts'
import { changedCompaniesOf } from '../runs/event-store.ts'
import type { RunDirectory } from '../runs/run-directory.ts'
import { assertAccount, assertMonth, withSpendingLock } from '../runs/spending.ts'
import type { StorageOptions } from '../staging/remote-files.ts'
import { readablePlan } from './ports.ts'
import type { RunRecord } from './run-recorder.ts'
import type { RunSettings } from './run-settings.ts'

/** Limits of the pipeline, which another attempt would reach again. */
export const isRefusal = (error: unknown): error is FettleError =>
  FettleError.is(error) && (error.code === 'FETTLE_BUDGET_MONTH' || error.code === 'FETTLE_BUDGET_ACCOUNT')

/** The rows that go up are chosen before the first request, and not again: neither time nor other runs change them. */
export async function chooseRowsOnce(
  record: RunRecord,
  directory: RunDirectory,
  settings: Pick<RunSettings, 'cwd' | 'env' | 'credentials' | 'signal' | 'world'> & ReuseSettings,
  storage: StorageOptions,
): Promise<void> {
  const { state } = record
  if (state === null) return
  const { plan } = state
  // The rows of shards are those of the list: each shard sends all rows of its range, and their merge keeps the answers.
  if (plan.reuse == null || plan.known !== undefined || plan.shard !== undefined || plan.merged !== undefined) return
  const readable = await readablePlan(plan, directory, storage)
  const changedCompanies = changedCompaniesOf(directory, state)
  const found = await chooseKnownRows(readable, state, directory, { ...settings, changedCompanies })
  const { counts, parts, answers, bits, list } = found
  checkRowBudget(plan, counts.sent)
  const known = { sent: plan.sent, parts: plan.parts, rows: counts.known, answers: answers ?? '', bits: bits ?? '' }
  const chosen: Plan = { ...plan, sent: counts.sent, parts, known }
  await assertAccount(chosen, settings)
  const choose = (): void => {
    const { answers: reused, bits: isKnown } = known
    const facts = list ?? { inRegister: null }
    record.append({ type: 'reuse.chosen', counts, sent: counts.sent, parts, answers: reused, bits: isKnown, ...facts })
  }
  if (plan.budget.month === undefined) return choose()
  const { clock } = settings.world ?? DEFAULT_RUNTIME
  // What is recorded is reserved: another run cannot use the same rest.
  await withSpendingLock(settings.runsDir, clock, () => {
    assertMonth(chosen, settings.runsDir, state.identity, clock.now())
    choose()
  })
}
