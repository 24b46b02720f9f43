/**
 * Shards: one list shared among several runs, by ranges of its rows, so that nobody has to agree with anybody on who takes what.
 * Pure arithmetic; it knows no file.
 */

import type { Plan } from '../model/types.ts'
import { fingerprintOf } from './fingerprint.ts'
import { freeze } from './freeze.ts'

/** More than these are a mistake. */
export const MOST_SHARDS = 1_000

/** Which of how many, from 1. */
export interface ShardChoice {
  readonly number: number
  readonly of: number
}

/** `3/8` as a choice; null for what is none. */
export function parseShard(text: string): ShardChoice | null {
  const [, number, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []
  const choice = { number: Number(number), of: Number(of) }
  return choice.number >= 1 && choice.number <= choice.of && choice.of <= MOST_SHARDS ? choice : null
}

/** A choice as it is typed. */
export const shardText = ({ number, of }: ShardChoice): string => `${number}/${of}`

/** All choices of so many shards, as they are typed. */
export const shardList = (of: number): string[] => Array.from({ length: of }, (_, at) => shardText({ number: at + 1, of }))

/** The part of `whole` that falls to a shard: the parts of all lie side by side and make the whole. */
export const shareOf = (whole: number, { number, of }: ShardChoice): { readonly from: number; readonly to: number } => ({
  from: Math.floor((whole * (number - 1)) / of),
  to: Math.floor((whole * number) / of),
})

/** What the runs of a plan have in common: the pipeline's name, and of a shard which it is. No pipeline can be called so. */
export const lineOf = ({ name, shard }: Pick<Plan, 'name' | 'shard'>): string =>
  shard === undefined ? name : `${name}.${shard.number}-of-${shard.of}`

/** Two shards of one list, as one pipeline reads it, have the same kin. */
export function kinOf(plan: Plan): string {
  const { shard: _shard, fingerprint: _fingerprint, ...rest } = plan
  return fingerprintOf({ ...rest, rows: 0, sent: 0, parts: [], preparation: [], budget: { ...plan.budget, credits: null } })
}

/** The plan over all rows that the shards' plans, in their order and all of them, make together. */
export function mergedPlan(plans: readonly Plan[]): Plan {
  const [first] = plans
  if (first === undefined) throw new TypeError('no plan is merged of none')
  const { shard: _shard, fingerprint: _fingerprint, ...rest } = first
  const sum = (of: (plan: Plan) => number): number => plans.reduce((total, plan) => total + of(plan), 0)
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
    rows: sum(plan => plan.rows),
    sent: sum(plan => plan.sent),
    parts: parts.length === 0 ? [{ from: 0, rows: 0 }] : parts,
    budget: { ...first.budget, credits: first.budget.credits === null ? null : sum(plan => plan.budget.credits ?? 0) },
    preparation: [`joined of ${plans.length} shards`],
  }
  return freeze(structuredClone({ ...draft, fingerprint: fingerprintOf(draft) }))
}

/** The parts of a run in the order of the rows, `split` rows each; one at least. */
export function partsOf(sent: number, split: number | null): Plan['parts'] {
  const size = split ?? Math.max(1, sent)
  const count = Math.max(1, Math.ceil(sent / size))
  return Array.from({ length: count }, (_, part) => ({ from: part * size, rows: Math.min(size, sent - part * size) }))
}
