/** Estimates the match rate and the credits of a list before its first paid run: a sample is matched against a register here. Sends nothing. */
import { sentRows } from '../../input/index.ts'
import type { Plan } from '../../pipeline/index.ts'
import { dataDirOf, type Env } from '../env/environment.ts'
import { findRegisters, registerDirOf } from '../prepare/registers.ts'
import { type ShareEstimate, shareInterval } from './estimate-interval.ts'

export interface CreditsEstimate {
  /** Rows that are sent. */
  readonly list: number
  readonly sample: { readonly rows: number; readonly matched: number; readonly review: number; readonly unmatched: number }
  /** Rows for which a company is found. */
  readonly matched: ShareEstimate
  readonly review: ShareEstimate
  /** One for each row that is found; null when the pipeline enriches nothing. `low` and `high` with 95 % certainty. */
  readonly credits: {
    readonly likely: number
    readonly low: number
    readonly high: number
    readonly budget: number | null
  } | null
  readonly registers: readonly { readonly name: string; readonly companies: number; readonly snapshotDate: string }[]
}

export interface EstimateOptions {
  readonly env: Env
  readonly cwd: string
  /** Rows of the sample. */
  readonly rows: number
  /** Null for the registers of the plan, or every imported one. */
  readonly registers: readonly string[] | null
}

/** Throws FETTLE_REGISTER_NONE without a register, FETTLE_REGISTER_UNKNOWN, FETTLE_INPUT_READ. */
export async function estimateCredits(plan: Plan, { env, cwd, rows, registers }: EstimateOptions): Promise<CreditsEstimate> {
  const { matchSample } = await import('../../service/data-cleaning/processing/list-sample.ts')
  const { importSample, SAMPLE } = await import('../../service/registers/index.ts')
  const { systemClock } = await import('../../service/clock.ts')
  const wanted = registers ?? plan.register?.map(({ name }) => name) ?? null
  const names = (await findRegisters(env, wanted)).registers.map(({ name }) => name)
  if (names.includes(SAMPLE)) await importSample(registerDirOf(dataDirOf(env)), systemClock)
  const found = await matchSample(() => sentRows(plan, cwd), rows, {
    dir: registerDirOf(dataDirOf(env)),
    names,
    ...(plan.companyNumbers === undefined ? {} : { companyNumbers: plan.companyNumbers }),
  })
  const { registers: used, ...sample } = found
  const list = plan.sent
  const matched = shareInterval(sample.matched, sample.rows, list)
  const { enrich, budget } = plan
  const credits =
    enrich === null
      ? null
      : {
          likely: Math.round(matched.share * list),
          low: Math.floor(matched.low * list),
          high: Math.ceil(matched.high * list),
          budget: budget.credits,
        }
  return { list, sample, matched, review: shareInterval(sample.review, sample.rows, list), credits, registers: used }
}
