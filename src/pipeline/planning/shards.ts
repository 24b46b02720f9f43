/** Splits a list into shards by ranges of rows, splits rows into remote jobs, merges the plans of shards, and rejects what cannot be split. */

import { COMPANY_TAGS } from '../../contract/index.ts'
import { type Issue, issue, type Place } from '../../errors.ts'
import type { Plan, Shard } from '../model/types.ts'
import { requestedInput } from '../schema/paths.ts'
import type { Pipeline } from '../schema/pipeline.ts'
import type { Path } from '../source/tree.ts'
import { fingerprintPlan, sealPlan, wholePlan } from './fingerprint.ts'

export const MOST_SHARDS = 1_000

export interface ShardChoice {
  readonly number: number
  readonly of: number
}

/** Parses `3/8`; null for any other text. */
export function parseShard(text: string): ShardChoice | null {
  const [, number, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []
  const choice = { number: Number(number), of: Number(of) }
  return choice.number >= 1 && choice.number <= choice.of && choice.of <= MOST_SHARDS ? choice : null
}

export const shardText = ({ number, of }: ShardChoice): string => `${number}/${of}`

export const shardList = (of: number): string[] => Array.from({ length: of }, (_, at) => shardText({ number: at + 1, of }))

/** The range of a shard; the ranges of all shards are adjacent and cover `whole`. */
export const shareOf = (whole: number, { number, of }: ShardChoice): { readonly from: number; readonly to: number } => ({
  from: Math.floor((whole * (number - 1)) / of),
  to: Math.floor((whole * number) / of),
})

export const nameLine = ({ name, shard }: { readonly name: string; readonly shard?: ShardChoice | undefined }): string =>
  shard === undefined ? name : `${name}.${shard.number}-of-${shard.of}`

export function identifyWhole(plan: Plan): string {
  const { shard: _shard, fingerprint: _fingerprint, skipped: _skipped, ...rest } = wholePlan(plan)
  return fingerprintPlan({ ...rest, rows: 0, sent: 0, parts: [], preparation: [], budget: { ...plan.budget, credits: null } })
}

/** Whether a plan of joined shards has the outputs that `plan` would have over all rows. */
export function isMerge({ merged, ...whole }: Plan, plan: Plan): boolean {
  return merged !== undefined && plan.shard === undefined && identifyWhole(whole) === identifyWhole(plan)
}

/** The plan over all rows from the plans of all shards, in order; without earlier answers, as if all rows had gone up. */
export function mergedPlan(shards: readonly Plan[]): Plan {
  const plans = shards.map(wholePlan)
  const [first] = plans
  if (first === undefined) throw new TypeError('no plan is merged of none')
  const { shard: _shard, fingerprint: _fingerprint, skipped: _skipped, ...rest } = first
  const sum = (of: (plan: Plan) => number): number => plans.reduce((total, plan) => total + of(plan), 0)
  const skipped = sum(plan => plan.skipped ?? 0)
  let from = 0
  const parts = plans
    .flatMap(plan => (plan.sent === 0 ? [] : plan.parts))
    .map(({ rows }) => {
      from += rows
      return { from: from - rows, rows }
    })
  const draft = {
    ...rest,
    merged: plans.length,
    ...listRegisters(plans),
    rows: sum(plan => plan.rows),
    skipped: skipped === 0 ? undefined : skipped,
    sent: sum(plan => plan.sent),
    parts: parts.length === 0 ? [{ from: 0, rows: 0 }] : parts,
    budget: { ...first.budget, credits: first.budget.credits === null ? null : sum(plan => plan.budget.credits ?? 0) },
    preparation: [`joined of ${plans.length} shards`],
  }
  return sealPlan(draft)
}

/** Each import that a shard was matched against. */
function listRegisters(plans: readonly Plan[]): Pick<Plan, 'register'> {
  const all = plans.flatMap(({ register = [] }) => register)
  const formatKey = ({ name, sha256 }: (typeof all)[number]): string => JSON.stringify([name, sha256])
  const imports = new Map(all.map(register => [formatKey(register), register]))
  return all.length === 0 ? {} : { register: [...imports.values()] }
}

/** The remote jobs of a run in the order of the rows, `split` rows each; at least one. */
export function splitIntoParts(sent: number, split: number | null): Plan['parts'] {
  const size = split ?? Math.max(1, sent)
  const count = Math.max(1, Math.ceil(sent / size))
  return Array.from({ length: count }, (_, part) => ({ from: part * size, rows: Math.min(size, sent - part * size) }))
}

const OF_JOB = ['general.rowNumber', 'general.duplicateId']

export function shardIssues(pipeline: Pipeline, shard: Shard, at: (...path: Path) => Place | null): Issue[] {
  const { enrich, input, output } = pipeline
  const which = `shard ${shardText(shard)}`
  const issues: Issue[] = []
  const refuse = (message: string, hint: string, ...path: Path): void => {
    issues.push(issue('FETTLE_PIPELINE_UNSUPPORTED', message, { hint, at: at(...path) }))
  }
  if (requestedInput(input.path).kind === 'stdin')
    refuse(`${which} of standard input: the other shards and the merge cannot read it`, 'Write it to a file first.', 'input')
  for (const name of output?.columns.filter(name => OF_JOB.includes(name)) ?? []) {
    const message = `${which}: ${name} counts the rows of one remote job, so it would differ between shards`
    refuse(message, `Leave ${name} out of output.columns.`, 'output', 'columns')
  }
  for (const key of ['candidates', 'portfolio', 'screen', 'decide'] as const) {
    if (pipeline[key] === null || (key === 'decide' && pipeline.decide?.service == null)) continue
    const what = key === 'candidates' ? 'rows' : 'companies'
    const message = `${which}: ${key === 'decide' ? 'decide.service' : key} needs the ${what} of the whole list, and a shard has only its own`
    refuse(message, `Leave ${key} out, or run the list as a whole, without shards.`, key)
  }
  if (output !== null && enrich !== null && !COMPANY_TAGS.some(tag => enrich.tags.includes(tag))) {
    const message = `${which}: without a tag that identifies companies, a company found in two shards would count twice`
    refuse(message, 'Add general.connectId to enrich.tags.', 'enrich')
  }
  return issues
}
