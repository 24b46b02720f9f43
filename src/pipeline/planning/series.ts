/** The series of a run: which runs it is compared with, and which unfinished one the same command continues. */
import { createHash } from 'node:crypto'
import type { Plan } from '../model/types.ts'
import { nameLine, type ShardChoice } from './shards.ts'

/** Names that every file system and queue takes: letters, digits, `-`, `.` and `@`. */
export interface Series {
  readonly name: string
  /** Without the shard: a list and its shards are compared by it. */
  readonly whole: string
}

/** The parts of a plan that decide; they are known before the input is read. */
export interface SeriesPlan extends Pick<Plan, 'name' | 'service' | 'limit' | 'target'> {
  readonly register?: Plan['register'] | undefined
  readonly shard?: ShardChoice | undefined
}

/**
 * Describes the series of a plan: pipeline, target, limit, sample register or not, account and shard. `identity`: as the journal
 * records it; null leaves out the account, where the credentials are not known.
 */
export function describeSeries(plan: SeriesPlan, identity: string | null): Series {
  const { target, limit, register = [] } = plan
  const marks: string[] = []
  if (limit !== null) marks.push(`first-${limit}`)
  // The sample has no snapshot.
  if (register.some(({ snapshotDate }) => snapshotDate === null)) marks.push('sample')
  const account = digestAccount(plan.service, identity)
  if (account !== null) marks.push(account)
  const describe = (line: string): string => [target === undefined ? line : `${line}@${target}`, ...marks].join('.')
  return { name: describe(nameLine(plan)), whole: describe(plan.name) }
}

/** A digest of origin and user; null for the embedded service, and where the account is not known. */
function digestAccount(service: Plan['service'], identity: string | null): string | null {
  if (service.kind === 'embedded' || identity === null) return null
  const user = identity.split(' ').at(-1)
  return createHash('sha256')
    .update(JSON.stringify([new URL(service.url).origin, user]))
    .digest('hex')
    .slice(0, 8)
}
